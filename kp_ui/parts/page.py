"""Open a page: draw its bar, check its required data, and draw its tabs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import streamlit as st

import kp_core as kp
from kp_core.reading.rows.sense import refuse_apart
from kp_core.scoring.runs import runs_of
from kp_core.settings import CONVENTIONS, in_words, question
from kp_ui.parts import saving
from kp_ui.state import cached, kept, link, settings, workspace
from kp_ui.widgets import controls, prose, show

#: Controls of the bar, besides the data.
Acts = Literal["k", "measure", "gold", "conventions"]
EVERY: tuple[Acts, ...] = ("k", "measure", "gold", "conventions")


#: Requirements of a page that works without data.
NOTHING: dict[str, Any] = {"systems": False, "gold": False, "every": True}


@dataclass(frozen=True)
class Tab:
    """A tab of a page: its function, the controls of the bar that affect it, and what a presenter's clicker changes."""

    draw: Callable[[], None]
    acts: Sequence[Acts] = EVERY
    turn: Callable[[int], bool] | None = None


def opened(
    acts: Sequence[Acts] = EVERY,
    systems: bool = True,
    gold: bool = True,
    every: bool = False,
    turn: Callable[[int], None] | None = None,
) -> None:
    """Draw the bar; if required data are missing, name them, link to where they can be loaded, and stop.

    systems, gold: whether these are required; every: whether all data sets can be shown together; turn: what a
    presenter's clicker does (default: open the next page)
    """
    corpus = workspace.corpus()
    _bar(acts, turn or _turn_page)
    if not every:
        one_dataset("page")
    apart = cached.ask(_disjoint_reason) if systems and gold and len(corpus.gold) and corpus.systems else ""
    if gold and not len(corpus.gold):
        show.lacks(prose.text("page.no_gold"))
    elif systems and not corpus.systems:
        show.lacks(prose.text("page.no_system"))
        if len(corpus.annotators) > 1:
            link.to("annotators", "See how far the annotators agree", icon=":material/groups:")
        if corpus.has_texts:
            link.to("data", "Or let KPScope extract phrases from these texts", data_tab="Extract phrases")
    elif apart:
        show.lacks(show.plain(apart))
    else:
        return
    st.stop()


def _disjoint_reason(corpus: kp.Corpus) -> str:
    """Return why results are meaningless, if no system has a document of the gold standard."""
    try:
        refuse_apart(corpus)
    except kp.InputError as refusal:
        return str(refusal)
    return ""


def tabs(key: str, sections: Mapping[str, Tab], above: Callable[[], None] | None = None, **needs: bool) -> None:
    """Open a page with tabs, of which only the open one is computed; the bar has the controls that affect it.

    above: draws the area above the tabs; in large type only the open tab is shown
    """
    opened(controls.open_tab(key, sections).acts, turn=partial(_turn_tab, key, sections), **needs)
    if above is not None:
        above()
    if link.presented():
        with show.refusals():
            controls.open_tab(key, sections).draw()
    else:
        controls.tabs(key, {name: tab.draw for name, tab in sections.items()})


#: The pages through which a presenter's clicker steps.
_PRESENTED = ("overview", "systems", "documents", "annotators", "correlation", "learn")


def _turn_page(step: int) -> None:
    page = st.session_state[settings.PAGE]
    place = _PRESENTED.index(page) if page in _PRESENTED else 0
    st.session_state[workspace.ARRIVED] = _PRESENTED[max(0, min(len(_PRESENTED) - 1, place + step))]


def _turn_tab(key: str, sections: Mapping[str, Tab], step: int) -> None:
    """Step within the tab, else to the next or previous tab, else to the next or previous page."""
    chosen, names, turn = link.chosen().get(key, ""), list(sections), controls.open_tab(key, sections).turn
    if turn is not None and turn(step):
        return
    place = (names.index(chosen) if chosen in names else 0) + step
    if 0 <= place < len(names):
        link.choose(key, names[place])
    else:
        _turn_page(step)


def one_dataset(what: str) -> None:
    """Name the data set on a page or tab that can show only one."""
    if workspace.all_datasets():
        show.small(f"This {what} is of one data set: {workspace.dataset()}. Choose another one above.")


def require_files() -> None:
    """Stop if uploads are lost or wait for an answer, so that no other data are mistaken for them."""
    session = workspace.session()
    if session.lost:
        st.title("Your files are not here", anchor=False)
        lost_in_words(session.lost)
        link.to("data", "Load the files again", icon=":material/upload_file:")
        controls.button("Show the sample data", "show_sample", workspace.open_sample, workspace.FIRST)
        st.stop()
    if session.problem and session.is_empty:
        st.title(workspace.waiting(), anchor=False)
        _to_question()
        st.stop()
    if session.problem:
        with st.container(horizontal=True, vertical_alignment="center"):
            show.small(f"{workspace.waiting()}. The results below do not include your last upload.")
            _to_question()


def lost_in_words(files: int) -> None:
    """Explain why uploads are lost, and what to do."""
    why = prose.text("recovery.lost_kept") if kept.is_kept() else prose.text("recovery.lost_here")
    st.info(prose.text("recovery.lost", files=show.pluralize(files, "uploaded file"), why=why))


def _to_question() -> None:
    asked = workspace.session().forms or workspace.session().findings
    label = "Answer on the Data page" if asked else "See why on the Data page"
    if st.button(label, key="to_question", type="primary", icon=":material/arrow_forward:"):
        link.go("data", data_tab="Files")


def _bar(acts: Sequence[Acts], turn: Callable[[int], None]) -> None:
    """Draw the bar with the controls that affect the page; on phones all but k and measure are collapsed.

    turn: what a presenter's clicker does, a step forward or back
    """
    drawn: dict[Acts, Callable[[], None]] = {"k": cutoff, "measure": _measure, "gold": _gold, "conventions": _preset}
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
        st.warning(show.sentence(f"the link asks for {name} = {text}, which is no choice here; {used} is used"))


def _data() -> None:
    """Name the data on screen, in a menu with samples, data sets, and the workspace file."""
    data, uploads = workspace.whole(), workspace.session().uploads
    corpus, systems = data.corpus, runs_of(data.corpus.systems)
    runs = corpus.systems if len(systems) < len(corpus.systems) else []
    say = workspace.speech()
    sides = {"data set": corpus.datasets, say["document"]: corpus.documents, say["annotator"]: corpus.annotators}
    sides |= {"system": systems, "run": runs}
    counts = [show.pluralize(len(side), name) for name, side in sides.items() if len(side)]
    name = "Sample" if data.sample is not None else data.title[:1].upper() + data.title[1:]
    shown = [counts[0], *counts[-1:]] if counts[1:] else counts
    label = " · ".join([f"**{show.plain(name)}**", *shown])
    with controls.folded(label, icon=":material/database:", type="tertiary", key="data on screen"):
        title = f"{data.title[:1].upper()}{data.title[1:]}"
        show.small(f"{title}: {', '.join(counts)}." if data.sample is None and counts else f"{title}.")
        if corpus.datasets:
            controls.select("Data set", [workspace.EVERY, *corpus.datasets], workspace.DATASET)
        if data.sample is not None and uploads.files and not workspace.session().problem:
            controls.button("Back to your files", "back_to_files", workspace.open_uploads, uploads)
        for sample, about in workspace.SAMPLES.items():
            if sample != data.sample:
                controls.button(about.title, f"open {sample}", workspace.open_sample, sample, type="tertiary")
        saving.button("save")
        if uploads.files:
            label, icon = "Forget my files", ":material/delete:"
            controls.button(label, "forget", workspace.forget, icon=icon, help=prose.helps("forget"))


def cutoff(width: int = 130) -> None:
    """Draw k as a slider, with a menu for typing it and for cutoffs that depend on the gold standard."""
    now, used = settings.value("k"), settings.cutoff()
    wanted = min(used, 50) if isinstance(used, int) else settings.cutoff_of_average()
    controls.keep("k", wanted, partial(_take, "k"))
    st.html('<span class="kp-k">k</span>', width="content")
    st.slider("k", 1, 50, key="k", width=width, label_visibility="collapsed")
    number = f" ({used})" if now == "average" else ""
    words = f"k = **{in_words('k', now)}{number}**"
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
    if len(workspace.corpus().annotators) < 2 and not settings.grades_count():
        return
    now = settings.value("annotators")
    words = f"Gold: **{show.plain(in_words('annotators', now))}**"
    with controls.folded(words, type="tertiary", key="gold in words"):
        values = settings.options("annotators")
        controls.pick(question("annotators"), values, "annotators", partial(in_words, "annotators"))
        show.about("help.annotators")
        if settings.grades_count():
            more = controls.held("rel", 1.0, lambda _: float(settings.value("rel")))
            st.number_input(question("rel"), 0.0, 1e9, step=1.0, format="%g", **more)


def _preset() -> None:
    preset, usual = settings.value("preset"), settings.options("universe")[0]
    changed = len(settings.changed()) + (settings.value("universe") != usual)
    number = f" + {changed}" if changed else ""
    label = f"Conventions: **{show.plain(in_words('preset', preset))}{number}**"
    show.popover(label, _conventions, "conventions", type="tertiary", width="content")


def _conventions() -> None:
    """Draw the preset, its differences from the KPScope default, and all conventions, changed ones first."""
    preset, changed = kp.PRESETS[settings.value("preset")], settings.changed()
    _choose("preset", settings.options("preset"), settings.options("preset")[0], question("preset"))
    show.small(f"{preset.source}.")
    if preset.note:
        st.caption(show.sentence(preset.note))
    if changed:
        label = f"Take back {show.pluralize(len(changed), 'change')}"
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
    _choose(name, options, says, f"{question(name)}{beside}", show.plain(CONVENTIONS[name].meaning))


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
    for name in settings.ASKED:
        link.choose(name, None)


def _share() -> None:
    show.popover("Share", _address, "share", type="tertiary", icon=":material/link:")
    more = {"type": "tertiary", "icon": ":material/slideshow:", "help": "Present"}
    controls.button("", "present", link.choose, "present", "true", **more)


def _address() -> None:
    st.code(link.address(), language=None, wrap_lines=True)
    st.caption("The link holds page and settings, not the data: others see the sample, or load the same files.")


def _present(turn: Callable[[int], None]) -> None:
    for label, keys, step in (("Back", ("Left", "PageUp"), -1), ("Next", ("Right", "PageDown"), 1)):
        for key in keys:  # a button has a single shortcut, so a second, hidden button has another one
            controls.button(label, f"turn {key}", turn, step, type="tertiary", shortcut=key)
    controls.button("End presenting", "present", link.choose, "present", None, type="tertiary", shortcut="Esc")
