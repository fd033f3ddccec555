"""A tab outlives the server that it was opened on: after a restart, it reports what is lost.

That it opens files that were kept is tested without a browser, in tests/server/test_state.py.
"""

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.steps import SETTLE, drop, follow, main, written
from tests.dashboard import free_port, running

TABLES = {
    "gold": [("doc_id", "keyphrase"), ("d1", "mango table"), ("d2", "tide")],
    "mango": [("doc_id", "rank", "keyphrase"), ("d1", 1, "mango table"), ("d2", 1, "moon")],
}
GONE = "This address refers to uploaded files"
#: The browser tries to connect again after pauses, each longer than the one before.
RECONNECTS = 60_000


def test_killed_server_never_mixes_files_of_users(chromium: str, page: Page, settle: SETTLE, tmp_path: Path) -> None:
    port, part = free_port(), {**os.environ, "KPSCOPE_STATE": ""}
    with running(tmp_path / "first", environment=part, port=port) as (address, server):
        drop(page, address, settle, *written(tmp_path, TABLES))
        follow(page, settle, "Overview")
        expect(main(page)).to_contain_text("mango reaches")
        server.kill()
        server.wait()
    with running(tmp_path / "second", environment=part, port=port):
        expect(main(page)).to_contain_text(GONE, timeout=RECONNECTS)  # nobody has touched it
        for name in ("Systems", "Data"):
            follow(page, settle, name)
            expect(main(page)).to_contain_text(GONE)
            expect(main(page)).not_to_contain_text("yake")
            expect(main(page)).not_to_contain_text("Sample ·")
        page.reload()
        expect(main(page)).to_contain_text(GONE, timeout=RECONNECTS)
        drop(page, address, settle, *written(tmp_path, TABLES))
        follow(page, settle, "Overview")
        expect(main(page)).to_contain_text("mango reaches")
