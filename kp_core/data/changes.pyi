from collections.abc import Iterable
from typing import Literal, TypedDict

from kp_core.settings import AnyK

class Changes(TypedDict, total=False):
    preset: Literal["kpscope", "semeval2010", "ijcnlp13", "jcdl20", "pke", "kpeval", "kpeval-sem", "chan", "opennmt-kpg", "kex", "trec", "llms4subjects", "annif", "casimir"] | str
    k: AnyK
    annotators: str
    universe: int | str
    interval: Literal["bootstrap", "poisson", "cluster-t", "none", "two-way-t", "multi-bootstrap"] | str
    resamples: int
    seed: int
    fixes: Iterable[str]
    trim: str
    normalise: str
    gold_stemmed: Literal["no", "yes"] | str
    by_concept: Literal["no", "yes"] | str
    titles: Literal["yes", "no"] | str
    variants: Literal["any", "first"] | str
    filter: Literal["none", "invalid-tokens", "one-word", "invalid-tokens,one-word"] | str
    duplicates: Literal["before", "after", "keep", "count"] | str
    gold_list: Literal["unique", "listed"] | str
    hits_as: Literal["predictions", "gold"] | str
    denominator: Literal["k", "returned", "min(k,gold)"] | str
    average: Literal["usual", "macro", "f-of-means", "micro", "both", "subject", "subject-weighted"] | str
    missing: Literal["zero", "skip", "error"] | str
    empty_gold: Literal["skip", "zero", "one-if-empty", "zero-if-judged"] | str
    subject_empty: Literal["casimir", "zero"] | str
    ties: Literal["stable", "trec", "expected"] | str
    rel: float | str
    gain: Literal["linear", "exp", "propensity"] | str
    gains: Literal["relevant", "all"] | str
    ap: Literal["gold", "min(k,gold)", "hits"] | str
    ap_repeats: Literal["miss", "hit"] | str
    ideal: Literal["gold", "returned"] | str
    rr: Literal["first", "all-hits"] | str
    rr_miss: Literal["0", "1/(n+1)"] | str
    matching: Literal["one-to-one", "best"] | str
    sem_equal: Literal["both", "predictions"] | str
