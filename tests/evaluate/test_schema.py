"""What ships is what its schema says, and the schema that is printed is the one that is checked."""

import json
from pathlib import Path
from typing import get_type_hints

import pytest

from workbench.evaluate import corpora
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.judging import line_of
from workbench.evaluate.schema import Case, Manifest
from workbench.fronts.cli_options import Run

ROOT = Path(__file__).parents[2]


def test_the_documented_schema_is_the_manifests() -> None:
    told = json.loads((ROOT / "docs" / "corpus.schema.json").read_text())
    assert told == Manifest.model_json_schema(by_alias=True)


@pytest.mark.parametrize("name", corpora.shipped())
def test_every_shipped_case_has_its_file_and_its_licence(name: str) -> None:
    cases = corpora.load(name)
    assert cases
    assert all(corpora.inside(case, case.target).is_file() for case in cases)
    assert all(case.source and case.licence for case in cases)
    assert len({case.id for case in cases}) == len(cases)
    assert all(line_of(case, one) for case in cases for one in case.expected.origins)


@pytest.mark.parametrize("corpus", ["", "/", "/var", "..", "programs/.."])
def test_a_corpus_that_does_not_ship_and_has_no_folder_has_no_files(corpus: str) -> None:
    case = Case.model_construct(id="c", corpus=corpus, folder="", target="etc/hostname")
    with pytest.raises(EvaluationError, match="ships"):
        corpora.inside(case, case.target)


def test_the_help_names_the_corpora_that_ship() -> None:
    (option,) = get_type_hints(Run, include_extras=True)["corpus"].__metadata__
    assert f"({', '.join(corpora.shipped())})" in option.help
