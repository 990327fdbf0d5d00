# SPDX-License-Identifier: GPL-2.0-or-later
"""What the README says that commands say is what they say."""

import re

import pytest
from harness import ROOT, fabricscope

README = (ROOT / "README.md").read_text()
# "`fabricscope ...` says:", and what is indented below it.
EXAMPLES = re.findall(r"`fabricscope ([^`]*)` says:\n\n((?:    .*\n|\n)+)", README)


def lines(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def test_there_are_examples():
    assert EXAMPLES[0][0].startswith("analyze samples/"), "the first one needs no more than the tree"
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_examples_are_what_commands_say(command, shown, monkeypatch):
    monkeypatch.chdir(ROOT)
    told = fabricscope(*command.split()).decode()
    assert [line[4:] for line in lines(shown)] == lines(told)


def test_the_ladder_at_the_top(monkeypatch):
    monkeypatch.chdir(ROOT)
    command, shown = re.search(r"by `fabricscope (timeline [^`]*)`:\n\n((?:    .*\n)+)", README).groups()
    ladder = lines(fabricscope(*command.split(), status=(0,)).decode())
    begin = ladder.index(lines(shown)[0])
    assert ladder[begin:begin + len(lines(shown))] == lines(shown)


def test_the_first_example_goes_on_in_the_timeline(monkeypatch):
    monkeypatch.chdir(ROOT)
    (command,) = re.findall(r"`fabricscope (timeline samples/real/roce_[^`]*)`", README)
    plot = fabricscope(*command.split(), status=(0,)).decode()
    assert re.search(r"round trip p50 +6\.95 ms", plot) and re.search(r"operation p50 +23\.6 ms", plot)
    ladder = fabricscope(*command.split(), "--ladder", status=(0,)).decode()
    rungs = [line.strip() for line in README.splitlines() if "│" in line and ("1873477" in line or "WRITE 3,000" in line)]
    assert len(rungs) == 3
    for rung in rungs:
        assert rung in ladder


def test_examples_with_gaps_are_what_commands_say(monkeypatch):
    """"..." stands for what is left out: the end of a line, or lines."""
    monkeypatch.chdir(ROOT)
    examples = re.findall(r"`fabricscope (analyze [^`]*)`:\n\n((?:    .*\n|\n)+)", README)
    assert examples
    for command, block in examples:
        told = iter(lines(fabricscope(*command.split()).decode()))
        for line in lines(block):
            begin = line[4:].removesuffix("...").rstrip()
            assert not begin or any(one.startswith(begin) for one in told), line
