"""JSON of every shape becomes one table, and JSONL the same table at once and line by line."""

import json
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pyarrow.json as arrow_json
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading.limits import Limits
from kp_core.reading.open import json_table as module
from kp_core.reading.open.decode import File
from kp_core.reading.open.json_table import json_table, read_at_once
from kp_core.reading.open.source import Source
from kp_core.reading.open.table import Table
from kp_core.reading.rows.separators import json_list

LISTS = pa.list_(pa.large_string())


def table(text: str, name: str = "s.json", limits: Limits | None = None, **more: Any) -> Table | None:
    return json_table(File(Source(name, text.encode("utf-8", "surrogatepass")), limits or Limits(), **more))


def columns(text: str, **more: Any) -> dict[str, list[Any]]:
    result = table(text, **more)
    assert result is not None
    assert result.header
    return dict(zip(result.names, [column.to_pylist() for column in result.columns], strict=True))


def lines(text: str) -> str:
    """Return the objects of a JSON array, one per line."""
    return "\n".join(json.dumps(value) for value in json.loads(text)) + "\n"


def test_exploded_items_keep_line_of_document() -> None:
    text = '{"id": "d1", "phrases": [{"what": "tide", "n": 2}, {"what": "sea", "n": 1}]}\n'
    result = table(text + '\n{"id": "d3", "phrases": [{"what": "moon", "n": 3}]}\n')
    assert result is not None
    assert dict(zip(result.names, (item.to_pylist() for item in result.columns), strict=True)) == {
        "id": ["d1", "d1", "d3"],
        "what": ["tide", "sea", "moon"],
        "n": [2, 1, 3],
    }
    assert result.line_numbers().tolist() == [1, 1, 3]


def test_record_with_empty_list_becomes_one_row() -> None:
    first = '{"id": "d1", "kps": [{"id": 7, "what": "tide", "of": {"n": 2}}, {"what": "sea", "of": {"n": 1}}]}'
    result = table(f'{first}\n{{"id": "d2", "kps": []}}\n{{"id": "d3", "kps": null}}\n{{"id": "d4"}}\n')
    assert result is not None
    assert dict(zip(result.names, (one.to_pylist() for one in result.columns), strict=True)) == {
        "id": ["d1", "d1", "d2", "d3"],
        "kps.id": [7, None, None, None],
        "what": ["tide", "sea", None, None],
        "of.n": [2, 1, None, None],
        "empty": [None, None, "yes", "yes"],
    }
    assert result.line_numbers().tolist() == [1, 1, 2, 3]
    assert [note.message for note in result.notes] == ["1 record without “kps” left out: there is no list."]


def test_text_of_nested_object_is_not_document_text() -> None:
    row = '{"id": "d1", "body": "xxxxxxxx", "kps": [{"text": "tide", "zz": 1}, {"text": "sea", "zz": 2}]}'
    result = columns(f"[{row}]")
    assert result == {"id": ["d1"] * 2, "body": ["x" * 8] * 2, "kps.text": ["tide", "sea"], "zz": [1, 2]}
    with pytest.raises(InputError, match="a table with one row per object of 27 characters"):
        table(f"[{row}]", limits=Limits(unpacked_bytes=26))


@pytest.mark.parametrize(
    "beside", ['"keywords": "tide; sea"', '"predictions": ["tide"]', '"topics": ["sea"]', '"gold": [{"label": "tide"}]']
)
def test_objects_next_to_other_lists_stay_cells(beside: str) -> None:
    result = table(f'[{{"id": "d1", "authors": [{{"family": "Roe", "n": 1}}, {{"family": "Doe", "n": 2}}], {beside}}}]')
    assert result is not None
    assert len(result) == 1


def test_objects_without_ids_are_numbered_by_record() -> None:
    result = columns('[{"kps": [{"what": "tide"}, {"what": "sea"}]}, {"kps": [{"what": "moon"}]}]')
    assert result == {"(key)": ["1", "1", "2"], "what": ["tide", "sea", "moon"]}


@pytest.mark.parametrize(
    "text",
    ["tide", "[]", "{}", "[{}]", "[1, 2]", "[[1, 2], [3, 4]]", '{"a": null}', '[{"a": 1}, 2]', '{"a": ["x"]', "{"],
)
def test_other_json_is_no_table(text: str) -> None:
    assert table(text) is None


# cells


def test_text_numbers_and_lists_keep_their_types() -> None:
    first = '{"a": 1, "b": 1, "c": 1, "d": "1", "e": ["x"], "f": true, "g": 9007199254740993}'
    result = table(f'[{first}, {{"b": 1.5, "c": "x", "e": []}}]')
    assert result is not None
    types = [column.type for column in result.columns]
    string = pa.large_string()
    assert types == [pa.int64(), pa.float64(), string, string, LISTS, string, string]
    assert [column.to_pylist() for column in result.columns] == [
        *([1, None], [1.0, 1.5], ["1", "x"], ["1", None]),
        *([["x"], []], ["True", None], ["9007199254740993", None]),
    ]


NESTED = ('[["a", 1], ["b", 0.1]]', '{"a": 0.1, "é": 1e-07}', '[{"phrase": "a", "score": 2}]', '[["a"], ["b", "c"]]')


@pytest.mark.parametrize("nested", NESTED)
def test_other_nested_values_are_kept_as_json(nested: str) -> None:
    cell = columns(f'{{"id": 1, "k": {nested}}}\n{{"id": 2, "k": null}}\n')["k"][0]
    assert cell == nested
    value = json.loads(nested)
    assert json_list(cell) == (list(map(list, value.items())) if isinstance(value, dict) else value)


def test_a_list_beside_a_number_stays_a_cell() -> None:
    assert columns('[{"m": {"s": 5}}, {"m": {"s": [{"h": 1}, {"h": 2}]}}]')["m.s"] == ["5", '[{"h": 1}, {"h": 2}]']


def test_nan_is_missing_in_cells_and_text_in_lists() -> None:
    result = columns('[{"id": 1, "s": NaN, "k": [["a", NaN], ["b", -Infinity]]}, {"id": 2, "s": 0.5}]')
    assert result == {"id": [1, 2], "s": [None, 0.5], "k": ['[["a", NaN], ["b", -Infinity]]', None]}


def test_objects_within_objects_have_dotted_names() -> None:
    answer = {"response": {"body": {"choices": [{"index": 0, "message": {"content": '```json\n["a"]\n```'}}]}}}
    text = json.dumps([{"custom_id": "x", **answer}, {"custom_id": "y", "response": None}])
    assert (
        columns(text)
        == columns(lines(text))
        == {
            "custom_id": ["x", "y"],
            "response.body.choices.0.index": [0, None],
            "response.body.choices.0.message.content": [["a"], None],
        }
    )


def test_several_object_lists_stay_one_column() -> None:
    data = {f"p{number}": {"n": str(number) + "x"} for number in range(101)}
    rows = [{"a": [{"x": "u"}, {"x": "v"}], "e": [{"y": 1}, {"y": 2}], "b": {"c": "x"}, "d": data}]
    rows += [{"a": [{"x": "w"}], "e": [], "b": "x", "d": {}}]
    assert columns(json.dumps(rows)) == {
        "a": ['[{"x": "u"}, {"x": "v"}]', '[{"x": "w"}]'],
        "e": ['[{"y": 1}, {"y": 2}]', "[]"],
        "b": ['{"c": "x"}', "x"],
        "d": [json.dumps(data), "{}"],
    }


def test_no_name_has_more_than_nine_parts() -> None:
    value: Any = {"z": "x"}
    for name in "jihgfedcb":
        value = {name: value}
    assert columns(json.dumps([{"id": 1, "a": value}])) == {"id": [1], "a.b.c.d.e.f.g.h.i": ['{"j": {"z": "x"}}']}


# lines, rejected rows, refusals


def test_broken_lines_are_rejected_and_line_numbers_kept() -> None:
    rows = "".join(f'{{"id": {number}}}\n' for number in range(1, 8))
    result = table(rows + '\n{"id": 8, "k"\n[1]\n{"id": 9}\n')
    assert result is not None
    assert result.line_numbers().tolist() == [1, 2, 3, 4, 5, 6, 7, 11]
    assert result.column("id").to_pylist() == [1, 2, 3, 4, 5, 6, 7, 9]
    assert result.rejected == [
        ("s.json", 9, "an incomplete JSON object", '{"id": 8, "k"'),
        ("s.json", 10, "not a JSON object", "[1]"),
    ]
    assert result.described == "8 JSON objects"


@pytest.mark.parametrize("value", ['"\\ud800"', '["a", "\\ud800"]', '[["\\ud800", 1]]'])
def test_half_a_character_is_rejected(value: str) -> None:
    result = table(f'{{"id": 1, "k": ["a"]}}\n{{"id": 2, "k": {value}}}\n')
    assert result is not None
    assert result.column("id").to_pylist() == [1]
    assert result.line_numbers().tolist() == [1]
    assert [row[:3] for row in result.rejected] == [
        ("s.json", 2, "half a character (a lone surrogate) that cannot be stored")
    ]


@pytest.mark.parametrize("text", ['{"id": 1, "k": "a", "k": "b"}\n{"id": 2, "k": "c"}\n', '{"d": ["a"], "d": ["b"]}'])
def test_a_key_twice_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"the key “[kd]” twice"):
        table(text)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ('{"a": 1, "b": 2}\n{"a": 3}\n', Limits(columns=1)),
        ('[{"a": {"b": "x", "c": "y"}}]', Limits(columns=1)),
        ('{"a": 1, "b": 2}\n{"a": 3}\n', Limits(cells=3)),
        ('{"a": 1, "b": 2}\n{"a": 3}\n', Limits(line_bytes=10)),
    ],
)
def test_limits(text: str, limits: Limits) -> None:
    with pytest.raises(InputError, match="at most"):
        table(text, limits=limits)


def test_json_deeper_than_python_goes_is_refused() -> None:
    with pytest.raises(InputError, match="deeply nested JSON"):
        table('{"d": [' + "[" * 100_000 + "]" * 100_000 + "]}")


@pytest.mark.parametrize(("text", "splits"), [('[{"id": 1, "phrase": "a"}]', False), ('[{"id": 1, "k": "a"}]', True)])
def test_phrases_of_our_own_tables_are_not_split(text: str, splits: bool) -> None:
    for form in (text, lines(text) * 2):
        result = table(form)
        assert result is not None
        assert result.splits == splits


def test_nested_two_key_objects_are_no_lists() -> None:
    with pytest.raises(kp.InputError, match="does not know these column names"):
        kp.load(gold=Source("a.json", b'{"text": {"ZKeyphrace": [{"indicesices": [4, 14]}]}}'))


def test_model_like_answers_stay_text_in_own_tables() -> None:
    for name in ("phrase", "text"):
        beside = {"doc_id": "d", "title": None} if name == "text" else {"doc_id": "d"}
        cell = '{"d": [["tide"]]}'
        assert columns(json.dumps({**beside, name: cell}) + "\n", name="s.jsonl")[name] == [cell]
    assert columns(json.dumps({"doc_id": "d", "answer": '{"d": ["tide"]}'}), name="s.jsonl")["answer"] == [["tide"]]


# at once and line by line


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "x", "a": "x"}\n{"a": "y"}\n',
        '{"a": "x", "\\u0061": null}\n{"a": "y"}\n',
        '{"a": [], "b": 1}\n{"a": [], "a": [], "b": 1}\n',
        '{"a": "x"}{"a": "y"}\n',
        '{"a": "x"}\nnull\n',
        '{"a": "x"}\n{"a": "x",\n"b": 1}\n',
        '{"a": "x"}\n{"b": {"c": 1}}\n',
        '{"a": [null]}\n{"a": ["x"]}\n',
        '{"a": ["x"]}\n{"a": ["x", null]}\n',
        '{"a": 1}\n{"a": "x"}\n',
        '{"a": true}\n{"a": 1}\n',
        '{"a": 9007199254740993}\n{"a": 1}\n',
        '{"a": 0.5}\n{"a": -0}\n',
        '{"a": 1}\n{"a": NaN}\n',
        '{"a": "\\udc00"}\n{"a": "x"}\n',
        '{"\\udc00": "x"}\n{"\\udc00": "x"}\n',
        '{"a": "```[]```"}\n{"a": "x"}\n',
        '{"a": "x"}\n\n{"a": "y"}\n',
        '{"a": "x"}\r{"a": "y"}\n',
        '{"a": "x"}\n' * 200 + '{"b": "x"}\n',
    ],
)
def test_values_arrow_may_change_are_read_individually(text: str) -> None:
    assert read_at_once(text, text.encode("utf-8", "replace")) is None


TEXTS = st.one_of(st.sampled_from(["2020-01-01", "1", "", "null", "a;b", '{"a": 1}', "\n{", "\x00", "`"]), st.text())
NUMBERS = st.one_of(st.integers(-3, 3), st.integers(), st.floats())
FLAT = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS, st.lists(TEXTS, max_size=3))
CELLS = st.one_of(
    FLAT, FLAT, st.lists(st.lists(FLAT, max_size=2), max_size=2), st.dictionaries(TEXTS, FLAT, max_size=2)
)
#: Columns of one kind, as most are, and of any kind.
KINDS = st.one_of(*map(st.just, (TEXTS, st.integers(-3, 3), st.floats(-1, 1), st.lists(TEXTS, max_size=2), CELLS)))


@st.composite
def jsonl(draw: st.DrawFn) -> str:
    """Draw objects, one per line, with missing, null, late, mixed or repeated fields."""
    kinds = draw(
        st.dictionaries(st.one_of(st.sampled_from(["id", "phrase", "k"]), TEXTS), KINDS, min_size=1, max_size=4)
    )
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n"]))
    plain = draw(st.booleans())
    result = []
    for _ in range(draw(st.integers(2, 6))):
        pairs = [
            (name, draw(kind if draw(st.integers(0, 9)) else st.none()))
            for name, kind in kinds.items()
            if plain or draw(st.integers(0, 9))
        ]
        pairs += pairs[:1] if not plain and draw(st.integers(0, 30)) == 0 else []
        ascii_only = draw(st.booleans())
        inner = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=ascii_only)}" for name, value in pairs)
        result.append("{" + ", ".join(inner) + "}")
    return end.join(result) + draw(st.sampled_from(["", end]))


def outcome(text: str) -> Any:
    """Return the content of a table, or the error message; numbers as written, so that 0.0 differs from -0.0."""
    try:
        result = table(text, "s.jsonl")
    except InputError as error:
        return str(error)
    if result is None:
        return None
    values = [repr(column.to_pylist()) for column in result.columns]
    types = [column.type for column in result.columns]
    return result.names, types, values, result.line_numbers().tolist(), result.rejected, result.described, result.splits


@given(jsonl())
@example('{"a": 1}\n{"a": 1.5}\n' * 9)
@example('{"a": "x", "s": null}\n{"a": "y", "s": 0.1}\n' * 9)
@example('{"a": 1}\n{"b": 1}\n{"a": 1, "a": 2}\n')
def test_both_ways_give_the_same_table(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        at_once = outcome(text)
        patch.setattr(module, "read_at_once", lambda text, data, limits: None)
        assert outcome(text) == at_once


def test_new_field_in_each_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    first = '{"id": "d1", "keywords": ["tide"]}\n' * 300  # more lines than tell the fields
    late = "".join(f'{{"field {number}": 1}}\n' for number in range(3_000))
    wide = json.dumps({f"field {number}": 1 for number in range(3_002)}) + "\n{}" * 3_000
    made, read_json = list[int](), arrow_json.read_json

    def counted(*given: Any) -> pa.Table:
        result = read_json(*given)
        made.append(result.num_columns)
        return result

    monkeypatch.setattr(arrow_json, "read_json", counted)
    for text in (first + late, late, wide):
        lines = [line for line in text.split("\n") if line]
        for form, name in ((text, "s.jsonl"), (f"[{','.join(lines)}]", "s.json")):
            with pytest.raises(InputError, match=r"found JSON objects of 3,00\d different fields"):
                table(form, name)
    assert made == []  # no table of a million cells was made first


def test_number_before_boolean_does_not_crash() -> None:
    """Lines of 3 MB are separate blocks, for each of which Arrow infers the types of fields."""
    code = """
from kp_core.reading.open.json_table import read_at_once
lines = ['{"k": "%s", "a": %s}' % ("x" * 3_000_000, value) for value in ("null", "-1", "true")]
print(read_at_once("\\n".join(lines), "\\n".join(lines).encode()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "None\n")
