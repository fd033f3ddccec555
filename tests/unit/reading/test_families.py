"""Every family, and every ambiguous case of the format description, is read in the way that is written down."""

from __future__ import annotations

import pytest

from kp_core.corpus import Corpus, Ranking
from kp_core.errors import InputError
from kp_core.reading import Choice, Source, load
from kp_core.reading.sniff import all_families


def read(text: str | bytes, name: str = "a.csv", role: str = "gold", **more: object) -> Corpus:
    return load(**{role: Source(name, text.encode() if isinstance(text, str) else text)}, **more)


def gold(text: str | bytes, name: str = "a.csv", **more: object) -> list[tuple[str, str, str]]:
    table = read(text, name, "gold", **more).gold
    return list(table[["doc_id", "annotator", "phrase"]].itertuples(index=False, name=None))


def runs(text: str | bytes, name: str = "a.csv", **more: object) -> list[tuple[str, str, int, str]]:
    table = read(text, name, "systems", **more).runs
    return list(table[["system", "doc_id", "rank", "phrase"]].itertuples(index=False, name=None))


def notes(corpus: Corpus) -> str:
    return "\n".join(note.message for note in corpus.report.notes)


# F1 variant lists


def test_lists_of_lists_are_variants() -> None:
    corpus = read('{"C-7": [["job shop"], ["quality of rest", "rest quality"]], "C-9": []}', "g.json")
    assert corpus.gold["phrase"].tolist() == ["job shop", "quality of rest"]
    assert corpus.gold["variants"].tolist() == [None, ("quality of rest", "rest quality")]
    assert corpus.documents["doc_id"].tolist() == ["C-7", "C-9"]
    assert corpus.empty.to_numpy().tolist() == [["gold", "gold", "C-9"]]
    assert corpus.report.readings[0].family == "F1"


def test_a_gold_standard_without_variants_has_no_such_column() -> None:
    assert "variants" not in read('{"d": [["a"], ["b"]]}', "g.json").gold


def test_variants_of_a_system_count_as_one_prediction() -> None:
    assert runs('{"d": [["a", "b"], ["c"]]}', "s.json") == [("s", "d", 1, "a"), ("s", "d", 2, "c")]


def test_the_user_may_take_inner_lists_as_tokens() -> None:
    choice = {"s.json": Choice(options={"inner": "tokens"})}
    assert runs('{"d": [["tide", "table"], ["sea"]]}', "s.json", roles=choice)[0][3] == "tide table"


# F2 plain lists


def test_plain_lists_keep_their_order() -> None:
    assert runs('{"d2": ["b", "a"], "d1": ["c"]}', "s.json") == [
        ("s", "d2", 1, "b"),
        ("s", "d2", 2, "a"),
        ("s", "d1", 1, "c"),
    ]


def test_lists_without_ids_are_counted() -> None:
    corpus = read('[["tide table"], [], ["b"]]', "g.json")
    assert corpus.documents["doc_id"].tolist() == ["1", "2", "3"]
    assert "counted 1 to 3" in notes(corpus)


# F3 one document a line


def test_a_line_is_an_id_a_tab_and_phrases() -> None:
    text = "J-4.txt\torder book;market maker; spread \n44801.html\ttyphon;;côte est;\nx\t\n"
    corpus = read(text, "ref")
    assert corpus.gold["phrase"].tolist() == ["order book", "market maker", "spread", "typhon", "côte est"]
    assert corpus.empty["doc_id"].tolist() == ["x"]
    assert corpus.report.readings[0].rows_blank == 1


def test_lines_end_only_where_an_editor_ends_them() -> None:
    assert gold("d1\ta\u2028b;c\x0bd\r\nd2\te\x85f;g\rd3\th;i\n", "ref")[:3] == [
        ("d1", "gold", "a\u2028b"),
        ("d1", "gold", "c\x0bd"),
        ("d2", "gold", "e\x85f"),
    ]


def test_the_at_form_may_begin_with_comments() -> None:
    corpus = read("made by x\n\nFT911-0@order book;market maker;\nFT911-1@a;b;\n", "ref")
    assert corpus.gold["doc_id"].tolist() == ["FT911-0", "FT911-0", "FT911-1", "FT911-1"]
    assert "comments" in notes(corpus)


def test_lists_of_one_length_that_begin_with_known_words_stay_lists() -> None:
    rows = [["term", "rank", "score", "searched"], *([f"p{n}", "q", "r", "s"] for n in range(5))]
    corpus = read("".join(f"d{n}\t{';'.join(row)}\n" for n, row in enumerate(rows)), "s.tsv", "systems")
    assert corpus.report.readings[0].family == "F3"
    assert corpus.runs["phrase"].tolist()[:4] == rows[0]


def test_a_line_without_a_tab_is_rejected() -> None:
    corpus = read("d1\ta;b\n" * 1 + "".join(f"e{n}\ta;b\n" for n in range(9)) + "no list here\n", "ref")
    assert corpus.report.rejected.to_numpy().tolist() == [
        ["ref", "11", "no TAB between id and phrases", "no list here"]
    ]


def test_repeated_ids_without_semicolons_are_a_long_table() -> None:
    corpus = read("d1\ttide\nd1\tsea\nd2\tmoon\n", "a.tsv")
    assert corpus.report.readings[0].family == "F10"
    assert corpus.gold["doc_id"].tolist() == ["d1", "d1", "d2"]
    assert "no header" in notes(corpus)


def test_unique_ids_without_semicolons_are_lists_of_one() -> None:
    assert gold("d1\ttide\nd2\tsea\n", "a.tsv") == [("d1", "gold", "tide"), ("d2", "gold", "sea")]


# F6 one JSON object a document


def test_kpeval_lines_hold_gold_predictions_and_texts() -> None:
    line = (
        '{"id": "d1", "source": "Tides [sep] Water rises.", "target": "tide ; sea level", "predictions": "tide ; moon"}'
    )
    corpus = read(line + "\n" + line.replace("d1", "d2"), "kpeval.jsonl", "files")
    assert corpus.gold["phrase"].tolist()[:2] == ["tide", "sea level"]
    assert corpus.runs["phrase"].tolist()[:2] == ["tide", "moon"]
    assert corpus.documents[["title", "text"]].to_numpy().tolist()[0] == ["Tides", "Water rises."]


@pytest.mark.parametrize("name", ["prediction", "predictions", "preds", "output"])
def test_predictions_have_several_names(name: str) -> None:
    assert runs(f'{{"id": "d1", "{name}": ["tide"]}}\n', "s.jsonl") == [("s", "d1", 1, "tide")]


def test_keyphrases_of_bert_kpe_are_token_lists_with_scores() -> None:
    line = '{"url": "u9", "KeyPhrases": [["tide", "table"], ["moon"]], "Scores": [2.7, -0.4]}\n'
    corpus = read(line, "s.jsonl", "systems")
    assert corpus.runs[["phrase", "score"]].to_numpy().tolist() == [["tide table", 2.7], ["moon", -0.4]]
    assert corpus.rankings == {"s": Ranking("score", True)}


def test_token_lists_need_no_scores_under_that_name() -> None:
    assert runs('{"url": "u", "KeyPhrases": [["tide", "table"], ["a", "1"]]}\n' * 1, "s.jsonl")[0][3] == "tide table"


def test_extractive_and_abstractive_keyphrases_are_united() -> None:
    line = (
        '{"id": "d1", "document": ["Water", "rises"], "doc_bio_tags": ["B", "O"], "extractive_keyphrases": ["water"], '
    )
    corpus = read(line + '"abstractive_keyphrases": ["tide"]}\n', "g.jsonl")
    assert corpus.gold["phrase"].tolist() == ["water", "tide"]
    assert corpus.documents["text"].tolist() == ["Water rises"]
    assert "tokenised" in notes(corpus)


def test_lines_without_ids_are_numbered() -> None:
    line = '{"title": "Tides", "abstract": "Water rises.", "keyphrases": ["water", "tide"], "prmu": ["P", "U"]}\n'
    corpus = read(line * 2, "g.jsonl")
    assert corpus.documents[["doc_id", "title", "text"]].to_numpy().tolist() == [
        ["1", "Tides", "Water rises."],
        ["2", "Tides", "Water rises."],
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ['{"id": "d8", "predictions": ["a"', '], "note": 1}'],
        ['{"id": "d8", "predictions": ["a"]}, {"id": "d9", "predictions": ["a"]}', '{"id": "x", "note": [{}', "{}]}"],
    ],
)
def test_lines_that_are_whole_only_together_are_rejected_one_by_one(lines: list[str]) -> None:
    good = [f'{{"id": "d{n}", "predictions": ["a"]}}' for n in range(20)]
    corpus = read("\n".join([*good, *lines]), "predictions.jsonl", "systems")
    assert corpus.report.rejected["line"].tolist() == [str(21 + n) for n in range(len(lines))]


def test_a_broken_line_is_rejected_with_its_number() -> None:
    lines = "".join(f'{{"id": "d{n}", "predictions": ["a"]}}\n' for n in range(9)) + '{"id": "d9", "pre'
    corpus = read(lines, "predictions.jsonl", "systems")
    assert corpus.report.rejected.iloc[0].tolist() == [
        "predictions.jsonl",
        "10",
        "no whole JSON object (ends early)",
        '{"id": "d9", "pre',
    ]


def test_values_over_several_lines_are_read_too() -> None:
    assert len(runs('{"id": "d1",\n "predictions": ["a"]}\n{"id": "d2",\n "predictions": ["b"]}', "s.json")) == 2


def test_an_array_of_objects_is_read_like_lines() -> None:
    assert gold('[{"id": 7, "keywords": "a;b"}, {"id": "007", "keywords": []}]', "g.json") == [
        ("7", "gold", "a"),
        ("7", "gold", "b"),
    ]


# F9 scores


@pytest.mark.parametrize(
    "text",
    [
        '{"d": [["a", 0.82], ["b", 0.4]]}',
        '{"d": [[0.82, "a"], [0.4, "b"]]}',
        '{"d": [["a", "0.82"], ["b", "0.4"]]}',
        '{"d": {"a": 0.82, "b": 0.4}}',
        '{"d": [{"keyphrase": "a", "score": "0.82"}, {"keyphrase": "b", "score": "0.4"}]}',
    ],
)
def test_scores_come_in_many_forms(text: str) -> None:
    table = read(text, "s.json", "systems").runs
    assert table[["phrase", "rank", "score"]].to_numpy().tolist() == [["a", 1, 0.82], ["b", 2, 0.4]]


def test_one_list_of_pairs_is_one_document() -> None:
    assert runs('[["tide table", 0.82], ["harbour", 0.4]]', "d7.json")[0][:2] == ("d7", "d7")


def test_rising_scores_mean_that_lower_is_better() -> None:
    corpus = read('{"d1": [["a", 0.01], ["b", 0.2]], "d2": [["c", 0.1], ["d", 0.1]]}', "yake.json", "systems")
    assert corpus.rankings["yake"] == Ranking("score", higher_is_better=False)
    assert "lower is taken as better" in notes(corpus)


def test_mixed_scores_mean_that_higher_is_better_and_lists_are_sorted() -> None:
    corpus = read('{"d1": [["a", 1], ["b", 2]], "d2": [["c", 2], ["d", 1]]}', "s.json", "systems")
    assert corpus.runs["phrase"].tolist() == ["b", "a", "c", "d"]
    assert corpus.rankings["s"] == Ranking("score", higher_is_better=True, resorted=1)
    assert "1 list of “s” was not in order of score; it was sorted." in notes(corpus)


def test_the_user_may_turn_the_scores_round() -> None:
    choice = {"s.json": Choice(higher_is_better=False)}
    assert [row[3] for row in runs('{"d1": [["a", 2], ["b", 1]]}', "s.json", roles=choice)] == ["b", "a"]


def test_ties_keep_the_order_of_the_file() -> None:
    assert [row[3] for row in runs('{"d": [["z", 1], ["b", 2], ["a", 1], ["c", 2]]}', "s.json")] == ["b", "c", "z", "a"]


def test_a_rank_column_goes_before_scores() -> None:
    text = "doc_id,rank,phrase,score\nd,2,a,0.9\nd,1,b,0.1\nd,2,c,0.5\n"
    assert runs(text, "s.csv") == [("s", "d", 1, "b"), ("s", "d", 2, "a"), ("s", "d", 3, "c")]


@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "high", "1_000", "1e999"])
def test_a_score_that_is_no_finite_number_is_rejected(score: str) -> None:
    rows = "".join(f"d,p{n},{10 - n}\n" for n in range(5))
    corpus = read(f"doc_id,phrase,score\n{rows}d,bad,{score}\n", "s.csv", "systems")
    assert corpus.report.rejected.iloc[0].tolist()[:3] == ["s.csv", "7", "score is not a finite number"]


def test_nan_in_json_is_no_number() -> None:
    pairs = ", ".join(f'["p{n}", 0.{9 - n}]' for n in range(6))
    corpus = read(f'{{"d": [{pairs}, ["bad", NaN]]}}', "s.json", "systems")
    assert len(corpus.runs) == 6
    assert len(corpus.report.rejected) == 1


def test_a_list_where_many_scores_are_nan_is_no_list_of_spellings() -> None:
    with pytest.raises(InputError, match=r"1 of 2 rows .* score is not a finite number: NaN"):
        read('{"d": [["tide", NaN], ["sea", 0.3]]}', "s.json", "systems")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.jsonl", "\n".join(f'{{"doc_id": "d", "phrase": "{one}"}}' for one in ("a", "b", "c", "e", r"\ud800"))),
        ("g.json", r'{"d": [["a"], ["b"], ["c"], ["e"], ["x", "\udc00"]]}'),
    ],
)
def test_half_a_character_is_rejected_and_not_made_a_question_mark(name: str, text: str) -> None:
    corpus = read(text, name)
    assert corpus.gold["phrase"].tolist() == ["a", "b", "c", "e"]
    assert corpus.report.rejected["reason"].tolist() == ["half a character (a lone surrogate) that cannot be stored"]


def test_ranks_that_begin_with_0_are_refused_and_do_not_cost_each_list_its_best_phrase() -> None:
    rows = "".join(f"d{d},{rank},p{rank}\n" for d in range(3) for rank in range(20))
    with pytest.raises(InputError, match=r"ranks that begin with 0\. Add 1 to every rank"):
        read(f"doc_id,rank,phrase\n{rows}", "s.csv", "systems")


def test_a_column_without_any_number_is_no_score() -> None:
    assert [row[3] for row in runs("doc_id,phrase,score\nd,b,high\nd,a,low\n")] == ["b", "a"]


# ambiguous cases


def test_two_spellings_of_an_id_are_two_documents() -> None:
    corpus = load(
        gold={"C-7": ["a"], "007": ["b"], "A-1": ["c"]}, systems={"s": {"C-7.txt": ["a"], "7": ["b"], "a-1": ["c"]}}
    )
    assert len(corpus.documents) == 6


def test_a_document_twice_is_refused_naming_both_places() -> None:
    with pytest.raises(InputError, match=r"ref, line 3: .*document “d1” of “gold” again, first ref, line 1"):
        read("d1\ta;b\nd2\tc\nd1\tx;y", "ref")


@pytest.mark.parametrize(("fix", "wanted"), [("keep-first", ["a", "b", "c"]), ("merge", ["a", "b", "c", "x"])])
def test_a_document_twice_may_be_settled(fix: str, wanted: list[str]) -> None:
    assert [row[2] for row in gold("d1\ta;b\nd2\tc\nd1\tx", "ref", fixes=[fix])] == wanted


@pytest.mark.parametrize(("fix", "wanted"), [("keep-first", ["a", "b"]), ("merge", ["a", "c", "b"])])
def test_a_key_twice_in_json_is_refused_or_settled(fix: str, wanted: list[str]) -> None:
    text = '{"d1": ["a"],\n"d2": ["b"],\n"d1": ["c"]}'
    with pytest.raises(InputError, match="lines 1 and 3"):
        read(text, "g.json")
    corpus = read(text, "g.json", fixes=[fix])
    assert corpus.gold["phrase"].tolist() == wanted
    merged = "their lists were joined, and of anything else the first was kept"
    done = "the first of each was kept" if fix == "keep-first" else merged
    assert [note.message for note in corpus.report.notes] == [f"Keys that stood twice in one object: 1; {done}."]


def test_a_phrase_twice_in_a_list_is_kept() -> None:
    assert len(gold("d1\ta;a;b", "ref")) == 3


def test_a_document_twice_across_files_of_one_annotator_is_refused() -> None:
    with pytest.raises(InputError, match="again"):
        load(gold={"ana": [Source("a.json", b'{"d": ["x"]}'), Source("b.json", b'{"d": ["y"]}')]})


# what is no input


def test_published_scores_are_known_as_no_input() -> None:
    with pytest.raises(InputError, match="a table of measures"):
        read("P10 R10 F10\n0.100 0.077 0.087\n", "candidats.degree.scores", "systems")


def test_xml_is_refused_with_a_remedy() -> None:
    with pytest.raises(InputError, match="XML is not read"):
        read('<?xml version="1.0"?><a/>', "a.xml")


def test_broken_json_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match="line 2, column 4"):
        read('{"d1": ["a",\n"b"', "g.json")


def test_deep_json_and_endless_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="nested"):
        read("[" * 100 + "]" * 100, "g.json")
    with pytest.raises(InputError, match="nested"):
        read("[" * 100_000 + "]" * 100_000, "g.json")
    with pytest.raises(InputError, match="digits"):
        read('{"d": [["a", ' + "9" * 400 + "]]}", "g.json")


def test_half_a_character_is_a_rejected_row() -> None:
    corpus = read('{"d1": ["\\ud800", "a", "b", "c", "d", "e"]}', "g.json")
    assert "surrogate" in corpus.report.rejected["reason"].iloc[0]
    assert len(corpus.gold) == 5


def test_strict_refuses_the_first_rejected_row() -> None:
    text = "doc_id,phrase\n" + "d1,a\n" * 9 + ",b\n"
    assert len(read(text).report.rejected) == 1
    with pytest.raises(InputError, match="line 11"):
        read(text, strict=True)


def test_more_than_a_fifth_of_rejected_rows_is_another_format() -> None:
    with pytest.raises(InputError, match="probably another format"):
        read("doc_id,phrase\n" + "d1,a\n" * 3 + ",b\n")


# the families themselves


def test_every_family_recognises_its_own_example() -> None:
    for family in all_families():
        if family.EXAMPLE and family.NAME not in ("F4", "F12"):
            role = (
                "judgements" if family.NAME == "F11" else "systems" if family.NAME in ("F4A", "F9", "F10") else "gold"
            )
            assert read(family.EXAMPLE, "example", role).report.readings[0].family == family.NAME


def test_a_family_may_be_forced() -> None:
    corpus = read("d1\ttide\nd2\tsea\n", "a.tsv", roles={"a.tsv": Choice(family="F10")})
    assert corpus.report.readings[0].family == "F10"
    with pytest.raises(InputError, match="a file of family F2"):
        read("d1\ttide\n", "a.tsv", roles={"a.tsv": Choice(family="F2")})


def test_json_lines_of_unknown_fields_are_not_called_broken() -> None:
    lines = Source("a.jsonl", b'{"phrase": "hash table"}\n{"phrase": "tree"}\n')
    with pytest.raises(InputError, match=r"expected keyphrases in a known format, .*found a first line"):
        load(gold=lines)
    with pytest.raises(InputError, match="broken JSON"):
        load(gold=Source("a.jsonl", b'{"phrase": "hash table"}\n{"phrase": "tr'))


@pytest.mark.parametrize(
    ("fix", "wanted", "done"),
    [
        ("keep-first", ["a", "c"], "the first of each was kept"),
        ("merge", ["a", "b", "c"], "their lists were joined, and of anything else the first was kept"),
    ],
)
def test_a_key_twice_in_a_line_of_json_is_refused_or_counted(fix: str, wanted: list[str], done: str) -> None:
    text = '{"id": "d1", "keywords": ["a"], "keywords": ["b"]}\n{"id": "d2", "keywords": ["c"], "id": "d3"}\n'
    with pytest.raises(InputError, match=r"line 1: .*the key “keywords” twice. Keep one of them, or choose a fix"):
        read(text, "g.jsonl")
    # A line that breaks off is parsed as well, and what it repeats is not counted.
    lines = text + '{"id": "d5", "keywords": ["e"]}\n' * 4 + '{"id": "d4", "keywords": ["x"], "keywords": ["y"]'
    corpus = read(
        lines.replace('"d5"', '"d6"', 1).replace('"d5"', '"d7"', 1).replace('"d5"', '"d8"', 1), "g.jsonl", fixes=[fix]
    )
    assert corpus.gold["phrase"].tolist() == [*wanted, *"eeee"]
    assert f"Keys that stood twice in one object: 2; {done}." in notes(corpus)


def test_millions_of_objects_in_one_line_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="line 2: expected at most 100,000 objects, found a line of 100,001 objects"):
        read(b'{"id": "a", "keywords": ["x"]}\n' + b'{"a":1}' * 200_000, "g.jsonl")
    for text in (b"{}" * 200_000, b"[{}" + b",{}" * 200_000 + b"]", b"{}\n" * 200_000):
        with pytest.raises(InputError, match=r"g\.jsonl: expected"):
            read(text, "g.jsonl")
