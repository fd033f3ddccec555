"""Load NLTK's Porter stemmer by itself: `import nltk` takes a second for parsers and classifiers that nobody asks for."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

_IN_FULL = "nltk.stem.porter"


@cache
def porter_stemmer() -> Callable[..., Any]:
    """Return the class `nltk.stem.porter.PorterStemmer`; nothing enters `sys.modules`, so `import nltk` stays whole.

    >>> porter_stemmer()().stem("networks")
    'network'
    """
    try:
        found = sys.modules.get(_IN_FULL) or _alone(_IN_FULL)
    except (ImportError, AttributeError, OSError):  # an NLTK that is built differently, or packed into an archive
        found = import_module(_IN_FULL)
    stemmer: Callable[..., Any] = found.PorterStemmer
    return stemmer


def _alone(name: str) -> ModuleType:
    """Run one module of NLTK; what it imports of NLTK in turn is run the same way, without the packages around it."""
    package = find_spec("nltk")
    assert package is not None and package.origin is not None
    path = Path(package.origin).parent.joinpath(*name.split(".")[1:]).with_suffix(".py")
    spec = spec_from_file_location(f"kpscope.{name}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)

    def own_import(asked: str, *given: Any, **more: Any) -> Any:
        if asked.split(".")[0] != "nltk":
            return builtins.__import__(asked, *given, **more)
        names = given[2] or ()
        return SimpleNamespace(**{one: _alone(f"nltk.{one}") for one in names}) if asked == "nltk" else _alone(asked)

    vars(module)["__builtins__"] = vars(builtins) | {"__import__": own_import}
    spec.loader.exec_module(module)
    return module
