# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that break a rule, of all protocols: analyze finds what tests/traffic/*.rules say, and nothing else."""

import json

import pytest
from fc_samples import rule_cases
from harness import BUILD, analyze, run

TABLES = ("smcr", "rdma_cm", "fcvi", "fc_ae_rdma")


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return rule_cases(tmp_path_factory.mktemp("cases"), TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_each_is_found_and_nothing_else(cases, table):
    """The program says of the cases what the engine does in tests/unit/engine/rule_cases_test.cc."""
    for case in [case for case in cases if case["table"] == table]:
        result = analyze(case["capture"], *case["options"].split())
        assert sorted(finding["rule"] for finding in result["findings"]) == case["findings"], case["name"]
        assert result["capture"]["undecoded_frames"] == result["fc"]["damaged_frames"] == 0, case["name"]


def test_each_rule_is_broken(cases):
    rules = {rule["id"] for rule in json.loads(run([BUILD / "bin/fabricscope", "rules", "--json"]))}
    # tests/unit/engine/rdma_test.cc breaks the rules of streams, which need no set-up.
    rules = {rule for rule in rules if not rule.startswith("RDMA-")}
    # What a server lacks, no message shows (IPCM-CA11-8); what is edited gets a right ICRC (IPCM-11).
    assert {rule for case in cases for rule in case["findings"]} == rules - {"IPCM-CA11-8", "IPCM-11"}
