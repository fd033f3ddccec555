"""Turn the names of columns and fields into the roles they play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_GOLD = (
    "keyphrases keywords keyword extractive_keyphrases abstractive_keyphrases abstractive_keyphrase "
    "targets target tgt gold subjects tags"
)
#: Role → names, the first present wins; compared without case, blanks and hyphens count as `_`.
NAMES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "doc_id": "doc_id document_id docid id doc url name file filename paper_id",
        "pair_id": "pair_id pair pairid",
        "annotator": "annotator rater indexer tagger team user",
        "system": "system method model run algorithm",
        "rank": "rank position",
        "score": "score scores weight confidence probability",
        "votes": "votes count",
        "relevance": "relevance rel grade pertinence",
        "phrase": "phrase keyphrase keyword term label candidate tag sentence",
        "phrases": f"{_GOLD} phrases terms labels predictions prediction predicted preds output",
        "gold": _GOLD,
        "predictions": "predictions prediction predicted preds output",
        "text": "text body abstract fulltext document source src",
        "title": "title",
        "group": "group domain category section genre type",
        "concept": "concept uri concept_id",
        "keyphrase": "keyphrase",
        "candidate": "candidate",
        "sentence": "sentence",
    }.items()
}
#: The words by which a first line is known to be a header.
KNOWN = frozenset(name for names in NAMES.values() for name in names) | {"variants", "prmu", "gold_id", "text", "note"}
JUDGE = re.compile(r"^(?:score|annotator|rater|judge)[_ ]?(.+)$", re.IGNORECASE)


def plain(name: str) -> str:
    """Return a name as it is compared.

    >>> plain(" Doc-ID ")
    'doc_id'
    """
    return re.sub(r"[\s\-]+", "_", name.strip().lower())


def find_roles(names: Iterable[str], roles: Iterable[str], chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return role → column for the roles asked for; a column plays one role only, what is chosen goes first.

    >>> find_roles(["Doc", "Keyphrase", "Rank"], ["doc_id", "phrase", "rank", "score"])
    {'doc_id': 'Doc', 'phrase': 'Keyphrase', 'rank': 'Rank'}
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain(name), name)
    found = {role: name for role, name in (chosen or {}).items() if name in by_plain.values()}
    for role in roles:
        if role in found:
            continue
        fitting = next((by_plain[n] for n in NAMES[role] if n in by_plain and by_plain[n] not in found.values()), None)
        if fitting is not None:
            found[role] = fitting
    return found
