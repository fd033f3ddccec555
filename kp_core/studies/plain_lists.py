"""Score two plain lists, or lists of lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, Unpack, cast

from kp_core.errors import UsageError
from kp_core.reading import load
from kp_core.scoring.measures import names_in
from kp_core.settings import Changes, Settings, resolve_settings
from kp_core.studies.evaluate import evaluate

#: The phrases of one document, or of several documents (in the same order on both sides).
Lists: TypeAlias = Sequence[str] | Sequence[Sequence[str]]


def score(
    gold: Lists,
    predicted: Lists,
    settings: Settings | None = None,
    /,
    measures: Iterable[str] | str = ("P@k", "R@k", "F1@k"),
    **changes: Unpack[Changes],
) -> dict[str, float]:
    """Score ranked phrases against keyphrases: two lists for one document, two lists of lists for several.

    Returns
    -------
    dict
        Measure → value over all documents, under the default settings of `evaluate`; undefined values are NaN.

    Examples
    --------
    >>> score(["hash table", "collision"], ["hash tables", "bucket"], k=2)
    {'P@2': 0.5, 'R@2': 0.5, 'F1@2': 0.5}
    >>> score([["tide"], ["moon"]], [["tide"], ["sun"]], k=1, measures="F1@k")
    {'F1@1': 0.5}
    """
    sides = {"gold": _documents(gold, "gold"), "predicted": _documents(predicted, "predicted")}
    numbers = {side: len(lists) for side, lists in sides.items()}
    if len(set(numbers.values())) > 1:
        raise UsageError(
            f"gold has {numbers['gold']} documents and predicted {numbers['predicted']}; pass the same number"
        )
    corpus = load(gold=sides["gold"], systems={"predicted": sides["predicted"]})
    resolved = resolve_settings(corpus, settings, changes).changed(interval="none")
    frame = evaluate(corpus, resolved, names_in(measures)).frame
    return dict(zip(frame["measure"], frame["value"].tolist(), strict=True))


def _documents(side: Lists, name: str) -> dict[str, list[str]]:
    if isinstance(side, str):
        raise UsageError(f"{name} is a single string; pass a list of phrases, such as ['hash table', 'collision']")
    lists = cast("Sequence[Sequence[str]]", [side] if all(isinstance(item, str) for item in side) else side)
    return {str(index): list(phrases) for index, phrases in enumerate(lists, 1)}
