"""Internal functions return the values in their examples."""

import json
from importlib import import_module
from typing import Any

import pytest

from tests.cases import cases


@pytest.mark.parametrize(("module", "function", "arguments", "expected"), cases(__file__)["examples"])
def test_function_returns_its_example(module: str, function: str, arguments: list[Any], expected: Any) -> None:
    result = getattr(import_module(f"kp_core.{module}"), function)(*arguments)
    assert json.loads(json.dumps(result, default=list)) == expected
