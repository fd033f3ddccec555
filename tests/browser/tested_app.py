"""The app that the tests visit: results are kept for all of them; one preset takes four seconds, and another fails."""

import sys
import time
from typing import Any

import streamlit as st
from streamlit.web import cli

import kp_core as kp

evaluate, cache_data = kp.evaluate, st.cache_data


def slowly(corpus: kp.Corpus, settings: kp.Settings, *rest: Any, **options: Any) -> kp.Result:
    if settings.preset == "pke":
        time.sleep(4)
    if settings.preset == "chan":
        raise MemoryError("a path of the server")
    return evaluate(corpus, settings, *rest, **options)


if __name__ == "__main__":
    kp.evaluate = slowly
    st.cache_data = lambda **options: cache_data(**options | {"scope": "global"})  # a result has the digest of its data
    sys.argv[1:1] = ["run", "app.py"]
    cli.main()
