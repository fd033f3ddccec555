"""Load NLTK's Porter stemmer by itself: `import nltk` takes a second, for parsers and classifiers."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
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
    stemmer: Callable[..., Any]
    try:
        stemmer = (sys.modules.get(_IN_FULL) or _alone(_IN_FULL)).PorterStemmer
    except (ImportError, AttributeError, OSError):  # an NLTK that is built differently, or packed into an archive
        stemmer = import_module(_IN_FULL).PorterStemmer
    return stemmer


def _alone(name: str) -> ModuleType:
    """Run one module of NLTK; what it imports of NLTK in turn is run the same way, without the packages around it."""
    package = find_spec("nltk")
    if package is None or package.origin is None:
        raise ImportError("NLTK is not installed")
    path = Path(package.origin).parent.joinpath(*name.split(".")[1:]).with_suffix(".py")
    loader = SourceFileLoader(f"kpscope.{name}", str(path))
    module = ModuleType(loader.name)

    def own_import(asked: str, *given: Any, **more: Any) -> Any:
        if asked.split(".")[0] != "nltk":
            return builtins.__import__(asked, *given, **more)
        names = given[2] or ()
        return SimpleNamespace(**{one: _alone(f"nltk.{one}") for one in names}) if asked == "nltk" else _alone(asked)

    vars(module)["__builtins__"] = vars(builtins) | {"__import__": own_import}
    loader.exec_module(module)
    return module
