# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion in bash, zsh and fish: each asks the program, and offers what it says."""

import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

import pytest

from harness import BUILD, ROOT

SCRIPTS = ROOT / "program/completion"
PROGRAM = BUILD / "bin/fabricscope"
ENVIRONMENT = {"PATH": f"{BUILD}/bin:/usr/bin:/bin", "TERM": "dumb", "LC_ALL": "C.UTF-8"}

# A line, and what may stand for its last word; what has nothing to offer leaves it to the shell's file names.
OFFERED = {
    "fabricscope ana": {"analyze"},
    "fabricscope re": {"replay", "report"},
    "fabricscope he": {"help"},
    "fabricscope load re": {"recorded"},
    "fabricscope verify --against em": {"emulated"},
    "fabricscope stream --from ": {"client", "server"},
    "fabricscope analyze --cursor-base ": {"auto", "0", "4"},
    "fabricscope analyze --rules-level e": {"error"},
    "fabricscope analyze --nd": {"--ndjson"},
    "fabricscope explain SMCR-O-no-": {"SMCR-O-no-answer", "SMCR-O-no-roce"},
    "fabricscope rules SMCR-R3": {f"SMCR-R3{i}" for i in range(10)},
    "fabricscope synth rc_rn": {"rc_rnr"},
    "fabricscope analyze READM": {"README.md"},
}


def bash(line):
    script = f"""
        . {SCRIPTS}/fabricscope.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _fabricscope {PROGRAM}
        if [[ ${{#COMPREPLY[@]}} -eq 0 ]]; then compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"; fi
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script, "bash", *line.split(" ")], cwd=ROOT, capture_output=True, check=True, text=True)
    return set(done.stdout.split())


def fish(line):
    script = f"source {SCRIPTS}/fabricscope.fish; complete -C $argv"
    with tempfile.TemporaryDirectory() as home:  # where fish puts its history
        done = subprocess.run(["fish", "--no-config", "-c", script, line], cwd=ROOT, env={**ENVIRONMENT, "HOME": home},
                              capture_output=True, check=True, text=True)
    return {offered.split("\t")[0] for offered in done.stdout.splitlines()}


def zsh(line):
    """In its line editor: Ctrl-D lists what may come below the line."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**ENVIRONMENT, "PS1": "$ ", "COLUMNS": "500", "LINES": "200"})

    def answer(words, until):
        """What it writes on these words, until it has written that and is quiet."""
        os.write(terminal, words.encode())
        text, end = "", time.monotonic() + 30
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.5)[0]:
                text += os.read(terminal, 65536).decode()
            elif re.search(until, text):
                return text
        raise AssertionError(f"no {until} in {text!r}")

    answer(f"unsetopt beep list_types; fpath=({SCRIPTS} $fpath); autoload -Uz compinit; compinit -D -u; "
           "zstyle ':completion:*' verbose no; print rea''dy\n", "ready[^$]*[$] ")
    listed = answer(f"{line}\x04", rf"{re.escape(line)}.*\n")
    os.close(terminal)
    os.waitpid(process, 0)
    below = re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]|[\r\x07]", " ", listed).partition("\n")[2]
    return set(below.split()) - set(line.split()) - {"$"}


SHELLS = {"bash": bash, "fish": fish, "zsh": zsh}


def test_bash_has_the_equals_sign_as_a_word():
    assert bash("fabricscope analyze --cursor-base = ") == {"auto", "0", "4"}
    assert bash("fabricscope analyze --cursor-base =") == {"auto", "0", "4"}
    assert bash("fabricscope analyze --rules-level = e") == {"error"}


@pytest.mark.parametrize("line", OFFERED)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_offers_what_may_come(shell, line):
    assert shutil.which(shell), "cmake/debian-packages.txt has it under test"
    assert SHELLS[shell](line) == OFFERED[line]
