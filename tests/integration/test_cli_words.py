# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: options in any order, help, and what is said to a wrong word."""

import itertools
import json

import pytest

from harness import attempt, fabricscope, sample

ECHO = sample("smcr_v2_echo")


def said(*words):
    """Exit status and what is written to standard error."""
    done = attempt(*words)
    return done.returncode, done.stderr.decode()


def orders(*parts):
    """The parts, each a list of words, one behind the other in every order."""
    for chosen in itertools.permutations(parts):
        yield [word for part in chosen for word in part]


@pytest.mark.parametrize("command, parts", [
    ("analyze", [["--rule", "SMCR-R04"], ["--protocol", "smcr"], [ECHO]]),
    ("analyze", [["--rules-level", "error"], ["--fail-on", "error"], [ECHO]]),
    ("analyze", [["--region", "01.02.03/0=512"], ["--all"], [ECHO]]),
    ("analyze", [["--json"], ["--profile", "linux"], [ECHO]]),
    ("timeline", [["--connection", "smcr-1"], ["--ladder"], [ECHO]]),
    ("timeline", [["--link-group", "lg-1"], [ECHO]]),
    ("stream", [["--connection", "smcr-1"], ["--from", "client"], [ECHO]]),
])
def test_an_option_takes_one_word_wherever_it_stands(command, parts):
    outputs = {fabricscope(command, *words, status=(0,)) for words in orders(*parts)}
    assert len(outputs) == 1 and outputs != {b""}


def test_an_option_may_be_repeated_or_name_several():
    both = fabricscope("analyze", ECHO, "--protocol", "smcr,rdma-cm", "--json", status=(0,))
    assert fabricscope("analyze", "--protocol", "smcr", "--protocol", "rdma-cm", ECHO, "--json", status=(0,)) == both
    assert {"smcr", "rdma_cm"} <= json.loads(both).keys()


def test_json_takes_no_capture_for_its_output():
    before = ECHO.read_bytes()
    assert json.loads(fabricscope("analyze", "--json", ECHO, "--profile", "linux", status=(0,)))
    assert ECHO.read_bytes() == before
    status, text = said("analyze", "--json")
    assert status == 2 and "FILE is required" in text


def test_the_program_alone_prints_its_usage():
    status, text = said()
    assert status == 2 and "Usage: fabricscope" in text and "  analyze" in text


@pytest.mark.parametrize("command", ["analyze", "explain", "timeline"])
def test_help_command(command):
    assert fabricscope("help", command, status=(0,)) == fabricscope(command, "--help", status=(0,))


def test_help_alone():
    assert fabricscope("help", status=(0,)) == fabricscope("--help", status=(0,))


@pytest.mark.parametrize("words, meant", [
    (["analyse", ECHO], "did you mean analyze?"),
    (["help", "timline"], "did you mean timeline?"),
    (["analyze", ECHO, "--protocoll", "smcr"], "did you mean --protocol?"),
    (["analyze", ECHO, "--jsn"], "did you mean --json?"),
])
def test_did_you_mean(words, meant):
    status, text = said(*words)
    assert status == 2 and meant in text


@pytest.mark.parametrize("words", [
    ["nonsense"], ["analyze"], ["analyze", "--nonsense", ECHO], ["analyze", "--protocol", "nonsense", ECHO],
    ["stream", ECHO], ["rules", "SMCR-R00"], ["explain", "SMCR-R00"], ["--nonsense"],
])
def test_each_message_begins_with_the_programs_name(words):
    status, text = said(*words)
    assert status == 2
    assert all(line.startswith("fabricscope: ") for line in text.splitlines()) and text.count("\n") == 1
