"""The server for a class: under its security headers no page complains, and a shared data set is one click away."""

import os
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from tests.dashboard import running


def test_a_shared_data_set_is_used_under_security_headers(
    chromium: str, page: Page, settle: Callable[[Page], None], tmp_path: Path, console_errors: list[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "<b>five $x$.csv").write_text("doc_id,keyphrase\nd1,tide\nd2,moon\n", encoding="utf-8")
    environment = {**os.environ, "KPSCOPE_DATA": str(data)}
    with running(tmp_path / "log", environment=environment) as (address, _):
        page.goto(f"{address}/overview")
        settle(page)
        page.goto(f"{address}/data")
        settle(page)
        page.get_by_role("button", name="Shared data sets of this server").click()
        page.get_by_role("button", name="Add to your files").click()
        page.get_by_text("<b>five $x$.csv").first.wait_for(state="attached")
        settle(page)
        assert page.get_by_text("<b>five $x$.csv").count() > 0
    assert [error for error in console_errors if "404" not in error] == []
