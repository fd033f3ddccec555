"""Values of all documents at once, and the error of a mean over them, against documents one by one."""

import numpy as np
import pytest

import kp_core as kp


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest) -> kp.Corpus:
    lectures = request.config.rootpath / "sample_data" / "lectures"
    systems = {name: lectures / "systems" / f"{name}.csv" for name in ("rake", "yake")}
    return kp.load(lectures / "gold.csv", systems, lectures / "documents.jsonl")


def test_all_values_are_those_of_documents_one_cutoff_at_a_time(corpus: kp.Corpus) -> None:
    settings = kp.evaluate(corpus, k=[2, 5], measures="F1@k", interval="none").settings
    asked = ["F1@k", "P@3", "MAP", "kappa"]
    found = {(system, name): values for system, name, values in kp.all_values(corpus, settings, asked)}
    assert len(found) == 8
    assert {name: found["rake", name].shape[1] for name in asked} == {"F1@k": 2, "P@3": 1, "MAP": 1, "kappa": 2}
    for name, spelled, column in (("F1@k", "F1@2", 0), ("F1@k", "F1@5", 1), ("P@3", "P@3", 0), ("MAP", "MAP", 0)):
        rows = kp.by_document(corpus, settings, spelled)
        for system in ("rake", "yake"):
            expected = rows.loc[rows["system"] == system, "value"].to_numpy(float)
            np.testing.assert_allclose(found[system, name][:, column], expected, rtol=1e-12)
