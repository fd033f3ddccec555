"""Open a page: draw its bar with the data (save, load), check that the required data are loaded, and draw its tabs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.reading import Source
from kp_core.reading.rows.sense import refuse_apart
from kp_core.scale import is_statistics_file
from kp_core.scoring.runs import runs_of
from kp_core.settings import CONVENTIONS, in_words, question
from kp_core.takeaway.workspace_file import ENDING, Saved, is_workspace_file, read_workspace, workspace_file
from kp_ui.parts import rating, streamed
from kp_ui.state import cached, kept, link, settings, workspace
from kp_ui.widgets import controls, prose, show

EVERY = ("k", "measure", "gold", "conventions")
#: Requirements of a page that works without data.
NOTHING: dict[str, Any] = {"systems": False, "gold": False, "all_datasets": True}


@dataclass(frozen=True)
class Tab:
    """A tab: its function, the controls in the bar that affect it, and what a presenter's clicker does, if anything."""

    draw: Callable[[], object]
    controls: Sequence[str] = EVERY
    step: Callable[[int], bool] | None = None


def opened(
    controls_shown: Sequence[str] = EVERY,
    systems: bool = True,
    gold: bool = True,
    all_datasets: bool = False,
    on_step: Callable[[int], None] | None = None,
) -> None:
    """Draw the bar; if required data are missing, name them, link to the Data page, and stop.

    * `systems`, `gold`: whether these are required; `all_datasets`: whether all data sets can be shown together;
      `on_step`: what a presenter's clicker does (default: open the next or previous page)
    """
    corpus = workspace.corpus()
    _bar(controls_shown, on_step or _turn_page)
    if not all_datasets:
        one_dataset("page")
    if gold and not len(corpus.gold):
        show.missing_data(prose.text("page.no_gold"))
    elif systems and not corpus.systems:
        show.missing_data(prose.text("page.no_system"))
        if len(corpus.annotators) > 1:
            link.to("annotators", "See how far the annotators agree", icon=":material/groups:")
        if corpus.has_texts:
            link.to("data", "Or let KPScope extract phrases from these texts", data_tab="Extract phrases")
    elif reason := cached.on_corpus(_disjoint_reason) if systems and gold else "":
        show.missing_data(show.plain(reason))
    else:
        return
    st.stop()


def _disjoint_reason(corpus: kp.Corpus) -> str:
    try:
        refuse_apart(corpus)
    except kp.InputError as refusal:
        return str(refusal)
    return ""


def tabs(
    key: str, sections: Mapping[str, Tab], above: Callable[[], object] | None = None, **requirements: bool
) -> None:
    """Open a page with tabs; only the open tab is computed, and the bar has the controls that affect this tab.

    When presenting, only the open tab is shown. `above`: draws the area above the tabs
    """
    opened(controls.open_tab(key, sections).controls, on_step=partial(_turn_tab, key, sections), **requirements)
    if above is not None:
        above()
    if link.presented():
        with show.refusals():
            controls.open_tab(key, sections).draw()
    else:
        controls.tabs(key, {name: tab.draw for name, tab in sections.items()})


def _turn_page(step: int) -> None:
    """Step to the next or previous page; after the last page comes the first."""
    pages, page = ("overview", "systems", "documents", "annotators", "correlation", "learn"), st.session_state["page"]
    index = pages.index(page) if page in pages else 0
    st.session_state[workspace.NEXT_PAGE] = pages[(index + step) % len(pages)]


def _turn_tab(key: str, sections: Mapping[str, Tab], step: int) -> None:
    """Step within the tab if possible, else to the next or previous tab, else to the next or previous page."""
    turn_within = controls.open_tab(key, sections).step
    if not (turn_within and turn_within(step)) and not controls.turn(key, list(sections), step):
        _turn_page(step)


def one_dataset(part: str) -> None:
    """Name the data set on screen if all are chosen, on a page or tab that can show only one."""
    if workspace.all_datasets():
        show.small(f"This {part} shows only one data set: {workspace.dataset()}. Choose another one above.")


def require_files() -> None:
    """If uploads are lost or need an answer, report this, and stop so that no other data are mistaken for them."""
    session = workspace.session()
    if session.lost:
        st.title("Your files are not here", anchor=False)
        lost_in_words()
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


def lost_in_words() -> None:
    """Explain why uploads are lost, and what to do."""
    reason = prose.text("recovery.lost_kept") if kept.is_kept() else prose.text("recovery.lost_here")
    st.info(prose.text("recovery.lost", why=reason))


def _to_question() -> None:
    questions = workspace.session().forms or workspace.session().findings
    label = "Answer on the Data page" if questions else "See why on the Data page"
    if st.button(label, key="to_question", type="primary", icon=":material/arrow_forward:"):
        link.go("data", data_tab="Files")


def _bar(controls_shown: Sequence[str], on_step: Callable[[int], None]) -> None:
    """Draw the bar with the controls that affect the page; on phones all but k and measure are collapsed.

    * `on_step`: what a presenter's clicker does; called with 1 (forward) or −1 (back)
    """
    groups: dict[str, Callable[[], object]] = {"k": cutoff, "measure": _measure, "gold": _gold, "conventions": _preset}
    if not (workspace.corpus().systems and len(workspace.corpus().gold)):
        groups = {"conventions": _preset}
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="xsmall"):
        if link.presented():
            groups = {name: groups[name] for name in EVERY[:2] if name in groups}
        else:
            _data()
            if not welcomes():
                upload()
        for draw in (groups[name] for name in groups if name in controls_shown):
            draw()
        if link.presented():
            for label, keys, step in (("Back", ("Left", "PageUp"), -1), ("Next", ("Right", "PageDown"), 1)):
                for key in keys:  # a button has a single shortcut, so a second, hidden button has another one
                    controls.button(label, f"turn {key}", on_step, step, type="tertiary", shortcut=key)
            controls.button("End presenting", "present", link.choose, "present", None, type="tertiary", shortcut="Esc")
        else:
            show.popover("Share", _address, "share", type="tertiary")
            help_text = prose.helps("present")
            controls.button("Present", "present", link.choose, "present", "true", type="tertiary", help=help_text)
        st.html("<details><summary>More</summary></details>", width="content")
    for name, text in settings.ignored().items():
        value_used = settings.value(name)
        st.warning(show.sentence(f"the link asks for {name} = {text}, which is not available; {value_used} is used"))


def welcomes() -> bool:
    """Return whether this is the Overview of sample data, where the banner has the upload instead of the bar."""
    is_sample = workspace.current().sample is not None
    return is_sample and st.session_state[settings.PAGE] == "overview" and not link.presented()


def upload() -> None:
    """Draw an upload button that accepts files of any kind, also by drag and drop."""
    controls.upload("Drop your files here", "beside", take_anywhere, folded=True)


def _data() -> None:
    data, uploads = workspace.all_data(), workspace.session().uploads
    corpus, systems = data.corpus, runs_of(data.corpus.systems)
    runs = corpus.systems if len(systems) < len(corpus.systems) else []
    terms = workspace.terms()
    kinds = {"data set": corpus.datasets, terms["document"]: corpus.documents, terms["annotator"]: corpus.annotators}
    kinds |= {"system": systems, "run": runs}
    counts = [show.pluralize(len(entries), name) for name, entries in kinds.items() if len(entries)]
    title = typeset.first_capital(data.title)
    name = "Sample" if data.sample is not None else title
    label = " · ".join([f"**{show.plain(name)}**", *dict.fromkeys((*counts[:1], *counts[-1:]))])
    with controls.folded(label, icon=":material/database:", type="tertiary", key="data on screen"):
        show.small(f"{title}: {', '.join(counts)}." if data.sample is None and counts else f"{title}.")
        if corpus.datasets:
            controls.select("Data set", [workspace.EVERY, *corpus.datasets], workspace.DATASET)
        if data.sample is not None and uploads.files and not workspace.session().problem:
            controls.button("Back to your files", "back_to_files", workspace.open_uploads, uploads)
        for sample, sample_info in workspace.SAMPLES.items():
            if sample != data.sample:
                controls.button(sample_info.title, f"open {sample}", workspace.open_sample, sample, type="tertiary")
        save_button("save")
        if uploads.files:
            label, icon = "Forget my files", ":material/delete:"
            controls.button(label, "forget", workspace.forget, icon=icon, help=prose.helps("forget"))


def save_button(key: str) -> None:
    """Draw a button that downloads the workspace as a file."""
    data = workspace.current()
    saved = Saved(data.uploads, settings.saved(), settings.signature(), rating.ratings())
    kwargs = {"mime": "application/octet-stream", "icon": ":material/save:", "help": prose.helps("save")}
    show.file("Save", partial(workspace_file, saved), f"{data.sample or 'workspace'}{ENDING}", key, **kwargs)


def take(files: Sequence[Source]) -> None:
    """Open a workspace file and the statistics of a streamed run, and load all other files as data."""
    workspace_files = [file for file in files if is_workspace_file(file)]
    statistics_files = [file for file in files if is_statistics_file(file)]
    streamed.take(statistics_files)
    with workspace.refusals():
        if len(workspace_files) > 1:
            raise kp.UsageError("only one workspace can be open at a time; choose one of these files")
        data_files = [file for file in files if file not in workspace_files and file not in statistics_files]
        for file in workspace_files:
            saved = read_workspace(file)
            workspace.open_uploads(replace(saved.uploads, title=f"the workspace {file.name}"))
            link.restore({name: text for name, text in saved.link.items() if name != settings.PAGE})
            workspace.read_files()
            if not workspace.session().problem:
                rating.restore_ratings(saved.ratings)
                if not data_files:
                    st.session_state[workspace.NEXT_PAGE] = saved.link.get(settings.PAGE, "data")
        if data_files:
            workspace.add(data_files)


def take_anywhere(files: Sequence[Source]) -> None:
    """Load files that were dropped on any page, and open the Data page, which shows how they were read."""
    st.session_state[workspace.NEXT_PAGE] = "data"
    take(files)


def cutoff(width: int = 130) -> None:
    """Draw a slider for k, with a popover in which to type k or choose a cutoff that depends on the gold standard."""
    chosen, current = settings.value("k"), settings.cutoff()
    position = min(current, 50) if isinstance(current, int) else settings.cutoff_of_average()
    controls.set_control("k", position, partial(_take, "k"))
    st.html('<span class="kp-k"><span>Cutoff </span>k</span>', width="content")
    st.slider("k", 1, 50, key="k", width=width, label_visibility="collapsed")
    number = f" ({current})" if chosen == "average" else ""
    label = f"= **{in_words('k', chosen)}{number}**"
    with controls.folded(label, type="tertiary", key="k in words"):
        controls.set_control("k typed", position, partial(_take, "k typed"))
        st.number_input(question("k"), 1, 50, key="k typed", help=prose.helps("k"))
        controls.set_control("k by size", chosen if chosen in settings.BY_SIZE else None, partial(_take, "k by size"))
        size_label = partial(in_words, "k")
        st.pills("Cutoffs by size of gold standard or list", settings.BY_SIZE, format_func=size_label, key="k by size")


def _take(key: str) -> None:
    chosen = st.session_state[key]
    link.choose("k", str(st.session_state["k"] if chosen is None else chosen))


def _measure() -> None:
    measure = settings.value("measure")
    with controls.folded(f"**{show.plain(show.head(measure))}**", type="tertiary", key="measure in words"):
        controls.pick(question("measure"), settings.options("measure"), "measure", show.head)
        st.markdown(show.meanings([measure]))


def _gold() -> None:
    if len(workspace.corpus().annotators) < 2 and not settings.grades_count():
        return
    gold = settings.value("annotators")
    label = f"Gold: **{show.plain(in_words('annotators', gold))}**"
    with controls.folded(label, type="tertiary", key="gold in words"):
        values = settings.options("annotators")
        controls.pick(question("annotators"), values, "annotators", partial(in_words, "annotators"))
        show.about("help.annotators")
        if settings.grades_count():
            kwargs = controls.linked("rel", 1.0, lambda _: float(settings.value("rel")))
            st.number_input(question("rel"), 0.0, 1e9, step=1.0, format="%g", **kwargs)


def _preset() -> None:
    preset, default = settings.value("preset"), settings.options("universe")[0]
    changed = len(settings.changed()) + (settings.value("universe") != default)
    change_count = f" + {changed}" if changed else ""
    label = f"Scoring: **{show.plain(in_words('preset', preset))}{change_count}**"
    show.popover(label, _conventions, "conventions", type="tertiary", width="content")


def _conventions() -> None:
    preset, changed = kp.PRESETS[settings.value("preset")], settings.changed()
    _choose("preset")
    show.small(f"{preset.source}.")
    if preset.note:
        st.caption(show.sentence(preset.note))
    if changed:
        label = f"Undo {show.pluralize(len(changed), 'change')}"
        reset = dict.fromkeys(settings.CHOOSABLE)
        controls.button(label, "conventions_back", link.choose_all, reset, icon=":material/undo:")
    for name in changed:
        _choose(name, f" (preset: {show.plain(in_words(name, settings.of_preset(name)))})")
    for group, names in settings.GROUPS.items():
        with st.expander(group, expanded=group == "Matching" and settings.value("universe") == "number"):
            if group == "Matching":
                _choose("universe")
                if settings.value("universe") == "number":
                    kwargs = controls.linked("N", 1000, lambda _: int(float(settings.value("N"))))
                    st.number_input(question("N"), 1, 10**9, **kwargs)
            for name in names:
                if name not in changed and settings.options(name):
                    _choose(name)


def _choose(name: str, addition: str = "") -> None:
    values, help_text = settings.options(name), prose.helps(name)
    default = values[0]
    if name in settings.CHOOSABLE:
        default, help_text = settings.of_preset(name), show.plain(CONVENTIONS[name].meaning)
        values = values if default in values else (default, *values)
    kwargs = controls.linked(name, default, controls.among(values)) | {"help": help_text}
    st.selectbox(f"{question(name)}{addition}", values, format_func=partial(in_words, name), **kwargs)


def _address() -> None:
    st.code(link.address(), language=None, wrap_lines=True)
    st.caption("The link contains page and settings, not the data: others see the sample, or load the same files.")
