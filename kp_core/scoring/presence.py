"""Tell whether phrases stand in the texts of their documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kp_core.corpus import memoize
from kp_core.scoring.codes import Bools, Codes, Ints
from kp_core.scoring.prepare import Prepared
from kp_core.text.normalise import Normaliser
from kp_core.text.places import occurs, token_lines


def occurs_in_text(data: Prepared) -> Callable[[Ints, Ints | Codes], Bools]:
    """Return what tells whether forms, in one of their spellings, stand in texts; each pair is looked up once."""
    normaliser, coded, identities = Normaliser.parse(data.settings.normalise), data.coded, data.identities
    key = (str(normaliser), data.settings.titles)
    texts = memoize(data.corpus, "text lines", key, lambda: token_lines(data.texts, normaliser))
    # The phrases as they were written go the same way as the texts: tokens first, stems last.
    raw = coded.phrases.to_pylist()
    predicted = gold = token_lines(raw, normaliser)
    if data.settings.gold_stemmed == "yes":
        gold = token_lines(raw, normaliser.without_stemmer())
    spelled: list[dict[str, None]] = [{} for _ in range(len(identities.forms))]
    for forms, spellings in ((identities.predicted, predicted), (identities.gold, gold)):
        for form, line in zip(forms.tolist(), spellings, strict=True):
            spelled[form][line] = None
    any_order, known = "sort" in normaliser.steps, dict[int, bool]()

    def stands(document: Ints, form: Ints | Codes) -> Bools:
        keys = (document.astype(np.int64) * len(spelled) + form).tolist()
        for key in {*keys} - known.keys():
            text, number = divmod(key, len(spelled))
            known[key] = any(occurs(line, texts[text], any_order) for line in spelled[number])
        return np.array([known[key] for key in keys], bool)

    return stands
