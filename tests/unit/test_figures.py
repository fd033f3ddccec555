"""Images for a paper: as wide as a column, with unchanged numbers and names, and with their signature."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.takeaway import figures
from kp_core.takeaway.bundle import report
from kp_core.takeaway.figures import image, table_svg
from tests.cases import LECTURES

EVIL, WORSE = 'a_b & <b>"x"</b>', "</svg><svg onload=1>"
SVG = "{http://www.w3.org/2000/svg}"
#: What a name must not become.
ACTIVE = {f"{SVG}{tag}" for tag in ("script", "iframe", "image", "foreignObject", "a")}
drawn = pytest.mark.skipif(not figures.browser(), reason="Chromium is not installed, so nothing was drawn")


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return kp.load(gold={"d": ["tide", "sea"]}, systems={EVIL: {"d": ["tide"]}, WORSE: {"d": ["sky", "sea"]}})


def test_table_image_has_cells_bold_and_signature(corpus: kp.Corpus) -> None:
    made = kp.paper_table(corpus, measures=["P@k", "R@k"], k=2, digits=2, marks=False)
    result = ElementTree.fromstring(image(table_svg(made.html()), "svg", made.signature))
    shown = [("".join(text.itertext()), text.get("font-weight")) for text in result.iter(f"{SVG}text")]
    assert [text for text, _ in shown[:9]] == ["system", "P@2", "R@2", EVIL, "0.50", "0.50", WORSE, "0.50", "0.50"]
    assert not ACTIVE & {item.tag for item in result.iter()}
    assert [weight for _, weight in shown[3:6]] == ["normal", "bold", "bold"]
    assert result.findtext(f"{SVG}metadata") == made.signature
    assert " ".join(text for text, _ in shown[9:]) == made.note()
    width, height = (float(length) for length in result.get("viewBox").split()[2:])
    assert [result.get(side) for side in ("width", "height")] == [f"{width / 4.5:.2f}mm", f"{height / 4.5:.2f}mm"]


@drawn
def test_chart_images_have_column_width(corpus: kp.Corpus) -> None:
    made, millimetres = report(corpus, k=2, interval="none", sections=["leaderboard"]), 178
    svg = made.svg(2)
    forms = {form: image(svg, form, made.signature) for form in ("svg", "pdf", "png")}
    result = ElementTree.fromstring(forms["svg"])
    assert result.get("width") == f"{millimetres}.00mm"
    assert result.findtext(f"{SVG}metadata") == made.signature
    assert {EVIL, WORSE} <= {"".join(text.itertext()) for text in result.iter(f"{SVG}text")}
    assert not ACTIVE & {item.tag for item in result.iter()}
    (points,) = set(re.findall(rb"/MediaBox \[0 0 ([\d.]+) ", forms["pdf"]))
    assert float(points) == pytest.approx(millimetres / 25.4 * 72, abs=1)
    assert f"/Title ({made.signature})".encode() in forms["pdf"]
    assert struct.unpack(">I", forms["png"][16:20])[0] == pytest.approx(millimetres / 25.4 * 384, abs=4)


@drawn
def test_the_command_line_draws(tmp_path: Path) -> None:
    data = ["--gold", str(LECTURES / "gold.csv"), "--system", str(LECTURES / "systems" / "yake.csv")]
    chart, table = tmp_path / "chart.pdf", tmp_path / "table.png"
    asked = ["--interval", "none", "--sections", "near-misses", "--out", str(chart)]
    assert main(["report", *data, *asked]) == 0
    assert chart.read_bytes().startswith(b"%PDF")
    assert main(["table", *data, "--interval", "none", "--out", str(table)]) == 0
    assert table.read_bytes().startswith(b"\x89PNG")


@drawn
def test_unfinished_drawing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "say", lambda *_, **facts: f"nobody.knows({facts['svg']})")
    with pytest.raises(kp.UsageError, match="did not finish the image"):
        image('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>', "png", "kps")


def test_undrawable_outputs_give_reasons(corpus: kp.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(kp.UsageError, match="one chart, and these sections have 2; choose one section"):
        report(corpus, k=2, interval="none", sections=["leaderboard", "agreement"]).svg()
    made = report(corpus, k=2, interval="none", sections=["leaderboard"])
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    with pytest.raises(kp.UsageError, match="images need Chromium or Chrome, and neither was found"):
        made.svg()
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chromium")
    with pytest.raises(kp.UsageError, match=r"/nowhere/chromium could not draw the image: .* No such file"):
        made.svg()
