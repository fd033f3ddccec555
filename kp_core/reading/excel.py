"""Open an Excel workbook without walking through its sheets, as openpyxl does where one declares no size."""

from __future__ import annotations

import io
import re
from typing import Any

from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import range_boundaries
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

#: The size that a sheet declares stands above its rows, within so many bytes.
_SIZE, _HEAD = re.compile(rb'<dimension ref="([A-Z0-9:]+)"'), 2_000


class _Sheet(ReadOnlyWorksheet):  # type: ignore[misc]
    def _get_size(self) -> None:
        with self._get_source() as content:
            declared = _SIZE.search(content.read(_HEAD))
        if declared:
            bounds = range_boundaries(declared[1].decode())
            self._min_column, self._min_row, self._max_column, self._max_row = bounds


class _Reader(ExcelReader):  # type: ignore[misc]
    def read_worksheets(self) -> None:
        for sheet, link in self.parser.find_sheets():
            if link.target in self.valid_files and "chartsheet" not in link.Type:
                page = _Sheet(self.wb, sheet.name, link.target, self.shared_strings)
                page.sheet_state = sheet.state
                self.wb._sheets.append(page)


def workbook_of(data: bytes) -> Any:
    """Return a workbook of openpyxl, whose sheets are read when they are asked for, and formulas as their values."""
    reader = _Reader(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    reader.read()
    return reader.wb
