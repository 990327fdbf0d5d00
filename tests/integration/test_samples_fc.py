# SPDX-License-Identifier: GPL-2.0-or-later
"""The made captures of Fibre Channel: the committed files are what the table makes, README.md says what is in them, and
analyze finds in each what its row says, and nothing else."""

import json

import pytest

from fc_story import of_fc_ae_rdma, of_fcvi
from harness import BUILD, ROOT, analyze, fields, run

TABLE = json.loads(run([BUILD / "bin/make_samples", "--list"]))
SAMPLES = [row for row in TABLE if row["sample"]]


def name_of(row):
    return f"{row['group']}-{row['name']}"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    run([BUILD / "bin/make_samples", folder, "--tests"])
    return folder


def test_the_files_are_what_the_table_makes(made):
    for group in {row["group"] for row in SAMPLES}:
        rows = [row for row in SAMPLES if row["group"] == group]
        names = sorted(capture for row in rows for capture in row["captures"])
        assert sorted(p.name for p in (ROOT / "samples" / group).iterdir()) == names
        for name in names:
            assert (ROOT / "samples" / group / name).read_bytes() == (made / group / name).read_bytes(), name


def test_readme_has_the_table():
    assert run([BUILD / "bin/make_samples", "--readme"]).decode() in (ROOT / "samples/README.md").read_text()


@pytest.mark.parametrize("row", TABLE, ids=name_of)
def test_analyze_tells_what_happens(row, made):
    for capture in row["captures"]:
        result = analyze(made / row["group"] / capture, *row["options"].split())
        found = [finding["rule"] for finding in result["findings"]]
        assert sorted(found) == sorted(row["findings"]), (capture, result["findings"])
        told = of_fcvi(result) if row["group"].startswith("fcvi") else of_fc_ae_rdma(result)
        assert told == row["result"], capture
        assert result["capture"]["frames"] == row["frames"], capture
        assert result["capture"]["undecoded_frames"] == result["fc"]["damaged_frames"] == 0, capture


def test_every_rule_is_broken_by_a_capture_that_breaks_just_it():
    alone = {rule for row in TABLE for rule in row["findings"] if len(set(row["findings"])) == 1}
    rules = {rule["id"] for rule in json.loads(run([BUILD / "bin/fabricscope", "rules", "--json"]))}
    wanted = {rule for rule in rules if rule.startswith(("FCVI-", "VI-", "AERDMA-"))}
    assert wanted - alone == {"VI-R9"}, "who answers too early was sent something too early"


@pytest.mark.parametrize("row", SAMPLES, ids=name_of)
def test_wireshark_reads_every_frame(row, made):
    for capture in row["captures"]:
        frames = fields(made / row["group"] / capture, "frame.number", "_ws.malformed")
        assert len(frames) == row["frames"]
        assert not any(frame["_ws.malformed"] for frame in frames)
