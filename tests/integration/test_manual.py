# SPDX-License-Identifier: GPL-2.0-or-later
"""Help, manual pages and shell completion speak of the same commands and options."""

import re
import subprocess

import pytest

from harness import BUILD, ROOT, fabricscope

COMMANDS = sorted(p.stem.removeprefix("fabricscope-") for p in (ROOT / "docs/man").glob("fabricscope-*.1"))


def help_of(*command):
    return fabricscope(*command, "--help", status=(0,)).decode()


def options_in_help(command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", help_of(command))) - {"--help", "--version"}


def options_in_manual(command):
    text = (ROOT / f"docs/man/fabricscope-{command}.1").read_text()
    items = "\n".join(re.findall(r"^\.It Fl (.*)$", text, re.MULTILINE))
    return {f"-{flag}" for flag in re.findall(r"(?<!\S)(-[a-z][a-z-]*)", items)}


def complete(*words):
    """What bash offers for the last word."""
    script = f"""
        . {ROOT}/program/completion/fabricscope.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _fabricscope {BUILD}/bin/fabricscope
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, check=True, text=True)
    return set(done.stdout.split())


def test_every_command_has_its_manual_page():
    listed = re.findall(r"^  ([a-z]+) ", help_of().partition("Subcommands:")[2], re.MULTILINE)
    assert sorted(listed) == COMMANDS
    main = (ROOT / "docs/man/fabricscope.1").read_text()
    assert sorted(re.findall(r"^\.It Ic (\w+)$", main, re.MULTILINE)) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_manual_have_the_same_options(command):
    assert options_in_help(command) == options_in_manual(command)


def test_completion_offers_commands():
    assert complete("fabricscope", "") == {*COMMANDS, "help", "--help", "--version"}


@pytest.mark.parametrize("words, offered", [
    (["stream", "--from", ""], {"client", "server"}),
    (["analyze", "--cursor-base", ""], {"auto", "0", "4"}),
    (["analyze", "--rules-level", "e"], {"error"}),
    (["stream", "--connection", ""], set()),
    (["analyze", ""], set()),
])
def test_completion_offers_values_where_the_help_names_them(words, offered):
    assert complete("fabricscope", *words) == offered


@pytest.mark.parametrize("command", COMMANDS)
def test_completion_offers_options(command):
    assert options_in_help(command) <= complete("fabricscope", command, "--")
