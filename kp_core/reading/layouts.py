"""Find how a table is to be read: as the user says, as a known export says, or as words and proofs propose."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from kp_core.corpus import Role
from kp_core.reading.exports import export_of, meant_rows
from kp_core.reading.joined import joined
from kp_core.reading.layout import Layout
from kp_core.reading.layout_mapping import layout_said
from kp_core.reading.mapping import Mapping
from kp_core.reading.marks import graded
from kp_core.reading.prefill import proposal
from kp_core.reading.table import Table


def layout_of(table: Table, role: Role | None, mapping: Mapping) -> Layout | None:
    """Return the layout that a mapping spells out, else the proposed one with its doubts; None if nothing is known."""
    asked = mapping.role if mapping.role and mapping.role != "leave out" else role
    if not table.names:
        return None
    table = graded(joined(meant_rows(table), mapping), mapping)
    if mapping.names_columns:
        return layout_said(table, mapping, asked)
    found = export_of(table, asked) or proposal(table, asked)
    if found is None:
        return None
    meant = replace(found.mapping, dataset=table.dataset, run=table.run).merged(replace(mapping, role=""))
    made = layout_said(table, meant, cast(Role, found.mapping.role))
    doubts = () if mapping.as_read else found.doubts
    evidence = f"as {found.program} writes it; {made.evidence}" if found.program else made.evidence
    return replace(
        made, doubts=doubts, role_sure=found.role_known, worded=found.worded, own=found.own, evidence=evidence
    )
