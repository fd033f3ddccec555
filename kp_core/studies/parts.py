"""Turn a corpus into parts of it: documents of one type or length, and keyphrases that stand in the text or do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, cast

import numpy as np

from kp_core.corpus import kept
from kp_core.errors import refuse_unless, unfit
from kp_core.scoring.codes import Bools, Codes, Ints
from kp_core.scoring.counts import Counted, count
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.hits import ranked_lists
from kp_core.scoring.prepare import Prepared
from kp_core.studies import WORDS
from kp_core.text.normalise import Normaliser
from kp_core.text.places import occurs, token_lines
from kp_core.text.tokenise import tokens

By = Literal["", "group", "length", "presence"]
#: What the parts of an evaluation may tell apart, and what that is.
PARTS: dict[str, str] = WORDS["parts"]
_THIRDS, _SIDES = ("short", "medium", "long"), ("present", "absent")


def parse_by(by: str) -> By:
    """Return what the parts tell apart; empty for the whole alone."""
    if by:
        refuse_unless(by, PARTS, "by")
    return cast(By, by)


def subsets(by: By, groups: Sequence[str]) -> list[str]:
    """Return the names of the whole and of all parts as rows print them; groups: the types of documents.

    >>> subsets("group", ["lecture", "talk"]), subsets("", [])
    (['all', 'group:lecture', 'group:talk'], ['all'])
    """
    names = {"": (), "group": groups, "length": _THIRDS, "presence": _SIDES}[by]
    return ["all", *(f"{by}:{name}" for name in names)]


def parts(data: Prepared, standards: list[dict[str, Counted]], by: By) -> dict[str, list[dict[str, Counted]]]:
    """Return the counts of the whole and of each part, in the order of `subsets`, one entry a gold standard.

    Raises InputError where the documents have no type, or no text.
    """
    if by == "presence":
        sides = [presence(data, without) for without in data.left_out]
        return {"all": standards} | {f"presence:{name}": [one[name] for one in sides] for name in _SIDES}
    masks: dict[str, Bools] = {}
    if by == "group":
        if not data.names.groups:
            raise unfit("the documents", "no type")
        masks = {name: np.array(data.coded.groups, str) == name for name in data.names.groups}
    elif by == "length":
        there, words = _with_text(data, by), np.array([len(tokens(text)) for text in data.texts], np.float64)
        third = np.searchsorted(np.quantile(words[there], [1 / 3, 2 / 3], method="inverted_cdf"), words)
        masks = {name: there & (third == place) for place, name in enumerate(_THIRDS)}
    return {"all": standards} | {
        f"{by}:{name}": [{system: own.restricted(documents) for system, own in one.items()} for one in standards]
        for name, documents in masks.items()
    }


def presence(data: Prepared, without: int | None = None) -> dict[str, dict[str, Counted]]:
    """Return the counts of every system for present and for absent keyphrases.

    A phrase is present if its tokens stand together in the text. Both sides are filtered, ranks are given anew.
    Source: Meng et al. 2017, on token boundaries.
    """
    with_text = _with_text(data, "presence")
    coded, identities, settings = data.coded, data.identities, data.settings
    gold, negatives = gather(coded, identities, settings, without)
    stands = _standing(data)
    spelled = stands(gold.document[gold.spelling_item], gold.spelling_form)
    item = np.zeros(len(gold.grade), bool)
    item[gold.spelling_item[spelled]] = True
    found: dict[str, dict[str, Counted]] = {name: {} for name in _SIDES}
    for system, run in coded.runs.items():
        lists = ranked_lists(run, identities, settings)
        row = stands(lists.owner, lists.form)
        for name, wanted in zip(_SIDES, (True, False), strict=True):
            part: Gold = replace(gold.only(item == wanted), known=gold.known & with_text)
            nothing = np.zeros(len(gold.size))
            counts = count(lists.only(row == wanted), run.listed, part, negatives, nothing, settings)
            found[name][system] = Counted(counts, counts)
    return found


def _with_text(data: Prepared, by: By) -> Bools:
    """Return which documents have a text (D,); refuses data without any."""
    there = np.array([bool(text) for text in data.texts])
    if not there.any():
        raise unfit("the documents", "no texts", by=by)
    return there


def _standing(data: Prepared) -> Callable[[Ints, Ints | Codes], Bools]:
    """Return what tells whether forms, in one of their spellings, stand in texts; each pair is looked up once."""
    normaliser, coded, identities = Normaliser.parse(data.settings.normalise), data.coded, data.identities
    key = (str(normaliser), data.settings.titles)
    texts = kept(data.corpus, "text lines", key, lambda: token_lines(data.texts, normaliser))
    # The phrases as they were written go the same way as the texts: tokens first, stems last.
    raw = coded.phrases.to_pylist()
    predicted = gold = token_lines(raw, normaliser)
    if data.settings.gold_stemmed == "yes":
        gold = token_lines(raw, normaliser.without_stemmer())
    spelled: list[dict[str, None]] = [{} for _ in range(len(identities.forms))]
    for forms, spellings in ((identities.predicted, predicted), (identities.gold, gold)):
        for form, line in zip(forms.tolist(), spellings, strict=True):
            spelled[form][line] = None
    any_order = "sort" in normaliser.steps

    def stands(document: Ints, form: Ints | Codes) -> Bools:
        keys, place = np.unique(document.astype(np.int64) * len(spelled) + form, return_inverse=True)
        pairs = (divmod(key, len(spelled)) for key in keys.tolist())
        found = [any(occurs(line, texts[text], any_order) for line in spelled[number]) for text, number in pairs]
        return np.array(found, bool)[place]

    return stands
