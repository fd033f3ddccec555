"""The app, in which one preset takes four seconds and another fails: what a large collection and a fault look like."""

import time
from typing import Any

import kp_core as kp
from kp_ui import recovery, shell

evaluate = kp.evaluate


def slowly(corpus: kp.Corpus, settings: kp.Settings, *rest: Any, **options: Any) -> kp.Result:
    if settings.preset == "pke":
        time.sleep(4)
    if settings.preset == "chan":
        raise MemoryError("a path of the server")
    return evaluate(corpus, settings, *rest, **options)


kp.evaluate = slowly
recovery.SLOW = 0
shell.run()
