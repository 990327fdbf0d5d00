# SPDX-License-Identifier: GPL-2.0-or-later
"""What the live tests share: the laboratory of two virtual machines, and a list of what was tried.

    tests/live/NAME.py LAB [--fabricscope PROGRAM]

LAB is a folder of the lab (its README says how to set it up), writable. Guest A has the program and no RDMA device, guest B is
the real peer. Needs root and qemu; where something is missing, says what and exits with status 77.
"""

import argparse
import json
import os
import shutil
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples/real"
SKIPPED = 77
A, B = "192.0.2.10", "192.0.2.20"
A6, B6 = "2001:db8::10", "2001:db8::20"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("lab", type=Path, nargs="?", help="folder of the laboratory")
    parser.add_argument("--fabricscope", type=Path, default=ROOT / "build/release/bin/fabricscope", help="the program")
    options = parser.parse_args()
    if options.lab is None or not (options.lab / "lab.py").exists():
        skip("no laboratory: name its folder")
    if os.geteuid() != 0:
        skip("the virtual machines need root")
    if shutil.which("qemu-system-x86_64") is None:
        skip("qemu-system-x86_64 is not installed")
    if not (options.lab / "kernels").exists():
        skip(f"the laboratory is not set up: run {options.lab}/setup.sh")
    if not options.fabricscope.exists():
        skip(f"{options.fabricscope} is not built")
    return options


class Trial:
    """Two guests, the program in A, and what came of each test."""

    def __init__(self, options, name):
        sys.path.insert(0, str(options.lab.resolve()))
        os.chdir(options.lab)
        (options.lab / "run").mkdir(exist_ok=True)
        import cases  # pylint: disable=import-error,import-outside-toplevel
        import lab  # pylint: disable=import-error,import-outside-toplevel
        self.cases = cases
        self.lab = lab.Lab(name, kernel="6.12")
        self.a, self.b = self.lab.a, self.lab.b
        self.program = options.fabricscope.resolve()
        self.failures = 0
        self.count = 0

    def close(self):
        self.lab.close()

    def command(self, capture, session, play, against, *more):
        return (f"{self.program} replay {capture} --session {session} --play {play} --against {against} --json "
                + " ".join(more))

    def replay(self, capture, session, play, against, *more):
        """Exit status and report; no report if there was none."""
        status, text = self.a.run(self.command(capture, session, play, against, *more), 120, quiet=True)
        return status, report_of(text)

    def load(self, capture, session, address, *more):
        """Copies of a session's client, by hosts of their own behind guest A's interface. As replay()."""
        status, text = self.a.run(
            f"{self.program} load recorded {capture} --session {session} --against {B} --address {address} --interface eth0 "
            + " ".join(more) + " --json", 120, quiet=True)
        return status, report_of(text)

    def replay_while(self, peer_command, capture, session, play, against, *more):
        """The same while B runs a command that is begun a second later; its status and output besides."""
        job = self.a.bg(self.command(capture, session, play, against, *more), 120)
        time.sleep(1)
        peer = self.b.run(peer_command, 60, quiet=True)
        status, text = self.a.wait(job, 130)
        return status, report_of(text), peer

    def check(self, what, holds, *seen):
        self.count += 1
        if holds:
            print(f"ok      {what}", flush=True)
            return
        self.failures += 1
        print(f"FAILED  {what}", *seen, sep="\n        ", flush=True)

    def result(self):
        print(f"{self.count - self.failures} of {self.count} as they should be")
        return 1 if self.failures else 0


def report_of(text):
    try:
        return json.loads(text[text.index("{"):text.rindex("}") + 1])
    except ValueError:
        return {"text": text}


def run(description, name, tests):
    """Runs `tests`, functions of a Trial, in one laboratory."""
    options = arguments(description)
    trial = Trial(options, name)
    try:
        for test in tests:
            try:
                test(trial)
            except Exception:  # pylint: disable=broad-except
                trial.check(test.__name__, False, traceback.format_exc())
    finally:
        trial.close()
    sys.exit(trial.result())
