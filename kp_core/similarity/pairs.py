"""Turn a table of phrase pairs into a tidy table of their similarity, and several gold phrases into the best value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kp_core.errors import InputError
from kp_core.scoring.codes import Floats, Ints
from kp_core.similarity.choices import Choices
from kp_core.similarity.score import score


def similarity(
    pairs: pd.DataFrame | Iterable[tuple[str, str]],
    measures: Sequence[str] | str = ("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1"),
    **choices: Any,
) -> pd.DataFrame:
    """Return one row a pair and measure: pair, measure, value, reason (`ok`, or a key of `REASONS`).

    pairs       (keyphrase, candidate) tuples, or a table with these columns, `pair_id` if wanted, and numeric columns,
                which are measures by their name (`column:BLEU` where a measure has the name too)
    measures    names as in `kp.SIMILARITIES`, with options: "BLEU", "M-R-precision(alignment=ordered)"
    direction   longer: the phrase with more tokens is the reference; keyphrase: the keyphrase is
    compat      nltk: exactly what NLTK, rouge-score and sacreBLEU give; none: defined for short phrases
    preset      paper-like: R-precision sees stems, other measures words; same-tokens: all see stems
    stemmer     stemmer of the stems, such as snowball-fr
    normalise   measure → pipeline of its own, such as {"chrF": "nfkc+casefold+space"}
    texts       texts in which `context` looks phrases up
    synonyms    groups of words that METEOR may match at last
    model       path of a sentence-transformers model for `embedding`
    seed        of `random`
    """
    chosen = Choices.of(choices)
    table = pairs if isinstance(pairs, pd.DataFrame) else pd.DataFrame(list(pairs), columns=["keyphrase", "candidate"])
    lacking = [name for name in ("keyphrase", "candidate") if name not in table]
    if lacking:
        raise InputError("the pairs", f"no column '{lacking[0]}'", "columns keyphrase and candidate", "Name it.")
    columns = {
        str(name): table[name].to_numpy(np.float64, na_value=np.nan)
        for name in table.columns
        if pd.api.types.is_numeric_dtype(table[name]) and name not in ("pair_id", "doc_id")
    }
    names = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures))
    texts = [table[side].fillna("").astype(str).tolist() for side in ("keyphrase", "candidate")]
    wide = score(texts[0], texts[1], names, chosen, columns)
    numbers = table["pair_id"].to_numpy() if "pair_id" in table else np.arange(len(table))
    return pd.DataFrame(
        {
            "pair": np.repeat(numbers, len(names)),
            "measure": np.tile(np.array(names, object), len(table)),
            "value": wide.table.ravel(),
            "reason": wide.reason.ravel(),
        }
    ).astype({"measure": "str", "reason": "str"})


def best_over_gold(values: Floats, group: Ints) -> Floats:
    """Return the best value over the gold phrases of each candidate: values (row,) or (row, measure), group (row,).

    Groups are 0, 1, 2, ... in any order; undefined values count only where a group has no other.

    >>> best_over_gold(np.array([0.5, np.nan, 0.25]), np.array([0, 1, 0])).tolist()
    [0.5, nan]
    """
    best = np.full((int(group.max(initial=-1)) + 1, *values.shape[1:]), np.nan)
    np.fmax.at(best, group, values)
    return best
