"""Turn a corpus and a link into the workspace file of one rater, which tells nothing of systems and other raters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kp_core.corpus import Corpus, empty_table
from kp_core.reading import renamed
from kp_core.takeaway.workspace_file import Saved, tidy_uploads, workspace_file


def rater_file(corpus: Corpus, link: Mapping[str, str]) -> bytes:
    """Return a workspace file without judgements, its systems under numbers; near misses are the same as before.

    >>> from kp_core.reading import Source, load
    >>> from kp_core.takeaway.workspace_file import read_workspace
    >>> data = rater_file(load({"d1": ["tide"]}, {"yake": {"d1": ["tides"]}}), {"page": "correlation?rater=ana"})
    >>> read_workspace(Source("ana.kpscope", data)).uploads.load().systems
    ['system 001']
    """
    # Of equal width, so that the systems stay in their order: of equal pairs the first is drawn.
    numbered = {name: f"system {place:03}" for place, name in enumerate(corpus.systems, 1)}
    blind = renamed(replace(corpus, judgements=empty_table("judgements")), numbered)
    return workspace_file(Saved(tidy_uploads(blind), link))
