"""Turn a corpus into parts of it: documents of one type or length, and keyphrases that stand in the text or do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal, cast

import numpy as np

from kp_core.corpus import kept
from kp_core.errors import refuse_unless, unfit
from kp_core.scoring.codes import Bools, Codes, Ints
from kp_core.scoring.counts import Counted, count, counted_alike
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.hits import ranked_lists
from kp_core.scoring.measures import names_in
from kp_core.scoring.prepare import Prepared
from kp_core.studies import WORDS
from kp_core.text.normalise import Normaliser
from kp_core.text.places import occurs, token_lines
from kp_core.text.tokenise import tokens

Part = Literal["dataset", "group", "length", "presence"]
#: What the parts of an evaluation tell apart, one or several of `PARTS` at once; none for the whole alone.
By = tuple[Part, ...]
#: What the parts of an evaluation may tell apart, and what that is.
PARTS: dict[str, str] = WORDS["parts"]
#: What tells data sets apart, each of which is an evaluation of its own.
DATASET: Part = "dataset"
_THIRDS, _SIDES = ("short", "medium", "long"), ("present", "absent")


def parse_by(by: str | Sequence[str]) -> By:
    """Return what the parts tell apart, in the order of `PARTS`.

    >>> parse_by("presence,group"), parse_by("")
    (('group', 'presence'), ())
    """
    asked = [name for name in names_in(by) if name]
    for name in asked:
        refuse_unless(name, PARTS, "by")
    return cast(By, tuple(name for name in PARTS if name in asked))


def subsets(by: By, groups: Sequence[str]) -> list[str]:
    """Return the names of the whole and of all parts as rows print them; groups: the types of documents.

    >>> subsets(("group",), ["lecture", "talk"]), subsets((), [])
    (['all', 'group:lecture', 'group:talk'], ['all'])
    """
    names = {"group": groups, "length": _THIRDS, "presence": _SIDES}
    each = [[f"{one}:{name}" for name in names[one]] for one in by if one != DATASET]
    return ["all", *("/".join(parts) for parts in product(*each) if parts)]


def parts(data: Prepared, standards: list[dict[str, Counted]], by: By) -> dict[str, list[dict[str, Counted]]]:
    """Return the counts of the whole and of each part, in the order of `subsets`, one entry a gold standard.

    Raises InputError where the documents have no type, or no text.
    """
    made = {"": standards}
    if "presence" in by:
        sides = [presence(data, without) for without in data.left_out]
        made = {f"presence:{name}": [one[name] for one in sides] for name in _SIDES}
    masks: dict[str, Bools] = {"": np.ones(len(data.documents), bool)}
    for one in by:
        if one in ("group", "length"):
            own = _groups(data) if one == "group" else _lengths(data)
            masks = {_joined(a, f"{one}:{b}"): left & right for a, left in masks.items() for b, right in own.items()}
    return {"all": standards} | {
        _joined(name, side): [{system: own.restricted(where) for system, own in one.items()} for one in counts]
        for name, where in masks.items()
        for side, counts in made.items()
        if name or side
    }


def of_presence(subset: str) -> bool:
    """Tell the subsets of present or absent keyphrases, in which ranks are given anew.

    >>> of_presence("group:talk/presence:absent"), of_presence("group:talk")
    (True, False)
    """
    return subset.rpartition("/")[2].startswith("presence:")


def _joined(*names: str) -> str:
    return "/".join(filter(None, names))


def _groups(data: Prepared) -> dict[str, Bools]:
    """Return type of document → where it is (D,)."""
    if not data.names.groups:
        raise unfit("the documents", "no type")
    return {name: np.array(data.coded.groups, str) == name for name in data.names.groups}


def _lengths(data: Prepared) -> dict[str, Bools]:
    """Return third of the lengths of texts → where it is (D,)."""
    there, words = _with_text(data, "length"), np.array([len(tokens(text)) for text in data.texts], np.float64)
    third = np.searchsorted(np.quantile(words[there], [1 / 3, 2 / 3], method="inverted_cdf"), words)
    return {name: there & (third == place) for place, name in enumerate(_THIRDS)}


def presence(data: Prepared, without: int | None = None) -> dict[str, dict[str, Counted]]:
    """Return the counts of every system for present and for absent keyphrases.

    A phrase is present if its tokens stand together in the text. Both sides are filtered, ranks are given anew.
    Source: Meng et al. 2017, on token boundaries.
    """
    # Table, tests and values of one data set ask for the same counts, at other cutoffs.
    key = counted_alike(data.settings.changed(k="all", interval="none")), without
    made = kept(data.corpus, "presence", key, lambda: _presence(data, without))
    return {side: {name: own.under(data.settings) for name, own in systems.items()} for side, systems in made.items()}


def _presence(data: Prepared, without: int | None) -> dict[str, dict[str, Counted]]:
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


def _with_text(data: Prepared, by: Part) -> Bools:
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
    any_order, known = "sort" in normaliser.steps, dict[int, bool]()

    def stands(document: Ints, form: Ints | Codes) -> Bools:
        keys = (document.astype(np.int64) * len(spelled) + form).tolist()
        for key in {*keys} - known.keys():
            text, number = divmod(key, len(spelled))
            known[key] = any(occurs(line, texts[text], any_order) for line in spelled[number])
        return np.array([known[key] for key in keys], bool)

    return stands
