"""Turn a case of the certified set into its value a second time: by somebody's program, or by closed forms over arrays.

Nothing of KPScope and nothing of the first way is imported. pytrec_eval (trec_eval 9), scikit-learn, statsmodels,
krippendorff and NLTK get lists and labels as this file makes them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

import krippendorff
import numpy as np
import pytrec_eval
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance
from nltk.stem import PorterStemmer, SnowballStemmer
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, precision_recall_fscore_support
from statsmodels.stats.inter_rater import fleiss_kappa

Floats = NDArray[np.float64]
#: A value that does not exist.
NAN = float("nan")
#: What trec_eval calls the measures.
TREC = {"MAP": "map", "MRR": "recip_rank", "nDCG": "ndcg", "Rprec": "Rprec", "bpref": "bpref"}
TREC_AT = {"P": "P", "R": "recall", "MAP": "map_cut", "nDCG": "ndcg_cut", "success": "success"}
TREC_SET = {"P": "set_P", "R": "set_recall", "F1": "set_F"}
#: Conventions under which trec_eval counts, where a case is about something else.
LIKE_TREC = {"gold_list": "unique", "denominator": "k", "ideal": "gold", "gain": "linear", "ap": "gold", "rr": "first"}
LIKE_TREC |= {"rr_miss": "0", "ap_repeats": "miss", "duplicates": "before", "hits_as": "predictions"}
TABLES = ("a", "b", "c", "d", "N", "Po", "Pe", "kappa", "kappa_max", "kappa_min", "MCC", "P_pos", "P_neg", "PABAK")
TABLES += ("AC1", "pi", "BI", "PI")


@cache
def _stem(word: str, stemmer: str) -> str:
    """Return a stem; NLTK's Snowball has the Porter stemmer too, the one of 1980 is in PyStemmer."""
    if stemmer == "porter-original":
        import Stemmer

        return Stemmer.Stemmer("porter").stemWord(word) or word
    if stemmer in ("porter-martin", "porter-semeval"):
        pieces = re.split(r"([^\W\d_]+)", word) if stemmer == "porter-semeval" else [word]
        stems = [PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS).stem(piece) or piece for piece in pieces]
        return {"datum": "data"}.get("".join(stems), "".join(stems)) if stemmer == "porter-semeval" else stems[0]
    languages = {"porter-nltk": "porter", "nltk-snowball-en": "english", "nltk-snowball-fr": "french"}
    return SnowballStemmer(languages[stemmer]).stem(word) or word


def _split(words: list[str], at: str) -> list[str]:
    return [piece for word in words for piece in re.split(at, word) if piece]


def _without_possessive(word: str) -> str:
    return word[:-1] if word[-2:] in ("s'", "s’") else word.removesuffix("'s").removesuffix("’s")


def _composed(word: str) -> str:
    return unicodedata.normalize("NFKC", word.translate({173: None, 8203: None, 65279: None}))


#: What each step makes of the words of a phrase; a stemmer is any other name.
_STEPS: dict[str, Callable[[list[str]], list[str]]] = {
    "nfkc": lambda words: [_composed(word) for word in words],
    "lower": lambda words: [word.lower() for word in words],
    "space": lambda words: _split(words, r"\s+"),
    "hyphen-split": lambda words: _split(words, r"[-\s]+"),
    "hyphen-join": lambda words: ["".join(word.split("-")) for word in words],
    "possessive-drop": lambda words: [_without_possessive(word) for word in words],
    "punct-strip": lambda words: [re.sub(r"^\W+|\W+$", "", word) for word in words],
    "sort": sorted,
    "none": list,
}


@cache
def _form(phrase: str, pipeline: str, stemmed: bool = False) -> str:
    """Return the string by which a phrase is compared, each step on its list of words."""
    words = [phrase]
    for step in pipeline.split("+"):
        if step[:3] in ("nfk", "hyp"):
            words = [word.translate(str.maketrans("‐‑−", "---")) for word in words]
        if step in _STEPS:
            words = _STEPS[step](words)
        elif not stemmed:
            words = [" ".join(_stem(piece, step) for piece in word.split(" ")) for word in words]
    return " ".join(filter(None, words))


@dataclass
class Arrays:
    """One document: which rank spells which gold item (rank, item), grades, scores, and what the cutoffs need."""

    forms: list[str]
    scores: Floats
    spells: NDArray[np.bool_]
    grade: Floats
    lower: NDArray[np.bool_]
    lower_grade: Floats
    listed: bool
    universe: float
    rules: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The number of gold items."""
        return len(self.grade)

    def found(self) -> Floats:
        """Return the items found at each rank: a matrix with the first match of every item."""
        spells = self.spells.astype(float)
        first = spells if self.rules["duplicates"] == "count" else spells * (np.cumsum(spells, axis=0) == 1)
        per_rank = first.sum(axis=1)
        return per_rank if self.rules["hits_as"] == "gold" else np.minimum(per_rank, 1.0)

    def gains(self) -> Floats:
        """Return the grade gained at each rank."""
        columns = np.hstack([self.spells, self.lower]) if self.rules["gains"] == "all" else self.spells
        grades = np.concatenate([self.grade, self.lower_grade]) if self.rules["gains"] == "all" else self.grade
        first = columns if self.rules["duplicates"] == "count" else columns & (np.cumsum(columns, axis=0) == 1)
        return np.asarray(np.where(first, grades, 0.0).max(axis=1, initial=0.0))


def _groups(entries: Sequence[tuple[set[str], str]], listed: bool) -> list[list[int]]:
    """Return which entries are one item: those linked by spellings; listed: the r-th of one annotator stands apart."""
    n = len(entries)
    reach = np.array([[bool(one & two) for two, _ in entries] for one, _ in entries], bool).reshape(n, n)
    for _ in range(n):  # chains of spellings
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    component = [int(np.argmax(row)) for row in reach]
    keys = []
    for place, (_, annotator) in enumerate(entries):
        above = [p for p in range(place) if component[p] == component[place] and entries[p][1] == annotator]
        keys.append((component[place], len(above) if listed else 0))
    return [[p for p in range(n) if keys[p] == key] for key in dict.fromkeys(keys)]


def _gold(case: dict[str, Any], people: Sequence[str], name: str, rules: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return spellings and grades of the gold items of a document, and those of the items judged not relevant."""
    entries, grades = [], []
    for person in people:
        for entry in case["gold"][person].get(name, []):
            spellings = [entry] if isinstance(entry, str) else entry
            grades.append(float(case.get("grades", {}).get(name, {}).get(spellings[0], 1)))
            forms = spellings[:1] if rules["variants"] == "first" else spellings
            entries.append(({_form(f, rules["normalise"], rules["gold_stemmed"] == "yes") for f in forms}, person))
    wanted, judged = [], []
    seen = sum(name in case["gold"][person] for person in people)
    kind, _, number = str(rules["annotators"]).partition(":")
    for group in _groups(entries, rules["gold_list"] == "listed"):
        spellings = set().union(*(entries[p][0] for p in group))
        voters = {entries[p][1] for p in group if grades[p] >= rules["rel"]}
        grade = float(len(voters)) if kind == "votes" else max(grades[p] for p in group)
        needed = seen if kind == "intersection" else int(number or seen // 2 + 1) if kind == "majority" else 1
        if len(voters) >= needed and grade >= rules["rel"]:
            wanted.append((spellings, grade))
        elif not voters:
            judged.append((spellings, grade))
    return wanted, judged


def _list(case: dict[str, Any], name: str, rules: Mapping[str, Any]) -> tuple[list[str], list[float]]:
    """Return the forms of a list and their scores, in the order in which they are looked at."""
    phrases = case["lists"].get(name, [])
    scores = case.get("scores", {}).get(name, list(range(len(phrases), 0, -1)))
    forms = [_form(phrase, rules["normalise"]) for phrase in phrases]
    order = sorted(range(len(forms)), key=lambda i: (-scores[i], i))
    single = [i for i in order if " " not in forms[i]]
    if "one-word" in rules["filter"]:
        order = [i for i in order if i not in single[1:]]
    if "invalid-tokens" in rules["filter"]:
        order = [i for i in order if not re.search(r"(?:^| )(?:,|\.|<unk>)(?:$| )", forms[i])]
    if rules["ties"] == "trec":
        order = sorted(order, key=lambda i: (scores[i], forms[i].encode()), reverse=True)
    if rules["duplicates"] == "before":
        best = {forms[i]: i for i in reversed(order)}
        order = [i for i in order if best[forms[i]] == i]
    return [forms[i] for i in order], [scores[i] for i in order]


def _words(text: str, pipeline: str) -> str:
    """Return a text as one line of forms with a blank around each."""
    return " " + " ".join(_form(word, pipeline) for word in re.findall(r"\w+(?:[-']\w+)*|[^\w\s]", text)) + " "


def _text(case: dict[str, Any], name: str, rules: Mapping[str, Any]) -> str:
    title, text = case.get("titles", {}).get(name), case.get("texts", {}).get(name, "")
    return " . ".join([title, text]) if title and rules["titles"] == "yes" else text


def _universe(case: dict[str, Any], name: str, rules: Mapping[str, Any], people: Sequence[str]) -> float:
    kind = str(rules["universe"])
    if kind.isdecimal():
        return float(kind)
    every = [
        s
        for s, _ in (lambda pair: pair[0] + pair[1])(
            _gold(case, people, name, {**rules, "rel": 0, "annotators": "union"})
        )
    ]
    spelled = set().union(*every) if every else set()
    possible = {_form(phrase, rules["normalise"]) for phrase in case.get("lists", {}).get(name, [])}
    if kind == "vocabulary":
        lists = [*case["lists"].values(), *(own for one in people for own in case["gold"][one].values())]
        firsts = [entry if isinstance(entry, str) else entry[0] for own in lists for entry in own]
        return float(len({_form(phrase, rules["normalise"]) for phrase in firsts}))
    if kind.startswith("ngrams"):
        for run in re.split(r" [.,;:!?] ", _words(_text(case, name, rules), rules["normalise"])):
            words = run.split()
            for length in range(1, int(kind[7:] or 3) + 1):
                possible |= {" ".join(words[i : i + length]) for i in range(len(words) - length + 1)}
    return float(len(possible - spelled) + len(every))


def _arrays(case: dict[str, Any], rules: Mapping[str, Any], without: str | None) -> list[Arrays]:
    """Return the documents that are averaged."""
    people = [name for name in case["gold"] if name != without]
    if rules["annotators"] in case["gold"]:
        people = [rules["annotators"]]
    names = dict.fromkeys(name for person in people for name in case["gold"][person])
    if without is not None:
        names = {name: None for name in names if name in case["gold"][without]}
    every, used = list(case["gold"]), []
    for name in names:
        wanted, judged = _gold(case, people, name, rules)
        forms, scores = _list(case, name, rules)
        if side := case.get("subset", ""):
            line, want = _words(_text(case, name, rules), rules["normalise"]), side.endswith("present")
            keep = [(f" {f} " in line) == want for f in forms]
            forms, scores = ([x for x, kept in zip(own, keep, strict=True) if kept] for own in (forms, scores))
            wanted = [pair for pair in wanted if any(f" {s} " in line for s in pair[0]) == want]
        lower = [pair for pair in judged if pair[1] > 0]
        spells = np.array([[f in s for s, _ in wanted] for f in forms], bool).reshape(len(forms), len(wanted))
        below = np.array([[f in s for s, _ in lower] for f in forms], bool).reshape(len(forms), len(lower))
        listed = name in case["lists"]
        n = _universe(case, name, rules, every) if case["measure"] in TABLES else 0.0
        one = Arrays(
            forms, np.array(scores, float), spells, np.array([g for _, g in wanted]), below,
            np.array([g for _, g in lower]), listed, n, {**rules, "judged": judged},
        )  # fmt: skip
        declined = without is not None and bool(case["gold"][without][name])
        has_gold = bool(wanted) or declined or rules["empty_gold"] in ("zero", "one-if-empty")
        if (has_gold or (rules["empty_gold"] == "zero-if-judged" and judged)) and (
            listed or rules["missing"] != "skip"
        ):
            used.append(one)
    return used


def _limit(cut: Any, one: Arrays) -> int:
    n = len(one.forms)
    return {"M": n, "O": one.size, "G": max(n, one.size), None: 10**9}[cut] if not isinstance(cut, int) else cut


def _counts(cut: Any, one: Arrays) -> tuple[float, float, float]:
    """Return hits, size of gold, and denominator of precision; expected hits where ties are averaged."""
    limit, found = _limit(cut, one), _spread(one, one.found())
    returned = min(limit, len(one.forms))
    if one.rules["duplicates"] == "after":
        returned = len(set(one.forms[:limit]))
    among = {"k": returned if cut == "M" else limit, "returned": returned, "min(k,gold)": min(limit, one.size)}
    return float(found[:limit].sum()), float(one.size), float(among[one.rules["denominator"]])


def _tied(one: Arrays) -> list[NDArray[np.int64]]:
    places = range(len(one.forms))
    return [np.array(list(group)) for _, group in groupby(places, key=lambda i: one.scores[i])]


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _expected_ap(one: Arrays) -> Floats:
    """Return the expected summand of average precision at each rank (McSherry and Najork 2008)."""
    found, terms, before = one.found(), np.zeros(len(one.forms)), 0.0
    for group in _tied(one):
        t, r = len(group), found[group].sum()
        for j, place in enumerate(group, 1):
            inside = (j - 1) * (r - 1) / (t - 1) if t > 1 else 0.0
            terms[place] = r / t * (before + 1 + inside) / (place + 1)
        before += r
    return terms


def _expected_first(one: Arrays) -> Floats:
    """Return the chance that the first hit stands at each rank."""
    found, chance = one.found(), np.zeros(len(one.forms))
    for group in _tied(one):
        t, r = len(group), int(found[group].sum())
        if r:
            for j, place in enumerate(group, 1):
                chance[place] = math.comb(t - j, r - 1) / math.comb(t, r)
            break
    return chance


def _of_ranks(name: str, cut: Any, one: Arrays, largest: float) -> float:
    """Return an overlap or ranking measure of one document by closed forms over arrays."""
    if name in ("returned", "size-error"):
        number = min(_limit(cut, one), len(one.forms))
        return float(number if name == "returned" else abs(number - one.size))
    if not one.size and one.rules["gains"] != "all":
        return float(one.rules["empty_gold"] == "one-if-empty" and not one.forms)
    hits, size, denominator = _counts(cut, one)
    of_counts = {"P": _ratio(hits, denominator), "R": _ratio(hits, size), "F1": _ratio(2 * hits, denominator + size)}
    of_counts |= {"hits": hits, "Rprec": _ratio(hits, size)}
    if name in of_counts:
        return of_counts[name]
    limit = _limit(cut, one)
    rank = np.arange(1, len(one.forms) + 1)[:limit]
    if name.startswith("RBP"):
        p = float(name[6:-1] or 0.9)
        return float(((1 - p) * _spread(one, one.gains())[:limit] / (largest or 1.0) * p ** (rank - 1)).sum())
    if name.startswith("nDCG"):
        return _discounted(one, limit, exponential=name == "nDCG-exp" or one.rules["gain"] == "exp")
    if name == "bpref":
        return _bpref(one, one.found())
    if name == "MAP":
        below = {"gold": size, "min(k,gold)": min(limit, size), "hits": hits}[one.rules["ap"]]
        return _ratio(float(_precisions(one)[:limit].sum()), below)
    return _of_first_hits(name, one, rank, hits)


def _rarity(case: dict[str, Any], rules: Mapping[str, Any], k: int) -> float:
    """Return PSP of documents that all have a list: hits over the k rarest, by the sets of documents of each form."""
    asked = dict.fromkeys(name for own in case["gold"].values() for name in own)
    items = {name: _gold(case, [*case["gold"]], name, rules)[0] for name in asked}
    gold = {(name, next(iter(spelled))) for name, own in items.items() for spelled, _ in own}
    names = sorted({name for name, _ in gold})
    c = max(math.log(len(names)) - 1, 0.0) * math.exp(0.55 * math.log(2.5))
    often = Counter(form for _, form in gold)
    weight = {form: 1 + c / math.exp(0.55 * math.log(n + 1.5)) for form, n in often.items()}
    shares = []
    for name in names:
        due = {form: weight[form] for one, form in gold if one == name}
        hits = sum(due.get(form, 0.0) for form in dict.fromkeys(_list(case, name, rules)[0][:k]))
        shares.append(hits / sum(sorted(due.values(), reverse=True)[:k]))
    return _mean(shares)


def _spread(one: Arrays, values: Floats) -> Floats:
    """Return values at each rank; their mean within ties where ties are averaged."""
    if one.rules["ties"] != "expected" or not len(values):
        return values
    return np.concatenate([np.full(len(group), values[group].mean()) for group in _tied(one)])


def _precisions(one: Arrays) -> Floats:
    """Return the summands of average precision at each rank."""
    if one.rules["ties"] == "expected":
        return _expected_ap(one)
    found = one.found()
    counts = (found > 0) | ((one.rules["ap_repeats"] == "hit") & one.spells.any(axis=1))
    return np.asarray(counts * np.cumsum(found) / np.arange(1, len(found) + 1))


def _discounted(one: Arrays, limit: int, exponential: bool) -> float:
    gains = one.gains()
    ideal = np.concatenate([one.grade, one.lower_grade if one.rules["gains"] == "all" else []])
    if one.rules["ideal"] == "returned":
        ideal = gains
    if exponential:
        gains, ideal = np.exp2(gains) - 1, np.exp2(ideal) - 1
    own, best = _spread(one, gains)[:limit], -np.sort(-ideal)[:limit]
    dcg, idcg = (float((x / np.log2(np.arange(2, len(x) + 2))).sum()) for x in (own, best))
    return _ratio(dcg, idcg)


def _of_first_hits(name: str, one: Arrays, rank: Floats, hits: float) -> float:
    """Return success and reciprocal rank, from where the first hit stands."""
    found = one.found()
    alone = (found > 0) & (np.cumsum(found > 0) == 1)
    first = (_expected_first(one) if one.rules["ties"] == "expected" else alone)[: len(rank)]
    success = float(first.sum())
    if name == "success":
        return success
    every = _ratio(float((found[: len(rank)] / rank).sum()), hits)
    value = every if one.rules["rr"] == "all-hits" else float((first / rank).sum())
    length = len(set(one.forms)) if one.rules["duplicates"] == "after" else len(one.forms)
    return value + (one.rules["rr_miss"] != "0") * (1 - success) / (length + 1)


def _bpref(one: Arrays, found: Floats) -> float:
    judged = [spellings for spellings, grade in one.rules["judged"] if grade >= 0]
    if not judged:
        return NAN
    bad = np.cumsum([any(f in s for s in judged) for f in one.forms])
    above, least = np.minimum(bad, one.size), min(one.size, len(judged))
    return _ratio(float(sum(1 - u / least for u in above[found > 0])), one.size)


def _table(one: Arrays, cut: Any) -> Floats:
    """Return the cells a, b, c, d of a document."""
    new = (one.spells & (np.cumsum(one.spells, axis=0) == 1)).any(axis=1)
    kept = new | ~one.spells.any(axis=1)  # respellings of what stands above are no choices of their own
    n = int(kept.sum())
    limit = {"M": n, "O": one.size, "G": max(n, one.size)}[cut] if isinstance(cut, str) else cut
    hit = new[kept][:limit]
    matched = (one.spells[kept][:limit]).any(axis=0).sum()
    a, c = float(matched), float((~hit).sum())
    return np.array([a, one.size - a, c, one.universe - one.size - c])


def of_cells(name: str, cells: Floats) -> float:
    """Return a measure of a 2×2 table by the formulas over whole numbers."""
    a, b, c, d = (float(x) for x in cells)
    n, f1, g1 = a + b + c + d, a + b, a + c
    f2, g2, m = n - f1, n - g1, (2 * a + b + c) / (2 * n) if n else 0.0
    least = max(0.0, f1 + g1 - n)
    chance = f1 * g2 + g1 * f2
    pairs = {
        "a": (a, 1), "b": (b, 1), "c": (c, 1), "d": (d, 1), "N": (n, 1),
        "Po": (a + d, n), "Pe": (f1 * g1 + f2 * g2, n * n), "kappa": (2 * (a * d - b * c), chance),
        "kappa_max": (2 * min(f1, g1) * (n - max(f1, g1)), chance),
        "kappa_min": (2 * (least * n - f1 * g1), chance),
        "MCC": (a * d - b * c, math.sqrt(f1 * f2 * g1 * g2)), "P_pos": (2 * a, 2 * a + b + c),
        "P_neg": (2 * d, 2 * d + b + c), "PABAK": (n - 2 * (b + c), n),
        "AC1": ((a + d) / n - 2 * m * (1 - m) if n else 0.0, 1 - 2 * m * (1 - m)),
        "pi": (4 * a * d - (b + c) ** 2, (2 * a + b + c) * (2 * d + b + c)), "BI": (b - c, n), "PI": (a - d, n),
    }  # fmt: skip
    above, below = pairs[name]
    return above / below if below else NAN


def _cut(case: dict[str, Any], rules: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the measure and its cutoff."""
    name, at, written = case["measure"].partition("@")
    k: Any = {"all": "M", "gold": "O"}.get(rules["k"], rules["k"])
    if k == "average":
        plain = {**rules, "gold_list": "unique", "rel": 0, "annotators": "union"}
        sizes = [len(_gold(case, [p], d, plain)[0]) for p, own in case["gold"].items() for d in own]
        k = max(1, math.floor(sum(sizes) / len(sizes) + 0.5))
    if not at:
        return name, k if name in TABLES else {"Rprec": "O"}.get(name)
    return name, k if written == "k" else int(written) if written.isdecimal() else written


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else NAN


def formula(case: dict[str, Any], defaults: Mapping[str, Any]) -> float:
    """Return the value of a case by closed forms; NaN where it has none."""
    case, rules = _with_annotators(case), {**defaults, **case["settings"]}
    if "lists" not in case:
        return _agreement(case, rules)
    choice = str(rules["annotators"])
    if choice.startswith("others"):
        rules |= {"annotators": "majority" if choice.endswith("majority") else "union", "empty_gold": "skip"}
        return _mean([_averaged(case, rules, person) for person in case["gold"]])
    return _averaged(case, rules, None)


def _with_annotators(case: dict[str, Any]) -> dict[str, Any]:
    several = any(isinstance(own, dict) for own in case["gold"].values())
    return case if several else {**case, "gold": {"": case["gold"]}}


def _averaged(case: dict[str, Any], rules: dict[str, Any], without: str | None) -> float:
    name, cut = _cut(case, rules)
    if name in TABLES:
        rules |= {"duplicates": "before", "gold_list": "unique", "hits_as": "predictions"}
    if name in ("returned", "size-error"):
        rules |= {"duplicates": "keep"}
    used = _arrays(case, rules, without)
    if not used:
        return NAN
    if name == "PSP":
        return _rarity(case, rules, int(cut))
    if rules["average"].startswith("subject"):
        due, said = _indicators(case, rules, int(cut))
        hits = (due & said).sum(axis=0)
        below = {"P": said, "R": due, "F1": due.astype(int) + said}[name].sum(axis=0)
        values = np.divide((1 + (name == "F1")) * hits, below, out=np.zeros(len(hits)), where=below > 0)
        counted = (below > 0) | (rules["subject_empty"] == "zero")
        weight = due.sum(axis=0) if rules["average"] == "subject-weighted" else np.ones(len(hits))
        return float(np.average(values[counted], weights=weight[counted]))
    if name in TABLES:
        cells = [_table(one, cut) for one in used]
        return (
            _mean([of_cells(name, own) for own in cells]) if rules["average"] == "macro" else of_cells(name, sum(cells))
        )  # type: ignore[arg-type]
    largest = max((float(g) for one in used for g in one.grade), default=0.0)
    if name in ("P", "R", "F1") and rules["average"] in ("micro", "f-of-means"):
        if rules["average"] == "micro":
            h, g, d = np.sum([_counts(cut, one) for one in used], axis=0)
            return {"P": _ratio(h, d), "R": _ratio(h, g), "F1": _ratio(2 * h, d + g)}[name]
        p, r = (_mean([_of_ranks(part, cut, one, largest) for one in used]) for part in "PR")
        return {"P": p, "R": r, "F1": _ratio(2 * p * r, p + r)}[name]
    return _mean([_of_ranks(name, cut, one, largest) for one in used])


def _indicators(case: dict[str, Any], rules: Mapping[str, Any], cut: int) -> tuple[Any, Any]:
    """Return where subjects are due, and where they are among the first of a list: documents by subjects."""
    documents = list(case["gold"][""])
    due = [{next(iter(spelled)) for spelled, _ in _gold(case, [""], name, rules)[0]} for name in documents]
    said = [{*_list(case, name, rules)[0][:cut]} for name in documents]
    subjects = sorted(set().union(*due, *said))
    return tuple(np.array([[subject in own for subject in subjects] for own in side]) for side in (due, said))  # type: ignore[return-value]


def _agreement(case: dict[str, Any], rules: Mapping[str, Any]) -> float:
    """Return a coefficient of annotators from sizes and agreeing pairs of choices of each document."""
    if case["measure"] in ("alpha-Jaccard", "alpha-MASI"):
        return _over_sets(case, rules)
    documents = []
    for votes in _votes(case, rules):
        if rules["average"] == "macro" and case.get("row", "all") == "all" and votes.shape[1] < 2:
            continue
        documents.append(votes)
    name, row = case["measure"], case.get("row", "all")
    if row != "all":
        one, two = (list(case["gold"]).index(person) for person in row.split("|"))
        both = [v[:, [one, two]] for v in documents]
        cells = [_cells_of(v[~np.isnan(v).any(axis=1)]) for v in both]
        return (
            _mean([of_cells(name, own) for own in cells])
            if rules["average"] == "macro"
            else of_cells(name, np.sum(cells, axis=0))
        )
    several = [v for v in documents if (~np.isnan(v[0])).sum() > 1]
    if not several:
        return NAN
    if rules["average"] == "macro":
        return _mean([_coefficient(name, [v]) for v in several])
    return _coefficient(name, several)


def _over_sets(case: Mapping[str, Any], rules: Mapping[str, Any]) -> float:
    """Return alpha over label sets from one matrix of their similarities."""
    rows = [
        (document, person, [_form(one, rules["normalise"]) for one in phrases])
        for person, own in case["gold"].items()
        for document, phrases in own.items()
    ]
    people = Counter(document for document, _, _ in rows)
    rows = [row for row in rows if people[row[0]] > 1]
    forms = sorted({one for _, _, own in rows for one in own})
    table = np.array([[one in own for one in forms] for _, _, own in rows], float).reshape(len(rows), len(forms))
    size, common = table.sum(axis=1), table @ table.T
    either = size[:, None] + size - common
    alike = np.where(either > 0, common / np.where(either > 0, either, 1), 1.0)
    if case["measure"] == "alpha-MASI":
        largest, smallest = np.maximum.outer(size, size), np.minimum.outer(size, size)
        alike *= np.where(common == largest, 3, np.where(common == smallest, 2, 1)) / 3
    raters = np.array([people[document] for document, _, _ in rows], float)
    same = np.array([[a[0] == b[0] for b in rows] for a in rows], bool).reshape(len(rows), len(rows))
    observed, expected = ((1 - alike) * same / (raters - 1)[:, None]).sum(), (1 - alike).sum()
    return float(1 - (len(rows) - 1) * observed / expected) if expected > 0 else NAN


def _cells_of(votes: Floats) -> Floats:
    x, y = votes[:, 0] == 1, votes[:, 1] == 1
    return np.array([(x & y).sum(), (x & ~y).sum(), (~x & y).sum(), (~x & ~y).sum()], float)


def _votes(case: dict[str, Any], rules: Mapping[str, Any]) -> list[Floats]:
    """Return, of every document, phrases by annotators: 1 yes, 0 no, NaN where the annotator did not see it."""
    people, tables = list(case["gold"]), []
    for name in dict.fromkeys(name for own in case["gold"].values() for name in own):
        entries, who = [], []
        for number, person in enumerate(people):
            for entry in case["gold"][person].get(name, []):
                spellings = [entry] if isinstance(entry, str) else entry
                entries.append(({_form(s, rules["normalise"]) for s in spellings}, person))
                who.append(number)
        groups = _groups(entries, False)
        n = len(groups) if rules["universe"] == "rankings" else int(rules["universe"])
        table = np.zeros((n, len(people)))
        for item, group in enumerate(groups):
            table[item, [who[p] for p in group]] = 1
        table[:, [name not in case["gold"][person] for person in people]] = NAN
        tables.append(table)
    return tables


def _coefficient(name: str, tables: Sequence[Floats]) -> float:
    """Return a coefficient by the closed forms over numbers of choices C and agreeing ordered pairs Q."""
    if name == "Light":
        annotators = range(tables[0].shape[1])
        pairs = [(i, j) for i in annotators for j in annotators if i < j]
        cells = [sum(_cells_of(v[~np.isnan(v[:, p]).any(axis=1)][:, p]) for v in tables) for p in map(list, pairs)]
        return _mean([of_cells("kappa", own) for own in cells if np.sum(own)])
    sizes = []
    for v in tables:
        r, votes = (~np.isnan(v[0])).sum(), np.nansum(v, axis=1)
        sizes.append((len(v), r, votes.sum(), (votes * (votes - 1)).sum()))
    n, r, c, q = map(np.array, zip(*sizes, strict=True))
    apart, p = (2 * ((r - 1) * c - q) / (r * (r - 1))).sum() / n.sum(), (c / r).sum() / n.sum()
    if name == "alpha":
        values, ones = float((n * r).sum()), float(c.sum())
        disagreeing = (2 * ((r - 1) * c - q) / (r - 1)).sum() / values
        expected = 2 * ones * (values - ones) / (values * (values - 1))
        return 1 - disagreeing / expected if expected else NAN
    if name == "Conger":
        shares = [np.nanmean(column) for column in np.vstack(tables).T if not np.isnan(column).all()]
        chance = np.mean([s * t + (1 - s) * (1 - t) for i, s in enumerate(shares) for t in shares[:i]])
        return float((1 - apart - chance) / (1 - chance)) if chance != 1 else NAN
    halves = 2 * p * (1 - p)
    below = {"K": halves, "AC1": 1 - halves, "PABAK": 0.5, "P_pos": 2 * p, "P_neg": 2 * (1 - p)}[name]
    return float(1 - apart / below) if below else NAN


# --- somebody's program -----------------------------------------------------------------------------------------------


def published(case: dict[str, Any], defaults: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return name and answer of a published program that can do a case; None where none can."""
    case, rules = _with_annotators(case), {**defaults, **case["settings"]}
    if "lists" not in case:
        return _program_for_annotators(case, rules)
    name, cut = _cut(case, rules)
    if str(rules["annotators"]).startswith("others"):
        return None
    if name in ("kappa", "MCC"):
        return _scikit_learn(case, rules, name, cut)
    if rules["average"].startswith("subject"):
        mean = "weighted" if rules["average"] == "subject-weighted" else "macro"
        nothing = 0 if rules["subject_empty"] == "zero" else NAN
        three = precision_recall_fscore_support(
            *_indicators(case, rules, int(cut)), average=mean, zero_division=nothing
        )
        return "scikit-learn", float(three[["P", "R", "F1"].index(name)])
    averaged = rules["average"] in ("usual", "macro") or name not in ("P", "R", "F1")
    like = all(rules[key] == value for key, value in LIKE_TREC.items()) and rules["ties"] != "expected"
    wanted = (
        TREC.get(name) if cut is None or name == "Rprec" else TREC_SET.get(name) if cut == "M" else TREC_AT.get(name)
    )
    if wanted is None or not averaged or not like or (cut in ("O", "G") and name != "Rprec"):
        return None
    return _trec_eval(_arrays(case, rules, None), wanted, cut if isinstance(cut, int) else 0, rules)


def _trec_eval(used: Sequence[Arrays], wanted: str, cut: int, rules: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return the mean of trec_eval; documents without gold or list, which it does not know, are settled by the case."""
    values, asked = [], f"{wanted}.{cut}" if cut else wanted
    for one in used:
        judged = one.rules["judged"]
        if not one.size or (wanted == "bpref" and not any(grade >= 0 for _, grade in judged)):
            return None
        items = [*(f"g{i}" for i in range(one.size)), *(f"n{i}" for i in range(len(judged)))]
        grades = [int(g) for g in one.grade] + [
            int(grade) if rules["gains"] == "all" else min(0, int(grade)) for _, grade in judged
        ]
        if [float(g) for g in grades[: one.size]] != one.grade.tolist():
            return None
        run = {}
        for rank, phrase in enumerate(one.forms):
            named = [i for i in range(one.size) if one.spells[rank, i]]
            bad = [i for i, (spellings, _) in enumerate(judged) if phrase in spellings]
            names = [f"g{i}" for i in named] or [f"n{i}" for i in bad] or [f"x{rank}"]
            if len(names) > 1:
                return None
            key = names[0] if names[0] not in run else f"x{rank}"
            run[key] = float(len(one.forms) - rank)
        if not run:
            values.append(0.0)
            continue
        level = max(1, math.ceil(rules["rel"]))
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": dict(zip(items, grades, strict=True))}, {asked}, relevance_level=level
        )
        values.append(next(iter(evaluator.evaluate({"q": run})["q"].values())))
    return ("pytrec_eval", _mean(values)) if values else None


def _scikit_learn(case: dict[str, Any], rules: dict[str, Any], name: str, cut: Any) -> tuple[str, float] | None:
    """Return kappa or MCC of labels, one a phrase of the universe; None where scikit-learn's answer is by agreement."""
    rules |= {"duplicates": "before", "gold_list": "unique", "hits_as": "predictions"}
    score: Callable[[Floats, Floats], float] = cohen_kappa_score if name == "kappa" else matthews_corrcoef
    labels = []
    for one in _arrays(case, rules, None):
        a, b, c, d = map(int, _table(one, cut))
        labels.append(np.array([(1, 1)] * a + [(1, 0)] * b + [(0, 1)] * c + [(0, 0)] * d).reshape(-1, 2))
    if rules["average"] != "macro":
        labels = [np.vstack(labels)] if labels else []
    constant = [own for own in labels if not len(own) or len(set(own[:, 0])) == 1 or len(set(own[:, 1])) == 1]
    return None if constant or not labels else ("scikit-learn", _mean([score(own[:, 0], own[:, 1]) for own in labels]))


#: MASI as in NLTK 3.10.4: before, its thirds were .67 and .33.
_DISTANCES = {"alpha-Jaccard": jaccard_distance, "alpha-MASI": masi_distance}


def _nltk(case: Mapping[str, Any], rules: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return NLTK's alpha over label sets; None where it divides by 0."""
    distance = _DISTANCES[case["measure"]]
    sets = [
        (person, document, frozenset(_form(one, rules["normalise"]) for one in phrases))
        for person, own in case["gold"].items()
        for document, phrases in own.items()
    ]
    several = Counter(document for _, document, _ in sets)
    values = {own for _, document, own in sets if several[document] > 1}
    if len(values) < 2 or frozenset() in values:
        return None
    return "nltk", float(AnnotationTask(sets, distance=distance).alpha())


def _program_for_annotators(case: dict[str, Any], rules: Mapping[str, Any]) -> tuple[str, float] | None:
    if case["measure"] in _DISTANCES:
        return _nltk(case, rules)
    name, tables = case["measure"], _votes(case, rules)
    table = np.vstack(tables)
    if rules["average"] == "macro":
        return None
    if case.get("row", "all") != "all":
        pair = [list(case["gold"]).index(person) for person in case["row"].split("|")]
        both = table[:, pair][~np.isnan(table[:, pair]).any(axis=1)]
        if name != "kappa" or not len(both) or (both == both[0, 0]).all():
            return None
        return "scikit-learn", float(cohen_kappa_score(both[:, 0], both[:, 1]))
    if name == "alpha" and np.nanmin(table) != np.nanmax(table):
        return "krippendorff", float(krippendorff.alpha(table.T, level_of_measurement="nominal"))
    if name in ("K", "PABAK") and not np.isnan(table).any() and table.min() != table.max():
        counts = np.stack([(table == 0).sum(axis=1), (table == 1).sum(axis=1)], axis=1)
        return "statsmodels", float(fleiss_kappa(counts, method="fleiss" if name == "K" else "randolph"))
    return None
