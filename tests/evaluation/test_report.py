"""The report: what a person reads, what a program reads, and a picture that is well-formed whatever the words are."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from memfort.evaluation.metrics import MEASURES, Sample, score
from memfort.evaluation.plot import plot
from memfort.evaluation.report import document, markdown, missed_lines, rows
from memfort.evaluation.run import Evaluation

SAMPLES = (
    Sample("extraction_precision", True, 1, "en", "", "lives in Oslo"),
    Sample("extraction_precision", False, 2, "de", "", "hello | there <b>\nsecond line"),
    Sample("retrieval_hit_rate", False, 3, "en", "where do I live", "nothing"),
    Sample("injection_pollution_rate", True, 4, "en", "files", ""),
)


@pytest.fixture
def found() -> Evaluation:
    return Evaluation("own & file", 5, SAMPLES, tuple(score(SAMPLES)))


def test_the_table_has_every_measure_and_says_which_were_not_measured(found):
    table = {row[0]: row for row in rows(found.scores)}
    assert list(table) == list(MEASURES)
    assert table["extraction_precision"][1:4] == ("0.50", "≥ 0.85", "1 of 2 statements kept")
    assert table["injection_pollution_rate"][1:4] == ("0.00", "≤ 0.02", "0 of 1 prompts")
    assert table["deletion_compliance"][-1] == "not measured"
    assert [row[-1] for row in table.values()].count("MISSED") == 2


def test_what_was_missed_names_the_line(found):
    lines = missed_lines(found, 10)
    assert "  line 3 (en): where do I live – found: nothing" in lines
    assert sum("line 2 (de)" in line for line in lines) == 1
    assert not any("line 1 " in line for line in lines)


def test_only_so_many_are_listed(found):
    many = Evaluation("own", 5, SAMPLES[2:3] * 7, found.scores)
    assert missed_lines(many, 3)[-1] == "  … and 4 more"


def test_the_document_is_plain_json(found):
    made = json.loads(json.dumps(document(found)))
    assert made["met"] is False
    assert [one["name"] for one in made["measures"]] == [one.measure.name for one in found.scores]
    assert made["by_language"]["de"] == {"extraction_precision": 0.0}
    assert [one["line"] for one in made["misses"]] == [2, 3]


def test_words_of_the_file_are_no_markdown(found):
    page = markdown(found)
    assert "hello \\| there &lt;b> second line" in page
    assert page.count("\n## ") == 2


def test_the_picture_is_well_formed_and_shows_every_measure(found):
    picture = plot("A <title> & more", found.scores)
    root = ElementTree.fromstring(picture)
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "A <title> & more"
    assert {one.measure.name.replace("_", " ") for one in found.scores} <= set(texts)
    bars = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.get("height") == "22"]
    assert len(bars) == len(found.scores)
    assert bars[-1].get("width") == "0"
    assert {one.get("fill") for one in bars} == {"#f87171", "#2dd4bf"}
