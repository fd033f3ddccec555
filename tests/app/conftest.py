"""What the tests of the pages may ask for."""

from typing import Any

import pytest
import streamlit as st


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, Any]]:
    """Give the downloads that the pages offer, as key → (file name, content, or what makes it)."""
    found: dict[str, tuple[str, Any]] = {}
    original = st.download_button

    def note(label: str, data: Any, file_name: str, *rest: Any, **options: Any) -> bool:
        found[options["key"]] = (file_name, data)
        return bool(original(label, data, file_name, *rest, **options))

    monkeypatch.setattr(st, "download_button", note)
    return found
