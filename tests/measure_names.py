"""Names of measures in the oracles and other libraries → their names in KPScope."""

#: The oracles of agreement; a system's precision and recall are those of its concordance table.
AGREEMENT = {"po": "Po", "pe": "Pe", "kappa": "kappa", "kappa_max": "kappa_max", "ppos": "P_pos", "pneg": "P_neg"}
AGREEMENT |= {"pabak": "PABAK", "bi": "BI", "pi": "PI", "pi_scott": "pi", "ac1": "AC1", "recall": "R@k"}
#: trec_eval; the second kind with a cutoff.
TREC = {"map": "MAP", "recip_rank": "MRR", "ndcg": "nDCG", "Rprec": "Rprec"}
TREC |= {"set_P": "P@M", "set_recall": "R@M", "set_F": "F1@M"}
TREC_AT = {"P": "P@{}", "recall": "R@{}", "map_cut": "MAP@{}", "ndcg_cut": "nDCG@{}", "success": "success@{}"}
