"""F11: tables with a candidate beside a keyphrase and scores of people become judgements."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.corpus import Role
from kp_core.reading.delimited import read_delimited
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.json_text import begins_like_json
from kp_core.reading.judged import judgement_columns, judgement_rows

NAME = "F11"
TITLE = "judged pairs: CSV, TSV, wide or long"
EXAMPLE = "pair_id,doc_id,keyphrase,candidate,score_1,score_2\np1,d1,harbour tide table,tide table,3,2"
OPTIONS = {"scale": ("0-4", "0-2", "0-10")}


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise a header with `candidate` beside `keyphrase`."""
    if len(files) != 1 or role not in (None, "judgements") or begins_like_json(files[0].json):
        return None
    table = files[0].once("table", lambda: read_delimited(files[0], choice))
    columns = judgement_columns(table, choice) if table is not None else None
    if table is None or columns is None:
        return None
    evidence = f"{table.described}; `candidate` stands beside {'`keyphrase`' if 'keyphrase' in columns else 'scores'}"
    return Recognition(NAME, "judgements", tuple(files), 0.97, evidence, columns, dict(choice.options))


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one row a pair and annotator."""
    file = recognition.files[0]
    table = file.once("table", lambda: read_delimited(file, Choice(columns=recognition.columns)))
    if table is None:
        return []
    return [judgement_rows(table, recognition.columns, Choice(options=recognition.options))]
