"""What a first visitor sees: a banner on the sample, one verdict, short names, and workbooks to keep."""

import io
import re

import openpyxl

from tests.app.opening import html, opened, words
from tests.app.test_results_pages import loaded


def test_the_sample_has_a_banner_with_an_upload_and_one_verdict_whose_statistics_are_under_why() -> None:
    app = opened("overview")
    banner = "Sample data: 4 extractors on 20 lectures, 3 annotators. **Drop your own files**"
    assert words(app).count(banner) == words(app).count("KPScope scores keyphrase extraction") == 1
    assert app.file_uploader(key="beside_0")
    assert [item.proto.label for item in app.get("page_link")][:2] == ["Compare people", "Learn"]
    assert len(app.title) == 1
    assert [item.label for item in app.expander] == ["Why"]
    assert "p = " in app.expander[0].caption[0].value
    assert "p = " not in app.title[0].value


def test_a_prefix_that_all_systems_share_is_stripped_in_labels() -> None:
    app = opened("overview", loaded(**{"candidats.degree": "yake", "candidats.textrank": "textrank"}))
    visible = [re.sub(r"<[^>]*>", " ", item) for item in html(app)]
    labels = [item.proto.popover.label for item in app.get("popover")] + [item.label for item in app.button]
    assert "candidats" not in " ".join([*visible, app.title[0].value, *labels])
    assert app.title[0].value.startswith("degree is better than textrank by ")


def test_a_workbook_has_its_signature_once() -> None:
    formats = opened("overview").session_state["page record"].offered["Table: F1@6 by system"].formats
    book = openpyxl.load_workbook(io.BytesIO(formats["XLSX"]("kps|k:6|")))
    assert book.sheetnames == ["F1@6 by system", "signature"]
    cells = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row]
    assert cells.count("kps|k:6|") == 1
    assert {"low", "high"} <= {cell.value for cell in book["F1@6 by system"][1]}
