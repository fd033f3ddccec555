"""Turn a case of the certified set into its exact value: literally from the definitions, in fractions.

Nothing of KPScope is imported. A logarithm or a root is computed with 50 digits, of which 15 are certified.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from nltk.stem.porter import PorterStemmer
from nltk.stem.snowball import SnowballStemmer

getcontext().prec = 50
#: Exact, or with 50 digits.
Number = Fraction | Decimal
ZERO, ONE = Fraction(0), Fraction(1)
#: What holds where a case does not say otherwise.
DEFAULTS: dict[str, Any] = {
    "normalise": "nfkc+lower+space+porter-nltk",
    "gold_stemmed": "no",
    "variants": "any",
    "filter": "none",
    "duplicates": "before",
    "gold_list": "unique",
    "hits_as": "predictions",
    "denominator": "k",
    "average": "usual",
    "missing": "zero",
    "empty_gold": "skip",
    "subject_empty": "casimir",
    "ties": "stable",
    "rel": 1,
    "gain": "linear",
    "gains": "relevant",
    "ap": "gold",
    "ap_repeats": "miss",
    "ideal": "gold",
    "rr": "first",
    "rr_miss": "0",
    "annotators": "union",
    "universe": "rankings",
    "titles": "yes",
    "k": "average",
}
#: Settings under which concordance tables count, whatever else is asked: distinct phrases on both sides.
OF_SETS = {"duplicates": "before", "gold_list": "unique", "hits_as": "predictions"}
CONCORDANCE = {"a", "b", "c", "d", "N", "Po", "Pe", "kappa", "kappa_max", "kappa_min", "MCC", "P_pos", "P_neg"}
CONCORDANCE |= {"PABAK", "AC1", "pi", "BI", "PI"}
LISTS = {"returned", "size-error"}


class Undefined(Exception):
    """Raised if there is no value, with the reason in one word."""


# --- which phrases are the same ---------------------------------------------------------------------------------------


def _word_by_word(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: " ".join(change(word) or word for word in text.split(" "))


def _porter(mode: str) -> Callable[[str], str]:
    return PorterStemmer(mode=getattr(PorterStemmer, mode)).stem


def _semeval(word: str) -> str:
    martin = _porter("MARTIN_EXTENSIONS")
    stem = re.sub(r"[^\W\d_]+", lambda run: martin(run.group()) or run.group(), word)
    return "data" if stem == "datum" else stem


def _stripped(text: str) -> str:
    def bare(word: str) -> str:
        while word and unicodedata.category(word[0])[0] == "P":
            word = word[1:]
        while word and unicodedata.category(word[-1])[0] == "P":
            word = word[:-1]
        return word

    return " ".join(filter(None, map(bare, text.split(" "))))


STEPS: dict[str, Callable[[str], str]] = {
    "nfkc": lambda text: unicodedata.normalize("NFKC", re.sub("[\u00ad\u200b\ufeff]", "", text)),
    "lower": str.lower,
    "space": lambda text: " ".join(text.split()),
    "hyphen-split": lambda text: " ".join(text.replace("-", " ").split()),
    "hyphen-join": lambda text: text.replace("-", ""),
    "possessive-drop": lambda text: re.sub(r"['’]s(?= |$)|(?<=s)['’](?= |$)", "", text),
    "punct-strip": _stripped,
    "sort": lambda text: " ".join(sorted(text.split(" "))),
    "porter-nltk": _word_by_word(_porter("NLTK_EXTENSIONS")),
    "porter-original": _word_by_word(_porter("ORIGINAL_ALGORITHM")),
    "porter-martin": _word_by_word(_porter("MARTIN_EXTENSIONS")),
    "porter-semeval": _word_by_word(_semeval),
    "nltk-snowball-en": _word_by_word(SnowballStemmer("english").stem),
    "nltk-snowball-fr": _word_by_word(SnowballStemmer("french").stem),
}


def form(phrase: str, pipeline: str, stemmed: bool = False) -> str:
    """Return the string by which a phrase is compared; stemmed: it is a stem already.

    >>> form("Neural  Networks", "lower+space+porter-nltk"), form("Keys", "lower+porter-nltk", stemmed=True)
    ('neural network', 'keys')
    """
    for step in pipeline.split("+") if pipeline != "none" else []:
        # Typographic hyphens are hyphens wherever a step composes characters or looks at hyphens.
        if step[:3] in ("nfk", "hyp"):
            phrase = re.sub("[‐‑−]", "-", phrase)
        if not (stemmed and ("porter" in step or "snowball" in step)):
            phrase = STEPS[step](phrase)
    return phrase


# --- one document -----------------------------------------------------------------------------------------------------


@dataclass
class Item:
    """A keyphrase of the gold standard: all its spellings, its grade, and who chose it."""

    spellings: set[str]
    grade: Fraction
    voters: set[str] = field(default_factory=set)
    weight: Number = ONE


@dataclass
class Document:
    """The data of one document that a measure needs.

    ranked    forms of the list, best first; scores beside them where they can tie
    listed    whether the system has a list; judged: items whose grade is too low
    declined  whether the annotator who is left out chose something, so that the document counts whatever the others did
    """

    ranked: list[str]
    scores: list[Fraction]
    listed: bool
    gold: list[Item]
    judged: list[Item]
    universe: int = 0
    declined: bool = False


def ranked_list(phrases: Sequence[str], scores: Sequence[Any], rules: dict[str, Any]) -> list[tuple[str, Fraction]]:
    """Return the forms of a list after filtering, tie-breaking and removal of repeats."""
    rows = [
        (form(phrase, rules["normalise"]), Fraction(str(score))) for phrase, score in zip(phrases, scores, strict=True)
    ]
    rows.sort(key=lambda row: -row[1])  # stable: equal scores stay in the order of the file
    kept, single_words = [], 0
    for phrase, score in rows:
        words = phrase.split(" ")
        single_words += len(words) == 1
        if "one-word" in rules["filter"] and len(words) == 1 and single_words > 1:
            continue
        if "invalid-tokens" in rules["filter"] and {",", ".", "<unk>"} & set(words):
            continue
        kept.append((phrase, score))
    if rules["ties"] == "trec":
        kept.sort(key=lambda row: row[0].encode(), reverse=True)
        kept.sort(key=lambda row: -row[1])
    if rules["duplicates"] == "before":
        kept = [row for place, row in enumerate(kept) if row[0] not in [above for above, _ in kept[:place]]]
    return kept


def gold_items(entries: Iterable[tuple[str, Any, Any]], rules: dict[str, Any]) -> list[Item]:
    """Return the items of (annotator, entry, grade or None): entries that share a spelling are one, unless listed."""
    items: list[tuple[Item, Counter[str]]] = []
    for annotator, entry, grade in entries:
        spellings = [entry] if isinstance(entry, str) else list(entry)
        if rules["variants"] == "first":
            spellings = spellings[:1]
        forms = {form(element, rules["normalise"], rules["gold_stemmed"] == "yes") for element in spellings}
        new = Item(forms, ONE if grade is None else Fraction(str(grade)), {annotator})
        if new.grade < rules["rel"]:
            new.voters = set()
        times = Counter({annotator: 1})
        if rules["gold_list"] == "listed":
            # what one annotator lists twice is two items; what two annotators list is one
            same = [pair for pair in items if pair[0].spellings & forms and not pair[1][annotator]][:1]
        else:
            same = [pair for pair in items if pair[0].spellings & forms]
        for item, others in same:
            new = Item(new.spellings | item.spellings, max(new.grade, item.grade), new.voters | item.voters)
            times += others
        place = items.index(same[0]) if same else len(items)
        items = [pair for pair in items if all(pair is not element for element in same)]
        items.insert(place, (new, times))
    return [item for item, _ in items]


def chosen_items(items: list[Item], seen: int, rules: dict[str, Any]) -> tuple[list[Item], list[Item]]:
    """Return the items that are the gold standard, and those that were judged not relevant."""
    kind, _, number = str(rules["annotators"]).partition(":")
    needed = {"intersection": seen, "majority": int(number or seen // 2 + 1)}.get(kind, 1)
    if kind == "votes":
        for item in items:
            item.grade = Fraction(len(item.voters))
    gold = [item for item in items if len(item.voters) >= needed and item.grade >= rules["rel"]]
    return gold, [item for item in items if not item.voters and item.grade < rules["rel"]]


@dataclass
class Row:
    """One rank of a list: keyphrases found here for the first time, whether it names one found above, and the gain."""

    found: int
    again: bool
    grade: Fraction
    below: Fraction = ZERO


def walk(ranked: Sequence[str], document: Document, rules: dict[str, Any]) -> list[Row]:
    """Return what is found at every rank; a keyphrase is found once, at its best rank."""
    rows, left = [], list(document.gold)
    lower = [item for item in document.judged if item.grade > 0] if rules["gains"] == "all" else []
    for phrase in ranked:
        named = [item for item in document.gold if phrase in item.spellings]
        new = [item for item in left if phrase in item.spellings]
        left = [item for item in left if item not in new]
        if rules["duplicates"] == "count":
            new = named
        below = [item for item in lower if phrase in item.spellings]
        lower = [item for item in lower if item not in below]
        result = len(new) if rules["hits_as"] == "gold" else min(1, len(new))
        grade = max((item.grade for item in new), default=ZERO)
        rows.append(Row(result, bool(named) and not new, grade, max((i.grade for i in below), default=ZERO)))
    return rows


def _log2(x: int) -> Decimal:
    return Decimal(x).ln() / Decimal(2).ln()


def decimal(x: Number) -> Decimal:
    return x if isinstance(x, Decimal) else Decimal(x.numerator) / Decimal(x.denominator)


def _divided(above: Number, below: Number) -> Number:
    if below == 0:
        return ZERO
    if isinstance(above, Decimal) or isinstance(below, Decimal):
        return decimal(above) / decimal(below)
    return above / below


def cutoff(k: Any, document: Document, rows: int) -> int:
    size = len(document.gold)
    return {"M": rows, "O": size, "G": max(rows, size), "": 10**9}[k] if isinstance(k, str) else int(k)


def of_document(name: str, k: Any, document: Document, rules: dict[str, Any], largest: Fraction) -> Number | None:
    """Return the value of an overlap or ranking measure for one document; None if it has none."""
    if name in LISTS:
        number = min(cutoff(k, document, len(document.ranked)), len(document.ranked))
        return Fraction(number if name == "returned" else abs(number - len(document.gold)))
    if not document.gold and rules["gains"] != "all":
        silent = rules["empty_gold"] == "one-if-empty" and not document.ranked
        return ONE if silent else ZERO
    orders = tied_orders(document) if rules["ties"] == "expected" else [document.ranked]
    values = [of_order(name, k, order, document, rules, largest) for order in orders]
    if values[0] is None:
        return None
    total: Any = sum(values, ZERO) if isinstance(values[0], Fraction) else sum(values, Decimal(0))
    return total / len(values)


def tied_orders(document: Document) -> list[list[str]]:
    """Return all orders of a list in which equal scores may change places."""
    groups: dict[Fraction, list[str]] = {}
    for phrase, score in zip(document.ranked, document.scores, strict=True):
        groups.setdefault(score, []).append(phrase)
    return [[p for group in order for p in group] for order in product(*map(permutations, groups.values()))]


def counts_at(k: Any, ranked: Sequence[str], document: Document, rules: dict[str, Any]) -> tuple[int, int, int]:
    """Return hits, gold size and the denominator of precision at a cutoff."""
    rows, size = walk(ranked, document, rules), len(document.gold)
    limit = cutoff(k, document, len(rows))
    top = ranked[:limit]
    returned = len(set(top)) if rules["duplicates"] == "after" else len(top)
    denominators = {"k": returned if k == "M" else limit, "returned": returned, "min(k,gold)": min(limit, size)}
    return sum(row.found for row in rows[:limit]), size, denominators[rules["denominator"]]


def of_order(
    name: str, k: Any, ranked: Sequence[str], document: Document, rules: dict[str, Any], largest: Fraction
) -> Number | None:
    """Return the value of one order of one list."""
    rows, size = walk(ranked, document, rules), len(document.gold)
    limit = cutoff(k, document, len(rows))
    top = list(enumerate(rows[:limit], 1))
    hits, _, denominator = counts_at(k, ranked, document, rules)
    if name.startswith("nDCG"):
        return discounted_gain(rows, limit, document, rules, name == "nDCG-exp" or rules["gain"] == "exp")
    if name in ("P", "R", "F1"):
        return overlap(name, hits, size, denominator)
    if name == "PSP":
        hit = [item.weight for item in document.gold if item.spellings & set(ranked[:limit])]
        rarest = sorted((item.weight for item in document.gold), reverse=True)[:limit]
        return decimal(sum(hit, Decimal(0))) / decimal(sum(rarest, Decimal(0)))
    if name == "Rprec":
        return _divided(Fraction(hits), Fraction(size))
    if name == "hits":
        return Fraction(hits)
    if name == "success":
        return Fraction(hits > 0)
    if name == "MRR":
        return reciprocal_rank(top, len(set(ranked)) if rules["duplicates"] == "after" else len(ranked), rules)
    if name == "MAP":
        precisions = [
            Fraction(sum(row.found for row in rows[:rank]), rank)
            for rank, row in top
            if row.found or (row.again and rules["ap_repeats"] == "hit")
        ]
        among = {"gold": size, "min(k,gold)": min(limit, size), "hits": hits}[rules["ap"]]
        return _divided(sum(precisions, ZERO), Fraction(among))
    if name == "bpref":
        return preference(ranked, rows, document)
    p = persistence(name)
    gains = [(rank, row.grade or row.below) for rank, row in top]
    return (1 - p) * sum((gain / (largest or ONE) * p ** (rank - 1) for rank, gain in gains), ZERO)


def persistence(name: str) -> Fraction:
    """Return p of RBP, the only measure for which `of_order` has no condition."""
    if not name.startswith("RBP"):
        raise NotImplementedError(f"no formula for {name}: add it to of_order, or to CONCORDANCE and of_table")
    return Fraction(name.partition("=")[2].rstrip(")") or "0.9")


def weigh(found: Sequence[Document]) -> None:
    """Give each keyphrase its inverse propensity (Jain, Prabhu & Varma 2016): in n of N documents it is due."""
    a, b, every = Decimal("0.55"), Decimal("1.5"), Decimal(len(found))
    c = max(every.ln() - 1, Decimal(0)) * (b + 1) ** a
    for item in (item for document in found for item in document.gold):
        n = sum(any(item.spellings & other.spellings for other in document.gold) for document in found)
        item.weight = 1 + c * (n + b) ** -a


def overlap(name: str, hits: int, size: int, denominator: int) -> Number:
    """Return precision, recall or their harmonic mean from counts; 0 if the denominator is 0."""
    precision, recall = _divided(Fraction(hits), Fraction(denominator)), _divided(Fraction(hits), Fraction(size))
    return {"P": precision, "R": recall, "F1": _divided(Fraction(2 * hits), Fraction(denominator + size))}[name]


def reciprocal_rank(top: list[tuple[int, Row]], length: int, rules: dict[str, Any]) -> Fraction:
    """Return 1 / rank of the first hit, or the mean over all hits; what a miss is worth by the convention."""
    ranks = [Fraction(1, rank) for rank, row in top for _ in range(row.found)]
    if not ranks:
        return Fraction(1, length + 1) if rules["rr_miss"] == "1/(n+1)" else ZERO
    return sum(ranks, ZERO) / len(ranks) if rules["rr"] == "all-hits" else ranks[0]


def discounted_gain(
    rows: list[Row], limit: int, document: Document, rules: dict[str, Any], exponential: bool
) -> Number:
    """Return the discounted gain of a list over that of the ideal ranking."""
    every = document.gold + [item for item in document.judged if item.grade > 0 and rules["gains"] == "all"]
    grades = [row.grade or row.below for row in rows]
    best = [item.grade for item in every] if rules["ideal"] == "gold" else grades

    def total(gained: Sequence[Fraction]) -> Decimal:
        gains = [Decimal(2) ** decimal(grade) - 1 if exponential else decimal(grade) for grade in gained[:limit]]
        return sum((gain / _log2(rank + 1) for rank, gain in enumerate(gains, 1)), Decimal(0))

    return _divided(total(grades), total(sorted(best, reverse=True)))


def preference(ranked: Sequence[str], rows: list[Row], document: Document) -> Fraction | None:
    """Return bpref; None if nothing was judged not relevant."""
    negatives = [item for item in document.judged if item.grade >= 0]
    if not negatives:
        return None
    total, size = ZERO, len(document.gold)
    for place, row in enumerate(rows):
        if row.found:
            above = sum(any(phrase in item.spellings for item in negatives) for phrase in ranked[:place])
            total += 1 - Fraction(min(above, size), min(size, len(negatives)))
    return _divided(total, Fraction(size))  # type: ignore[return-value]


# --- concordance tables: every phrase of the universe, one by one -----------------------------------------------------


def decisions(k: Any, document: Document) -> list[tuple[bool, bool]]:
    """Return (in the gold standard, in the list) for every phrase that could have been chosen."""
    ranked = []
    for phrase in document.ranked:  # a further spelling of a keyphrase that stands above is the same choice again
        names = [number for number, item in enumerate(document.gold) if phrase in item.spellings]
        above = [n for p in ranked for n, item in enumerate(document.gold) if p in item.spellings]
        if not names or set(names) - set(above):
            ranked.append(phrase)
    top = ranked[: cutoff(k, document, len(ranked))]
    pairs = [(True, any(p in item.spellings for p in top)) for item in document.gold]
    pairs += [(False, True) for p in top if not any(p in item.spellings for item in document.gold)]
    return pairs + [(False, False)] * (document.universe - len(pairs))


def of_table(name: str, pairs: Sequence[tuple[bool, bool]]) -> Number:
    """Return a measure of two columns of yes and no; raises Undefined with the reason."""
    cells = Counter(pairs)
    a, b, c, d = (cells[one] for one in ((True, True), (True, False), (False, True), (False, False)))
    n = len(pairs)
    if name in "abcdN":
        return Fraction({"a": a, "b": b, "c": c, "d": d, "N": n}[name])
    if n == 0:
        raise Undefined("no_items")
    yes = [Fraction(sum(pair[side] for pair in pairs), n) for side in (0, 1)]
    observed = Fraction(sum(one == two for one, two in pairs), n)
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    mean = sum(yes, ZERO) / 2
    below: Number = ONE
    above: Number
    if name == "MCC":
        root = (yes[0] * (1 - yes[0]) * yes[1] * (1 - yes[1])) * n**4
        above, below = Decimal(a * d - b * c), Decimal(int(root)).sqrt()
    elif name in ("kappa_max", "kappa_min"):
        # all tables with these two sums, the best and the worst of them
        possible = [
            Fraction(both + n - (a + b) - (a + c) + both, n) for both in range(n + 1) if _fits(both, a, b, c, n)
        ]
        extreme = max(possible) if name == "kappa_max" else min(possible)
        above, below = extreme - chance, 1 - chance
    else:
        formulas: dict[str, tuple[Fraction, Fraction]] = {
            "Po": (observed, ONE),
            "Pe": (chance, ONE),
            "kappa": (observed - chance, 1 - chance),
            "P_pos": (Fraction(a), Fraction(a + b + a + c, 2)),
            "P_neg": (Fraction(d), Fraction(b + d + c + d, 2)),
            "PABAK": (observed - Fraction(1, 2), Fraction(1, 2)),
            "AC1": (observed - 2 * mean * (1 - mean), 1 - 2 * mean * (1 - mean)),
            "pi": (observed - mean**2 - (1 - mean) ** 2, 1 - mean**2 - (1 - mean) ** 2),
            "BI": (yes[0] - yes[1], ONE),
            "PI": (Fraction(a - d, n), ONE),
        }
        above, below = formulas[name]
    if below == 0:
        raise Undefined(_reason(a, b, c, d))
    return _divided(above, below)


def _fits(both: int, a: int, b: int, c: int, n: int) -> bool:
    return both <= a + b and both <= a + c and a + b + a + c - both <= n


def _reason(a: int, b: int, c: int, d: int) -> str:
    if a + b + c == 0:
        return "both_empty"
    if b + c + d == 0:
        return "all_yes"
    if a + b == 0:
        return "gold_empty"
    if a + c == 0:
        return "system_empty"
    return "constant_yes"


# --- a case -----------------------------------------------------------------------------------------------------------


def split_name(measure: str, k: Any) -> tuple[str, Any]:
    """Return a measure and its cutoff: a number, M, O, G, or none.

    >>> split_name("F1@5", 10), split_name("MAP", 10), split_name("P@k", 3), split_name("kappa", 2)
    (('F1', 5), ('MAP', ''), ('P', 3), ('kappa', 2))
    """
    name, at, written = measure.partition("@")
    if name == "Rprec":
        return name, "O"
    if not at:
        return name, k if name in CONCORDANCE else ""
    return name, k if written == "k" else int(written) if written.isdecimal() else written


def several_annotators(gold: dict[str, Any]) -> bool:
    """Return whether a gold standard is {annotator: {document: [...]}}."""
    return any(isinstance(lists, dict) for lists in gold.values())


def tokens(text: str) -> list[str]:
    """Return the words of the plain texts of the cases, and their punctuation marks."""
    return re.findall(r"\w+(?:[-']\w+)*|[^\w\s]", text)


def whole_text(case: dict[str, Any], name: str, rules: dict[str, Any]) -> str:
    """Return the text of a document, with its title by the convention."""
    title = case.get("titles", {}).get(name, "")
    text: str = case.get("texts", {}).get(name, "")
    return f"{title} . {text}" if title and rules["titles"] == "yes" else text


def stands_in(spellings: Iterable[str], text: str, rules: dict[str, Any]) -> bool:
    """Return whether a phrase, in any spelling, occurs in a text, word by word."""
    words = [form(word, rules["normalise"]) for word in tokens(text)]
    wanted = [phrase.split(" ") for phrase in spellings]
    return any(words[i : i + len(item)] == item for item in wanted for i in range(len(words)))


def size_of_universe(name: str, case: dict[str, Any], own: list[Item], ranked: list[str], rules: dict[str, Any]) -> int:
    """Return N of one document: how many phrases could have been chosen."""
    kind = str(rules["universe"])
    if kind.isdecimal():
        return int(kind)
    if kind == "vocabulary":
        firsts = {form(e if isinstance(e, str) else e[0], rules["normalise"]) for e in _all_entries(case)}
        lists = case["lists"].values()
        return len(firsts | {form(phrase, rules["normalise"]) for phrases in lists for phrase in phrases})
    possible = set(ranked)
    if kind.startswith("ngrams"):
        run: list[str] = []
        for token in [*tokens(whole_text(case, name, rules)), "."]:
            if token[0].isalnum():
                run.append(form(token, rules["normalise"]))
                continue
            longest = int(kind.partition(":")[2] or 3)
            possible |= {" ".join(run[i:j]) for i, j in combinations(range(len(run) + 1), 2) if j - i <= longest}
            run = []
    # a keyphrase is one thing, however many spellings it has
    spelled = {phrase for item in own for phrase in item.spellings}
    return len(possible - spelled) + len(own)


def _all_entries(case: dict[str, Any]) -> Iterable[Any]:
    lists = case["gold"].values()
    every = [part for item in lists for part in item.values()] if several_annotators(case["gold"]) else list(lists)
    return [entry for part in every for entry in part]


def documents(case: dict[str, Any], rules: dict[str, Any], without: str | None = None) -> dict[str, Document]:
    gold = case["gold"] if several_annotators(case["gold"]) else {"": case["gold"]}
    grades, result = case.get("grades", {}), dict[str, Document]()
    people = [name for name in gold if name != without]
    if rules["annotators"] in gold:
        people = [rules["annotators"]]
    names = list(dict.fromkeys(name for person in people for name in gold[person]))
    for name in names:
        if without is not None and name not in gold[without]:
            continue

        def entries(of: list[str], name: str = name) -> list[tuple[str, Any, Any]]:
            part = [(person, entry) for person in of for entry in gold[person].get(name, [])]
            firsts = [entry if isinstance(entry, str) else entry[0] for _, entry in part]
            return [(p, e, grades.get(name, {}).get(f)) for (p, e), f in zip(part, firsts, strict=True)]

        phrases = case["lists"].get(name, [])
        scores = case.get("scores", {}).get(name, [-rank for rank in range(len(phrases))])
        rows = ranked_list(phrases, scores, rules)
        items = gold_items(entries(people), rules)
        seen = sum(name in gold[person] for person in people)
        wanted, judged = chosen_items(items, seen, rules)
        every = gold_items(entries(list(gold)), rules | {"gold_list": "unique"})
        forms = [form(phrase, rules["normalise"]) for phrase in phrases]
        universe = size_of_universe(name, case, every, forms, rules)
        if subset := case.get("subset", "").partition(":")[2]:
            text, present = whole_text(case, name, rules), subset == "present"
            rows = [row for row in rows if stands_in([row[0]], text, rules) == present]
            wanted = [item for item in wanted if stands_in(item.spellings, text, rules) == present]
        ranked, tied = [row[0] for row in rows], [row[1] for row in rows]
        declined = without is not None and bool(gold[without][name])
        result[name] = Document(ranked, tied, name in case["lists"], wanted, judged, universe, declined)
    return result


def counts(document: Document, rules: dict[str, Any]) -> bool:
    """Return whether a document is averaged, by the rules for missing lists and empty gold standards."""
    if rules["missing"] == "skip" and not document.listed:
        return False
    judged = rules["empty_gold"] == "zero-if-judged" and bool(document.judged)
    return bool(document.gold) or document.declined or judged or rules["empty_gold"] in ("zero", "one-if-empty")


def mean(values: Sequence[Number]) -> Number:
    if any(isinstance(value, Decimal) for value in values):
        return sum(map(decimal, values), Decimal(0)) / len(values)
    return sum(values, ZERO) / len(values)


def mean_size(case: dict[str, Any], rules: dict[str, Any]) -> int:
    """Return the mean number of keyphrases that an annotator gave a document, rounded half up: the default cutoff."""
    gold = case["gold"] if several_annotators(case["gold"]) else {"": case["gold"]}
    sizes = [
        len(gold_items([("", e, None) for e in part], rules | OF_SETS))
        for item in gold.values()
        for part in item.values()
    ]
    return max(1, int(Fraction(sum(sizes), len(sizes)) + Fraction(1, 2)))


def exact(case: dict[str, Any]) -> Number:
    """Return the value of a case; raises Undefined if it has none."""
    rules = DEFAULTS | case["settings"]
    if "lists" not in case:
        return of_annotators(case["measure"], case, rules)
    if str(rules["annotators"]).startswith("others"):
        union = {"annotators": "majority" if "majority" in rules["annotators"] else "union", "empty_gold": "skip"}
        every = [averaged(case, rules | union, without) for without in case["gold"]]
        return mean(every)
    return averaged(case, rules)


def measure_and_cutoff(case: dict[str, Any], rules: dict[str, Any]) -> tuple[str, Any]:
    """Return the measure of a case and its cutoff, as `split_name` does."""
    k = mean_size(case, rules) if rules["k"] == "average" else rules["k"]
    return split_name(case["measure"], {"all": "M", "gold": "O"}.get(k, k))


def averaged(case: dict[str, Any], rules: dict[str, Any], without: str | None = None) -> Number:
    name, k = measure_and_cutoff(case, rules)
    tables = name in CONCORDANCE
    # Lists are looked at as they were returned, with their repeats.
    rules = rules | (OF_SETS if tables else {"duplicates": "keep"} if name in LISTS else {})
    result = documents(case, rules, without)
    largest = max((item.grade for document in result.values() for item in document.gold), default=ZERO)
    used = [document for document in result.values() if counts(document, rules)]
    if name == "PSP":
        weigh(list(result.values()))
    if not used:
        raise Undefined("no_documents")
    average = rules["average"]
    if average.startswith("subject"):
        return of_subjects(name, k, used, rules)
    if tables and average != "macro":
        return of_table(name, [pair for document in used for pair in decisions(k, document)])
    if tables:
        return mean_of_defined([lambda one=one: of_table(name, decisions(k, one)) for one in used])
    if name in ("P", "R", "F1") and average == "micro":
        every = [counts_at(k, document.ranked, document, rules) for document in used]
        return overlap(name, *map(sum, zip(*every, strict=True)))
    if name == "F1" and average == "f-of-means":
        p, r = (mean([of_document(one, k, document, rules, largest) for document in used]) for one in "PR")  # type: ignore[misc]
        return _divided(2 * p * r, p + r)  # type: ignore[operator]
    values = [of_document(name, k, document, rules, largest) for document in used]
    defined = [value for value in values if value is not None]
    if not defined:
        raise Undefined("no_judged_negatives")
    return mean(defined)


def of_subjects(name: str, k: int, used: Sequence[Document], rules: dict[str, Any]) -> Number:
    """Return the mean over subjects, which are the distinct keyphrases and phrases of the lists up to k."""
    result, suggested, due = Counter[str](), Counter[str](), Counter[str]()
    for document in used:
        subject = {spelling: min(item.spellings) for item in document.gold for spelling in item.spellings}
        due.update(set(subject.values()))
        for entry in document.ranked[:k]:
            suggested[subject.get(entry, entry)] += 1
            result[subject.get(entry, entry)] += entry in subject
    above, below = ZERO, ZERO
    for entry in suggested | due:
        sides = {"P": suggested[entry], "R": due[entry], "F1": suggested[entry] + due[entry]}[name]
        weight = due[entry] if rules["average"] == "subject-weighted" else 1
        if sides or rules["subject_empty"] == "zero":
            above += weight * (Fraction((1 + (name == "F1")) * result[entry], sides) if sides else ZERO)
            below += weight
    return above / below


def mean_of_defined(each: Sequence[Callable[[], Number]]) -> Number:
    """Return the mean of those that have a value; the most frequent reason if none has."""
    values, reasons = [], Counter[str]()
    for item in each:
        try:
            values.append(item())
        except Undefined as why:
            reasons[str(why)] += 1
    if not values:
        raise Undefined(max(sorted(reasons), key=reasons.__getitem__))
    return mean(values)


# --- annotators -------------------------------------------------------------------------------------------------------


def decisions_of_annotators(case: dict[str, Any], rules: dict[str, Any]) -> list[list[dict[str, bool]]]:
    """Return {annotator: yes or no} of every phrase of the universe, by document."""
    by_document = []
    every = list(dict.fromkeys(name for part in case["gold"].values() for name in part))
    for document in every:
        seen = [person for person in case["gold"] if document in case["gold"][person]]
        entries = [(person, entry, None) for person in seen for entry in case["gold"][person][document]]
        items = gold_items(entries, rules | OF_SETS)
        n = len(items) if rules["universe"] == "rankings" else int(rules["universe"])
        chosen = [{person: person in item.voters for person in seen} for item in items]
        by_document.append(chosen + [dict.fromkeys(seen, False)] * (n - len(items)))
    return by_document


def of_annotators(name: str, case: dict[str, Any], rules: dict[str, Any]) -> Number:
    """Return the agreement of annotators over every phrase of the universe of every document."""
    if name in SETS:
        return over_label_sets(SETS[name], case, rules)
    people, by_document = list(case["gold"]), decisions_of_annotators(case, rules)
    row = case.get("row", "all")
    if row != "all":
        one, two = row.split("|")
        by_document = [[{p: d[p] for p in (one, two)} for d in own if one in d and two in d] for own in by_document]
        tables = [[(d[one], d[two]) for d in own] for own in by_document if own]
        if rules["average"] == "macro":
            return mean_of_defined([lambda own=own: of_table(name, own) for own in tables])
        return of_table(name, [pair for own in tables for pair in own])
    several = [[d for d in own if len(d) > 1] for own in by_document]
    several = [own for own in several if own]
    if not several:
        raise Undefined("single_annotator")
    if rules["average"] == "macro":
        return mean_of_defined([lambda own=own: together(name, own, people) for own in several])
    return together(name, [decision for own in several for decision in own], people)


def together(name: str, units: list[dict[str, bool]], people: Sequence[str]) -> Number:
    """Return a coefficient of several annotators; units: {annotator: yes or no} of every phrase."""
    if name == "Light":
        pairs = [[(u[a], u[b]) for u in units if a in u and b in u] for a, b in combinations(people, 2)]
        return mean_of_defined([lambda own=own: of_table("kappa", own) for own in pairs if own])
    if name == "alpha":
        return krippendorff(units)
    apart = mean([mean([Fraction(u[a] != u[b]) for a, b in combinations(u, 2)]) for u in units])
    yes = mean([mean([Fraction(item) for item in u.values()]) for u in units])
    if name == "Conger":
        shares = [[Fraction(u[person]) for u in units if person in u] for person in people]
        means = [mean(own) for own in shares if own]
        chance = mean([p * q + (1 - p) * (1 - q) for p, q in combinations(means, 2)])  # type: ignore[operator]
        above, below = 1 - apart - chance, 1 - chance  # type: ignore[operator]
    else:
        above, below = {
            "K": (2 * yes * (1 - yes) - apart, 2 * yes * (1 - yes)),  # type: ignore[operator]
            "AC1": (1 - 2 * yes * (1 - yes) - apart, 1 - 2 * yes * (1 - yes)),  # type: ignore[operator]
            "PABAK": (1 - 2 * apart, ONE),
            "P_pos": (yes - apart / 2, yes),  # type: ignore[operator]
            "P_neg": (1 - yes - apart / 2, 1 - yes),  # type: ignore[operator]
        }[name]
    if below == 0:
        raise Undefined("both_empty" if yes == 0 else "all_yes")
    return above / below  # type: ignore[operator]


def of_jaccard(one: frozenset[str], two: frozenset[str]) -> Fraction:
    """Return the distance of two label sets, 0 of two empty ones."""
    return 1 - Fraction(len(one & two), len(one | two)) if one | two else ZERO


def of_masi(one: frozenset[str], two: frozenset[str]) -> Fraction:
    """Return the distance of Passonneau 2006: the same for equal sets, less alike for a part, and for an overlap."""
    monotone = Fraction(3 if one == two else 2 if one <= two or two <= one else 1, 3)
    return 1 - monotone * (1 - of_jaccard(one, two))


SETS = {"alpha-Jaccard": of_jaccard, "alpha-MASI": of_masi}


def over_label_sets(
    distance: Callable[[frozenset[str], frozenset[str]], Fraction], case: dict[str, Any], rules: dict[str, Any]
) -> Fraction:
    """Return alpha whose values are the sets that people chose: every pair of sets, one by one."""
    units = []
    for document in dict.fromkeys(name for part in case["gold"].values() for name in part):
        chosen = [part[document] for part in case["gold"].values() if document in part]
        sets = [frozenset(form(phrase, rules["normalise"]) for phrase in phrases) for phrases in chosen]
        units += [sets] if len(sets) > 1 else []
    values = [item for unit in units for item in unit]
    if not units:
        raise Undefined("single_annotator")
    observed = sum((Fraction(distance(a, b), len(unit) - 1) for unit in units for a, b in permutations(unit, 2)), ZERO)
    expected = sum((distance(a, b) for a, b in permutations(values, 2)), ZERO)
    if not expected:
        raise Undefined("one_set" if any(values) else "both_empty")
    return 1 - observed * (len(values) - 1) / expected


def krippendorff(units: list[dict[str, bool]]) -> Fraction:
    """Return alpha from its coincidence matrix."""
    coincidences: Counter[tuple[bool, bool]] = Counter()
    for u in units:
        for a, b in permutations(u, 2):
            coincidences[u[a], u[b]] += Fraction(1, len(u) - 1)  # type: ignore[assignment]
    of = {value: coincidences[value, True] + coincidences[value, False] for value in (True, False)}
    n = of[True] + of[False]
    if not of[True] * of[False]:
        raise Undefined("both_empty" if not of[True] else "all_yes")
    expected = Fraction(2 * of[True] * of[False]) / (n * (n - 1))
    return 1 - Fraction(2 * coincidences[True, False]) / n / expected


def printed(case: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the value as the certified set writes it, a fraction or 15 digits, and the reason if it has none."""
    try:
        value = exact(case)
    except Undefined as why:
        return None, str(why)
    return (str(value), None) if isinstance(value, Fraction) else (f"{value:.15g}", None)
