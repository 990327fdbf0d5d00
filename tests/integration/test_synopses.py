# SPDX-License-Identifier: GPL-2.0-or-later
"""Synopses of the manual pages: what they show runs, and in whatever order the words are given it does the same."""

import itertools
import re

import pytest

from harness import ROOT, attempt, sample

# `view` opens a window, see tests/viewer; the main page's synopsis stands for all commands.
PAGES = sorted(set((ROOT / "docs/man").glob("fabricscope-*.1")) - {ROOT / "docs/man/fabricscope-view.1"})
A_HUNDRED_RUNS = "mutate"

COUNTERS = ROOT / "samples/real/roce_write_loss.truth.txt"
ONE_RECORDING = ROOT / "tests/integration/one_recording"

# What stands for an argument, of any command or of one.
ARGUMENTS = {
    "out": "OUT", "dir": "OUT", "file": sample("smcr_v2_echo"), "list": "note", "id": "smcr-1", "what": "error", "base": "0",
    "target/lun=bytes": "01.02.03/7=4096", "iface": "no-such-interface", "mib": "4", "bpf": "tcp", "n": "3", "seconds": "1",
    "speed": "fast", "ip": "192.0.2.1", "name": "linux", "scenario": "rc_rnr", "target": "emulated", "number": "1",
    "client": "client", "linux": "linux", "host=file": f"192.0.2.10={COUNTERS}", "name=count": "smcr.connections=3",
    "suite": ONE_RECORDING, "user": "nobody", "recorded": "recorded", "auto": "auto", "line": "link delay=6us", "kind": "cm", "port": "7174", "r": "10", "octets": "64",
}
OF_OPTIONS = {
    "--sqlite": "OUT", "--protocol": "smcr", "--rule": "SMCR-R34", "--link-group": "lg-1", "--interface": "no-such-interface",
    "-w": "OUT", "--mask": ONE_RECORDING / "mask.toml", "--faults": ONE_RECORDING / "faults", "--health": "true",
    "--restart": "true", "--mutation": "7:octets[0]=hex:00", "--only": "rdmacm_rping_v4", "--junit": "OUT",
}
OF_COMMANDS = {("explain", "id"): "SMCR-O-declined", ("rules", "id"): "SMCR-R34", ("partition", "dir"): "parts", ("merge", "result"): sample("smcr_v2_echo")}


def words_of(command, macro):
    """The words that a line of the synopsis stands for: "Fl -csv Ar dir"."""
    words = []
    parts = iter(re.sub(r" \.\.\.$", "", macro).replace("Op ", "").split(" "))
    for kind in parts:
        name = next(parts)
        if kind == "Fl":
            words.append(f"-{name}")
        elif kind in ("Ar", "Cm"):
            option = words[-1] if words else None
            value = OF_OPTIONS.get(option) or OF_COMMANDS.get((command, name)) or ARGUMENTS[name]
            words.append(str(value))
            if kind == "Cm":
                break  # the first of those to choose from
    return words


def synopses():
    for page in PAGES:
        command = page.stem.removeprefix("fabricscope-")
        text = re.search(r"^\.Sh SYNOPSIS\n(.*?)^\.Sh", page.read_text(), re.MULTILINE | re.DOTALL).group(1)
        for synopsis in re.split(r"^\.Nm .*\n", text, flags=re.MULTILINE)[1:]:
            lines = [line.removeprefix(".") for line in synopsis.splitlines()]
            required = [words_of(command, line) for line in lines if not line.startswith("Op ")]
            optional = [words_of(command, f"Fl {one}" if not one.startswith(("Fl", "Ar")) else one)
                        for line in lines if line.startswith("Op ")
                        for one in (line.removeprefix("Op ").split(" | ") if " Cm " not in line else [line.removeprefix("Op ")])]
            for one in optional or [[]]:
                yield pytest.param(command, [group for group in [*required, one] if group], id=" ".join([command, *map(
                    lambda word: word.rsplit("/", 1)[-1], itertools.chain(*required, one))]))


def orders(groups):
    """Each comes first once, each last, and any two in either order; but what has no option has an order of its own."""
    options = [group for group in groups if group[0].startswith("-")]
    others = [word for group in groups if group not in options for word in group]
    groups = [group for group in [others, *options] if group]
    turned = [groups[i:] + groups[:i] for i in range(len(groups))]
    return [*turned, groups[::-1]]


@pytest.mark.parametrize("command, groups", synopses())
def test_it_runs_in_any_order(command, groups, tmp_path):
    answers = {}
    for order in orders(groups)[:2 if command == A_HUNDRED_RUNS else None]:
        out = tmp_path / "out"
        out.unlink(missing_ok=True)
        if "--incidents" in itertools.chain(*groups) or "--csv" in itertools.chain(*groups) and command == "analyze":
            out = tmp_path  # a folder
        words = [str(out) if word == "OUT" else word for word in itertools.chain(*order)]
        done = attempt(command, *words, folder=tmp_path)
        answers[" ".join(words)] = done.returncode, done.stdout, done.stderr
    first, *others = answers.values()
    assert b"says more" not in first[2], "the parser complains"
    assert all(other == first for other in others), answers.keys()
