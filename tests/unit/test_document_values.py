"""Values of all documents at once, and the error of a mean over them, against documents one by one."""

import numpy as np

import kp_core as kp


def test_all_values_are_those_of_documents_one_cutoff_at_a_time(lectures: kp.Corpus) -> None:
    settings = kp.evaluate(lectures, k=[2, 5], measures="F1@k", interval="none").settings
    asked = ["F1@k", "P@3", "MAP", "kappa"]
    found = {(system, name): values for system, name, values in kp.all_values(lectures, settings, asked)}
    assert len(found) == 4 * len(lectures.systems)
    assert {name: found["rake", name].shape[1] for name in asked} == {"F1@k": 2, "P@3": 1, "MAP": 1, "kappa": 2}
    for name, spelled, column in (("F1@k", "F1@2", 0), ("F1@k", "F1@5", 1), ("P@3", "P@3", 0), ("MAP", "MAP", 0)):
        rows = kp.by_document(lectures, settings, spelled)
        for system in ("rake", "yake"):
            expected = rows.loc[rows["system"] == system, "value"].to_numpy(float)
            np.testing.assert_allclose(found[system, name][:, column], expected, rtol=1e-12)
