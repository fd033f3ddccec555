"""Manage the settings of all pages, which the link contains: k, measure, gold standard, universe, conventions."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import Any, TypeVar, cast

import streamlit as st

import kp_core as kp
from kp_core.corpus import memoize
from kp_core.scoring.measures import of_systems
from kp_core.scoring.prepare import prepare
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.settings import CONVENTIONS, Settings, format_value
from kp_core.studies.sensitivity import GRID
from kp_core.text.stem import SNOWBALL
from kp_ui.state import link, workspace

BY_SIZE = ("average", "gold", "all")
NORMALISERS = (
    *("none", "nfkc+lower+space"),
    *(f"nfkc+lower+space+porter-{mode}" for mode in ("nltk", "original", "martin")),
    *GRID["normalise"],
    "lower+space+porter-semeval",
    *(f"nfkc+lower+space+{rule}+porter-nltk" for rule in ("possessive-drop", "hyphen-split")),
    *(f"nfkc+lower+space+snowball-{code}" for code in SNOWBALL),
    *(f"lower+space+nltk-snowball-{code}" for code in ("en", "fr")),
)
#: Conventions that users can choose, by group; a preset sets the others.
GROUPS = {
    group: tuple(name for name, card in CONVENTIONS.items() if card.group == group)
    for group in ("Matching", "Similar phrases", "Lists", "Averages", "Ranking")
}
CHOOSABLE = sum(GROUPS.values(), ())
#: Values of the settings that do not depend on the data.
_FIXED = {"k": (*BY_SIZE, *map(str, range(1, 51))), "preset": tuple(kp.PRESETS), "normalise": NORMALISERS}
_NUMERIC = {"N": "1000", "rel": "1"}
_SETTINGS = ("k", "measure", "annotators", "rel", "universe", "N", "preset", *CHOOSABLE)
#: Key in the session state of the current page; a workspace file opens this page again.
PAGE = "page"
F = TypeVar("F", bound=Callable[..., Any])
_COMMON = ("F1@k", "P@k", "R@k", "kappa", "P_pos", "PABAK", "MAP", "MRR", "nDCG@k", "Rprec")
_OF_SYSTEMS = dict.fromkeys((*_COMMON, *of_systems(vocabulary=True)))
_RANKING = tuple(name for name in _OF_SYSTEMS if kp.MEASURES[name].better == "higher")


def _of_choices(function: F) -> F:
    """Keep the results of a function of the data on screen and the choices."""

    @wraps(function)
    def kept(*arguments: Any) -> Any:
        step = f"{function.__name__} {arguments}"
        return memoize(workspace.corpus(), step, tuple(link.chosen().items()), partial(function, *arguments))

    return cast(F, kept)


def measures() -> tuple[str, ...]:
    """Return the measures that rank the systems on screen, common ones first."""
    vocabulary = workspace.corpus().vocabulary
    unavailable = set[str]() if vocabulary.has_similarities else {"semantic"}
    if not len(vocabulary.broader) or link.chosen().get("by_concept") != "yes":
        unavailable.add("hierarchy")
    return tuple(name for name in _RANKING if kp.MEASURES[name].family not in unavailable)


def options(name: str) -> tuple[str, ...]:
    """Return the values of a setting that the data on screen allow, default first; empty for a numeric setting."""
    corpus = workspace.corpus()
    if name in _FIXED:
        return _FIXED[name]
    if name == "measure":
        return measures()
    if name == "annotators":
        combinations = ("union", "majority", "intersection", "votes") if len(corpus.annotators) != 1 else ("union",)
        return (*combinations, *corpus.annotators)
    if name == "universe":
        if corpus.has_texts and names_sentences(corpus):
            return "sentences", "rankings", "number"  # n-grams cannot be sentences
        ngrams = corpus.has_texts and link.chosen().get("by_concept") != "yes"  # concepts are not phrases of a text
        from_texts = ("ngrams:3", "ngrams:5", "candidates") if ngrams else ()
        return (*from_texts, "rankings", "vocabulary", "number")
    unavailable = {"by_concept": not corpus.has_concepts, "sem_equal": not corpus.vocabulary.has_similarities}
    if unavailable.get(name):
        return ()
    return tuple(value for value in CONVENTIONS[name].values if value != "both")  # pages show one value per system


def _is_possible(name: str, text: str) -> bool:
    if name not in _NUMERIC:
        return text in options(name)
    with suppress(ValueError):
        number = float(text)
        return 0 <= number <= 10**9 and (name == "rel" or (number.is_integer() and number > 0))
    return False


@_of_choices
def chosen() -> dict[str, str]:
    """Return the chosen settings that the data on screen allow; the link also keeps the others."""
    return {name: text for name, text in link.chosen().items() if name in _SETTINGS and _is_possible(name, text)}


@_of_choices
def value(name: str) -> str:
    """Return the value of a setting: as chosen, else as in the preset, else the default."""
    default = of_preset(name) if name in CHOOSABLE else _NUMERIC.get(name) or options(name)[0]
    return chosen().get(name, default)


def saved(**additions: str) -> dict[str, str]:
    """Return the page and the parameters of the address for a workspace file, except those that identify data."""
    choices = {name: text for name, text in link.written().items() if name not in workspace.DATA}
    return choices | {PAGE: st.session_state[PAGE]} | additions


def write_link() -> None:
    """Write the choices into the address, always with k, so that the address always has parameters."""
    other_choices = {name: text for name, text in link.chosen().items() if name not in _SETTINGS}
    link.write_address({"k": value("k")} | chosen() | other_choices)


def changed() -> list[str]:
    """Return the conventions that differ from the preset."""
    return [name for name, text in chosen().items() if name in CHOOSABLE and text != of_preset(name)]


def ignored() -> dict[str, str]:
    """Return the settings in the link that the data do not allow: setting → value."""
    return {name: text for name, text in link.chosen().items() if name in _SETTINGS and name not in chosen()}


def grades_count() -> bool:
    """Return whether keyphrases have grades, so that the user can choose the lowest relevant grade."""
    return bool(workspace.corpus().gold["relevance"].notna().any()) or value("annotators") == "votes"


@_of_choices
def settings() -> Settings:
    """Return the settings of all pages, with `k` as the user chose it."""
    conventions = {name: text for name, text in chosen().items() if name in CHOOSABLE}
    universe = str(int(float(value("N")))) if value("universe") == "number" else value("universe")
    lowest_grade = {"rel": float(value("rel"))} if grades_count() else {}
    choices = {"k": value("k"), "preset": value("preset"), "annotators": value("annotators"), "universe": universe}
    return Settings().changed(**conventions | lowest_grade | choices)


def signature() -> str:
    """Return the signature of the settings, with k as the user chose it."""
    return kp.signature(resolved().changed(k=settings().k), len(workspace.corpus().documents))


def use(signature: str) -> None:
    """Apply the preset and the conventions of a signature; data, gold standard and k do not change."""
    parsed = kp.settings_from(signature)
    link.choose("preset", parsed.preset if parsed.preset != options("preset")[0] else None)
    for name in CHOOSABLE:
        text = format_value(getattr(parsed, name))
        link.choose(name, text if text != of_preset(name) else None)


@_of_choices
def resolved() -> Settings:
    """Return the settings as an evaluation of the data on screen resolves them, with k = average."""
    corpus, chosen_settings = workspace.corpus(), settings()
    return prepare(corpus, chosen_settings, k="average").settings if len(corpus.gold) else chosen_settings.changed(k=1)


def of_preset(name: str) -> str:
    """Return the value of a convention in the current preset."""
    return format_value(getattr(Settings(preset=value("preset")), name))


def cutoff_of_average() -> int:
    """Return the average gold size of the data on screen."""
    return int(resolved().k[0])


def cutoff() -> int | str:
    """Return the current cutoff: a number, gold, or all."""
    text = value("k")
    if text == "average":
        return cutoff_of_average()
    return int(text) if text.isdigit() else text
