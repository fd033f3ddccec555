"""Map names of columns and fields to roles."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from kp_core.corpus import Role

_HEADS = tomllib.loads(Path(__file__).with_name("headers.toml").read_text("utf-8"))
_ROLE_WORDS: dict[str, str] = _HEADS.pop("said")
_PLAIN_WORDS: dict[str, str] = _HEADS.pop("spoken")
#: Cells that mark whether a phrase was chosen.
NO, YES = (frozenset(_HEADS.pop(name).split()) for name in ("no", "yes"))
#: Letters with a stroke, which Unicode does not decompose.
_LETTERS = str.maketrans("łŁøØđĐı", "lLoOdDi")


def _without_marks(text: str) -> str:
    folded = text if text.isascii() else unicodedata.normalize("NFKD", text.translate(_LETTERS))
    letters = "".join(character for character in folded if not "\u0300" <= character <= "\u036f")
    return unicodedata.normalize("NFC", letters)


_WORDS: dict[str, tuple[str, ...]] = {role: tuple(_without_marks(words).split()) for role, words in _HEADS.items()}


def _word_sets(*names: str) -> Iterator[frozenset[str]]:
    return (frozenset(_WORDS.pop(name)) for name in names)


ANSWERS, SHELF_MARKS, REMARKS, WRITERS, _OTHERS = _word_sets("answers", "shelf_marks", "remarks", "writers", "others")
DATASETS, UNSURE, RUNS, MACHINES, SYSTEMS = _word_sets("datasets", "unsure", "runs", "machines", "systems")
KINDS, LANGUAGES, TOTALS, IDENTIFIERS = _word_sets("kinds", "languages", "totals", "identifiers")
HIGHER, LOWER = _word_sets("higher", "lower")
METRICS, METRIC_VALUES = _word_sets("metrics", "metric_values")
#: Words in the paths of gold standards and of system output; the latter may also be names of folders.
_GOLD_FILES, SYSTEM_FOLDERS = _word_sets("gold_files", "system_files")
#: Columns of bibliographic data, without and with authors.
BESIDES = ANSWERS.union(SHELF_MARKS, REMARKS, *_word_sets("besides"))
ASIDE = BESIDES | WRITERS
#: Role → words for it, most certain first.
NAMES = _WORDS | {"phrases": (*_WORDS["gold"], "keyword", *_WORDS["phrases"], *_WORDS["predictions"])}
#: Words that identify a first line as a header.
KNOWN = _OTHERS.union(*NAMES.values())
#: Names of columns of a gold standard.
GOLD = frozenset({*_WORDS["gold"], "gold_standard", "goldstandard"})
#: Words that always mean a gold standard.
GOLD_WORDS = frozenset({"gold", "gold_standard", "true", "correct", "reference", "target", "targets", "actual"})
#: Names of columns that never contain keyphrases.
NO_PHRASES = ASIDE.union(NAMES["text"], NAMES["title"], NAMES["group"])
#: Names of columns of texts and titles, which contain document ids if their cells are codes.
DOCUMENTS = frozenset({*NAMES["text"], *NAMES["title"], "reference"})
#: Words for annotators and systems, which a number may follow.
PEOPLE = frozenset({*_WORDS["annotator"], *_WORDS["system"]})
JUDGE = re.compile(r"^(?:score|annotator|rater|judge)[_ ]?(?:\d+|(.+))$", re.IGNORECASE)
#: A role in the evidence of a reading.
_ROLE = re.compile(r"\b(\w+) = (?=“)")
#: The boundary of words in camel case.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: All words of `headers.toml`.
_SPELLED = KNOWN | SYSTEMS | BESIDES
_PREFIXED = re.compile(r"^(?:dc|dcterms|dublin core|input|answer)[.:]|\[[a-z_]*\]$|^[a-z]+-(?=[\u4e00-\u9fff])")
#: German gender-inclusive endings.
_SUFFIXED = re.compile(r"(?:[/*:]-?|\()in(?:nen)?\)?$")
#: Separators of words, without and with boundaries in camel case.
_BLANKS = re.compile(r"[\s_:()/]+")
_ENDS = re.compile(r"[\s_:()/]+|(?<=[a-z])(?=[A-Z])")
#: Maximum number of characters of a name that are examined.
_HEAD = 200
#: A name with its number in the middle, such as “KW 1 (Anna)”.
_INSIDE = re.compile(r"([^\W\d]+)[\s_]*([0-9]{1,2})[\s_(:-]+([^\W\d][^()]*)\)?$")
#: The number at the end of a name, with the separators before it.
_NUMBERED = re.compile(r"(?<![\s_.#(-])[\s_.#(-]*([0-9]{1,3})\)?$")


@cache
def words_of(role: str) -> tuple[str, ...]:
    """Return the words for a role, most certain first; columns of phrases may contain phrases or lists."""
    if role == "phrase":
        return (*NAMES["phrase"], *NAMES["phrases"])
    return NAMES[role]


#: Suffix of a column without a role if KPScope uses its name.
BESIDE = " (file)"


def plain(name: str) -> str:
    """Normalize a column name for comparison, without prefixes and suffixes of Dublin Core and online forms.

    >>> plain(" Doc-ID "), plain("Schlüsselwörter:"), plain("Nr."), plain("dc.title[en_US]"), plain("keyphraseText")
    ('doc_id', 'schlusselworter', 'nr', 'title', 'keyphrase')
    """
    if name in _SPELLED:
        return name
    parts = _without_marks(name[:_HEAD]).strip().rstrip(":.")
    plain_name = re.sub(r"[\s\-]+", "_", _SUFFIXED.sub("", _PREFIXED.sub("", parts.lower())))
    if plain_name in _SPELLED or not _CAMEL.search(parts):
        return plain_name
    words = re.sub(r"[\s\-]+", "_", _CAMEL.sub("_", parts)).lower()
    return next((word for word in (words, words.rpartition("_")[0]) if word in _SPELLED), plain_name)


def roles_in_words(columns: Mapping[str, str]) -> str:
    """Return the roles of columns in words.

    >>> roles_in_words({"doc_id": "PPN", "phrase": "Begriff"})
    'doc_id = “PPN”, phrase = “Begriff”'
    """
    return ", ".join(f"{role} = “{name}”" for role, name in columns.items())


def quoted(names: Sequence[str]) -> str:
    """Return the first five names, in quotation marks.

    >>> quoted(["Anna", "Ben"])
    '“Anna”, “Ben”'
    """
    return ", ".join(f"“{name[:40]}”" for name in names[:5]) + " …" * (len(names) > 5)


def in_words(evidence: str) -> str:
    """Return the evidence of a reading without technical terms.

    >>> in_words("2 rows; doc_id = “PPN”, phrase = “Begriff”"), in_words("files named 2 .key; document = file")
    ('2 rows; documents in “PPN”, keyphrases in “Begriff”', 'files named 2 .key; each file is a document')
    """
    for code, words in _PLAIN_WORDS.items():
        evidence = evidence.replace(code, words)
    return _ROLE.sub(lambda match: f"{_ROLE_WORDS.get(match[1], match[1].removesuffix('s') + 's')} in ", evidence)


def is_known(name: str) -> bool:
    """Return whether a cell is a known name of a column."""
    return plain(name) in KNOWN or bool(JUDGE.match(name.strip()))


def is_form(heads: Iterable[str]) -> bool:
    """Recognize the columns of answers to an online form, which do not identify documents."""
    return any(plain(head) in ANSWERS for head in heads)


def role_of_path(path: str) -> Role | None:
    """Return the role that a path suggests, if any.

    >>> role_of_path("gold/yake.json"), role_of_path("runs/a.json"), role_of_path("x/biasrank"), role_of_path("a.json")
    ('system', 'system', 'system', None)
    """
    for part in reversed(path.lower().split("/")):
        words = {plain(part), *re.split(r"[^a-z]+", part)}
        if words & _GOLD_FILES:
            return "gold"
        if words & (SYSTEM_FOLDERS | SYSTEMS) or any(re.fullmatch(r"\w+rank", word) for word in words):
            return "system"
    return None


def find_roles(names: Iterable[str], roles: Iterable[str], chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return role → column for the given roles; a column has only one role, and chosen columns take precedence.

    >>> find_roles(["Doc", "Keyphrase", "Rank"], ["doc_id", "phrase", "rank", "score"])
    {'doc_id': 'Doc', 'phrase': 'Keyphrase', 'rank': 'Rank'}
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain(name), name)
    heads = {role: name for role, name in (chosen or {}).items() if name in by_plain.values()}
    for role in roles:
        if role in heads:
            continue
        fitting = next((by_plain[n] for n in NAMES[role] if n in by_plain and by_plain[n] not in heads.values()), None)
        if fitting is not None:
            heads[role] = fitting
    return heads


def is_predicted(head: str) -> bool:
    """Recognize the name of a column of predictions: a system, a word for predictions, or a numbered rank.

    >>> is_predicted("YAKE"), is_predicted("predicted_keyphrases"), is_predicted("rank1"), is_predicted("MeSH Terms")
    (True, True, True, False)
    """
    words = {plain(head), *map(plain, re.split(r"[\s_:()/-]+", head))}
    ranked = number_of(head) is not None and plain(base_of(head)) in NAMES["rank"]
    numbered = len(head.split()) == 2 and plain(head.split()[0]) in NAMES["system"]  # “Model A”
    return ranked or numbered or bool(words & {*SYSTEMS, *MACHINES, *NAMES["predictions"]})


def is_gold(head: str) -> bool:
    """Recognize the name of a column of a gold standard.

    >>> is_gold("Keywords"), is_gold("true_keyphrases"), is_gold("Keywords Anna")
    (True, True, False)
    """
    words = {*map(plain, _ENDS.split(head))}
    return plain(head) in GOLD | GOLD_WORDS or bool(words & GOLD_WORDS and words & {*words_of("phrase")})


def source_of(head: str, role: str = "phrase") -> str:
    """Return the source named in a column name: the name without its number and without words for a role.

    >>> source_of("Keywords Anna"), source_of("Ben 2"), source_of("Keyword 1"), source_of("yake_score", "score")
    ('Anna', 'Ben', '', 'yake')
    >>> source_of("Index terms Anna")
    'Anna'
    """
    base = base_of(head.removeprefix("Answer."))
    if plain(base) in GOLD or plain(base) in NAMES["rank"]:
        return ""
    if plain(base) in NAMES["doc_id"]:  # “ref no”
        return base
    role_words = {*words_of(role)}
    for ends in (_BLANKS, _ENDS):
        words = list(filter(None, ends.split(base)))
        for size in (3, 2, 1):  # “indexing terms Anna”
            starts = [i for i in range(len(words) - size + 1) if plain(" ".join(words[i : i + size])) in role_words]
            if starts:
                dropped = {start + offset for start in starts for offset in range(size)}
                return " ".join(word for index, word in enumerate(words) if index not in dropped)
    return base.strip()


def gold_beside(names: Collection[str]) -> str | None:
    """Return the column of the gold standard next to columns of systems, or None."""
    heads = [head for head in names if plain(head) not in NAMES["annotator"]]
    gold = [head for head in heads if is_gold(head)]
    systems = [head for head in heads if is_predicted(head) or (head not in gold and source_of(head) == base_of(head))]
    return gold[0] if len(gold) == 1 and len(systems) == len(names) - 1 > 0 else None


def base_of(head: str) -> str:
    """Return the name of a column without the number at its end.

    >>> base_of("KW 1 (Anna)"), base_of("Anna 1")
    ('KW Anna', 'Anna')
    """
    return _split_number(head)[0]


def number_of(head: str) -> int | None:
    """Return the number at the end of a header, if anything precedes it.

    >>> number_of("Anna 2"), number_of("kw1"), number_of("2"), number_of("Anna")
    (2, 1, None, None)
    """
    return _split_number(head)[1]


def _split_number(head: str) -> tuple[str, int | None]:
    name = head.strip()
    middle = _INSIDE.match(name[:_HEAD])  # the number precedes the name
    if middle and plain(middle[1]) in words_of("phrase"):
        name = f"{middle[1]} {middle[3].strip()} {middle[2]}"
    match = _NUMBERED.search(name)
    base = name[: match.start()].strip() if match else ""
    return (base, int(match[1])) if match and base else (head.strip(), None)


def grouped(names: Iterable[str], whole: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
    """Group columns by source; in columns of lists, a number is part of the source's name.

    >>> grouped(["Anna 1", "Anna 2", "Ben 1"]), grouped(["gpt-3", "Keywords Ben"], ["gpt-3", "Keywords Ben"])
    ({'Anna': ('Anna 1', 'Anna 2'), 'Ben': ('Ben 1',)}, {'gpt-3': ('gpt-3',), 'Ben': ('Keywords Ben',)})
    """
    groups: dict[str, tuple[str, ...]] = {}
    for name in names:
        source = source_of(name)
        is_separate = name in whole if number_of(name) is not None else source in groups
        if is_separate or plain(base_of(name)) in PEOPLE:
            source = name.strip()
        groups[source] = (*groups.get(source, ()), name)
    return groups
