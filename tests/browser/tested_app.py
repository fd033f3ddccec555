"""The app that the tests visit, in which one preset takes four seconds, and another fails."""

import sys
import time
from typing import Any

from streamlit.web import cli

import kp_core as kp

evaluate = kp.evaluate


def slowly(corpus: kp.Corpus, settings: kp.Settings, *rest: Any, **options: Any) -> kp.Result:
    if settings.preset == "pke":
        time.sleep(4)
    if settings.preset == "chan":
        raise MemoryError("a path of the server")
    return evaluate(corpus, settings, *rest, **options)


if __name__ == "__main__":
    kp.evaluate = slowly
    sys.argv[1:1] = ["run", "app.py"]
    cli.main()
