"""Draw the bar of every page, one line that reads as a sentence: the data, k, measure, gold standard, rules, share."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import streamlit as st

import kp_core as kp
from kp_core.scoring.runs import runs_of
from kp_core.settings import FIELDS, in_words, question
from kp_ui.parts import saving
from kp_ui.state import click, link, settings, workspace
from kp_ui.widgets import controls, prose, show

#: What may stand on the bar, besides the data.
Acts = Literal["k", "measure", "gold", "rules"]
EVERY: tuple[Acts, ...] = ("k", "measure", "gold", "rules")


def draw(acts: Sequence[Acts], turn: Callable[[int], None]) -> None:
    """Draw the bar with what acts on the page; on a telephone all but k and measure unfolds.

    turn: what a clicker does on a presented page, a step on or back
    """
    drawn: dict[Acts, Callable[[], None]] = {"k": cutoff, "measure": _measure, "gold": _gold, "rules": _rules}
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="xsmall"):
        if link.presented():
            drawn = {name: drawn[name] for name in EVERY[:2]}
        else:
            _data()
            controls.upload("Drop your files here", "beside", saving.take_anywhere, folded=True)
        for part in (drawn[name] for name in drawn if name in acts):
            part()
        _present(turn) if link.presented() else _share()
        st.html("<details><summary>More</summary></details>", width="content")
    for name, text in settings.ignored().items():
        used = settings.value(name)
        st.warning(show.plain(f"The link asks for {name} = {text}, which is no choice here; {used} is used."))


def _data() -> None:
    """Say which data are on screen; behind it the samples, the data sets and the file that keeps all."""
    here, own = workspace.whole(), workspace.uploads()
    corpus, systems = here.corpus, runs_of(here.corpus.systems)
    runs = corpus.systems if len(systems) < len(corpus.systems) else []
    say = workspace.speech()
    sides = {"data set": corpus.datasets, say["document"]: corpus.documents, say["annotator"]: corpus.annotators}
    sides |= {"system": systems, "run": runs}
    counts = [show.counted(len(side), name) for name, side in sides.items() if len(side)]
    name = "Sample" if here.sample is not None else here.title[:1].upper() + here.title[1:]
    told = [counts[0], *counts[-1:]] if counts[1:] else counts
    label = " · ".join([f"**{show.plain(name)}**", *told])
    with controls.folded(label, icon=":material/database:", type="tertiary", key="data on screen"):
        title = f"{here.title[:1].upper()}{here.title[1:]}"
        show.small(f"{title}: {', '.join(counts)}." if here.sample is None and counts else f"{title}.")
        if corpus.datasets:
            controls.select("Data set", [workspace.EVERY, *corpus.datasets], workspace.DATASET)
        if here.sample is None:
            controls.button("Back to the sample", "back_to_sample", workspace.open_sample, workspace.FIRST)
        elif own.files and not workspace.problem():
            controls.button("Back to your files", "back_to_files", workspace.open_uploads, own)
        for sample, one in workspace.SAMPLES.items():
            if sample != here.sample:
                controls.button(one.title, f"open {sample}", workspace.open_sample, sample, type="tertiary")
        saving.button("save")
        if own.files:
            label, icon = "Forget my files", ":material/delete:"
            controls.button(label, "forget", workspace.forget, icon=icon, help=prose.helps("forget"))


def cutoff(width: int = 130) -> None:
    """Draw k as a slider; behind its words a field to type it, and the cutoffs that follow the gold standard."""
    now, used = settings.value("k"), settings.cutoff()
    wanted = min(used, 50) if isinstance(used, int) else settings.cutoff_of_average()
    controls.keep("k", wanted, partial(_take, "k"))
    st.html('<span class="kp-k">k</span>', width="content")
    st.slider("k", 1, 50, key="k", width=width, label_visibility="collapsed")
    words = f"= **{in_words('k', now)}**" if now in settings.BY_SIZE else f"= **{now}**"
    with controls.folded(words, type="tertiary", key="k in words"):
        controls.keep("k typed", wanted, partial(_take, "k typed"))
        st.number_input(question("k"), 1, 50, key="k typed", help=prose.helps("k"))
        controls.keep("k by size", now if now in settings.BY_SIZE else None, partial(_take, "k by size"))
        sizes = partial(in_words, "k")
        st.pills("Cutoffs that follow the gold standard", settings.BY_SIZE, format_func=sizes, key="k by size")


def _take(key: str) -> None:
    chosen = st.session_state[key]
    link.choose("k", str(st.session_state["k"] if chosen is None else chosen))


def _measure() -> None:
    now = settings.value("measure")
    with controls.folded(f"**{show.plain(show.head(now))}**", type="tertiary", key="measure in words"):
        controls.pick(question("measure"), settings.options("measure"), "measure", show.head)
        st.markdown(show.meanings([now]))


def _gold() -> None:
    now = settings.value("annotators")
    words = f"keyphrases of **{show.plain(prose.value('annotators', now))}**"
    with controls.folded(words, type="tertiary", key="gold in words"):
        values = settings.options("annotators")
        controls.pick(question("annotators"), values, "annotators", partial(in_words, "annotators"))
        show.about("help.annotators")
        if settings.grades_count():
            more = controls.held("rel", 1.0, lambda _: float(settings.value("rel")))
            st.number_input(question("rel"), 0.0, 1e9, step=1.0, format="%g", **more)


def _rules() -> None:
    """Draw the preset, what it does otherwise than KPScope, and every convention, the changed ones first."""
    preset, changed = settings.value("preset"), settings.changed()
    number = f" + {len(changed)}" if changed else ""
    label = f"rules **{show.plain(in_words('preset', preset))}{number}**"
    place = st.popover(label, type="tertiary", key="rules", on_change=click.does(link.stay), width="content")
    if not place.open:
        return
    with show.once_open(place):
        _choose("preset", settings.options("preset"), settings.options("preset")[0], question("preset"))
        show.small(f"{kp.PRESETS[preset].source}.")
        if note := kp.PRESETS[preset].note:
            show.small(f"{note[:1].upper()}{note[1:]}.")
        if changed:
            label = f"Take back {show.counted(len(changed), 'change')}"
            controls.button(label, "conventions_back", _take_back, icon=":material/undo:")
            for name in changed:
                _convention(name, changed=True)
        for group, names in settings.GROUPS.items():
            with st.expander(group):
                if group == "Matching":
                    _universe()
                for name in names:
                    if name not in changed and settings.options(name):
                        _convention(name, changed=False)


def _convention(name: str, changed: bool) -> None:
    says, values = settings.of_preset(name), settings.options(name)
    beside = f" (the preset: {show.plain(in_words(name, says))})" * changed
    options = values if says in values else (says, *values)
    _choose(name, options, says, f"{question(name)}{beside}", show.plain(FIELDS[name].meaning))


def _universe() -> None:
    values = settings.options("universe")
    _choose("universe", values, values[0], question("universe"))
    if settings.value("universe") == "number":
        more = controls.held("N", 1000, lambda _: int(float(settings.value("N"))))
        st.number_input(question("N"), 1, 10**9, **more)


def _choose(name: str, values: Sequence[str], usual: str, label: str, about: str = "") -> None:
    more = controls.held(name, usual, controls.among(values))
    st.selectbox(label, values, format_func=partial(in_words, name), help=about or prose.helps(name), **more)


def _take_back() -> None:
    for name in settings.CONVENTIONS:
        link.choose(name, None)


def _share() -> None:
    """Offer the link of this page with all its choices, and to present the page."""
    stay = click.does(link.stay)
    place = st.popover("Share", type="tertiary", icon=":material/link:", key="share", on_change=stay)
    if place.open:
        with show.once_open(place):
            st.code(link.address(), language=None, wrap_lines=True)
            st.caption("The link holds page and settings, not the data: others see the sample, or load the same files.")
    controls.button(
        "", "present", link.choose, "present", "true", type="tertiary", icon=":material/slideshow:", help="Present"
    )


def _present(turn: Callable[[int], None]) -> None:
    """Offer steps on and back, by arrows and by the keys of a clicker, and the end of presenting."""
    for label, keys, step in (("Back", ("Left", "PageUp"), -1), ("Next", ("Right", "PageDown"), 1)):
        for key in keys:  # a button has one key, so each has a second one that nobody sees
            controls.button(label, f"turn {key}", turn, step, type="tertiary", shortcut=key)
    controls.button("End presenting", "present", link.choose, "present", None, type="tertiary", shortcut="Esc")
