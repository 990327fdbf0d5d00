#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the fuzz targets, each for an equal share of the time, as many at once as there are processors.

What they find new is kept in BUILD/corpus, and how often each has run in BUILD/executions.json. With --keep the smallest
inputs that reach all that is reached are packed into tests/fuzz/corpus, which every test run replays. Exit status: 0
nothing was found, 1 something was.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).parents[1]
KEPT = ROOT / "tests/fuzz/corpus"
# What is fuzzed, and the longest input in octets.
CAPTURES = ("samples/real", "samples/synth", "samples/fcvi", "samples/fc_ae_rdma"), 16384
TEXTS = ("samples/scenarios", "samples/suite", "tests/fuzz/texts"), 32768
LONGEST_KEPT = 4096
# -entropic=0: the other way to choose what is changed next takes most of the time where an input reaches much.
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-entropic=0"]


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


class Target:
    def __init__(self, program, build):
        self.program, self.name = program, program.name
        self.log = build / "logs" / f"{self.name}.txt"
        self.corpus = build / "corpus" / self.name
        self.seeds = build / "seeds" / self.name
        folders, self.longest = TEXTS if self.name == "fuzz_texts" else CAPTURES
        self.samples = [ROOT / folder for folder in folders]
        self.artifacts = build / "artifacts" / self.name
        for folder in (self.log.parent, self.corpus, self.artifacts):
            folder.mkdir(parents=True, exist_ok=True)

    def inputs(self):
        return [self.corpus, *(folder for folder in (self.seeds,) if folder.is_dir())]

    def start(self, options, folders):
        with open(self.log, "wb") as log:
            return subprocess.run([self.program, *LIMITS, *options, *folders], stdout=log, stderr=subprocess.STDOUT).returncode

    def fuzz(self, seconds):
        """(how often it ran, how many edges of its program it has reached, what it has found)"""
        before = set(self.artifacts.iterdir())
        self.start([f"-max_total_time={seconds}", f"-max_len={self.longest}", "-print_final_stats=1", "-print_funcs=0",
                    f"-artifact_prefix={self.artifacts}/"], [*self.inputs(), *self.samples])
        text = self.log.read_text(errors="replace")
        found = sorted(str(path) for path in set(self.artifacts.iterdir()) - before)
        return last_number(r"number_of_executed_units: (\d+)", text), last_number(r"cov: (\d+)", text), found

    def pack(self, scratch):
        """How many inputs are left, and their octets."""
        smallest = scratch / self.name
        smallest.mkdir()
        if self.start(["-set_cover_merge=1", f"-max_len={LONGEST_KEPT}"], [smallest, *self.inputs()]) != 0:
            sys.exit(f"{self.name}: {self.log} says why its inputs cannot be merged")
        files = sorted(smallest.iterdir())
        with tarfile.open(KEPT / f"{self.name}.tar.xz", "w:xz", preset=9) as archive:
            for file in files:
                archive.add(file, file.name, filter=anonymous)
        return len(files), sum(file.stat().st_size for file in files)


def anonymous(entry):
    """The same octets each time, whoever packs them."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    return entry


def total_executions(build, by_target):
    path = build / "executions.json"
    total = json.loads(path.read_text()) if path.exists() else {}
    for name, executions in by_target.items():
        total[name] = total.get(name, 0) + executions
    path.write_text(json.dumps(total, indent=1))
    return total


def fuzz(targets, build, minutes):
    processors = os.cpu_count()
    seconds = max(1, round(minutes * 60 * processors / len(targets)))
    print(f"{len(targets)} targets, {seconds} s each, {processors} at a time", flush=True)
    with concurrent.futures.ThreadPoolExecutor(processors) as pool:
        results = dict(zip(targets, pool.map(lambda target: target.fuzz(seconds), targets), strict=True))
    total = total_executions(build, {target.name: result[0] for target, result in results.items()})
    print(f"\n{'Target':<22}{'Executions':>14}{'In all runs':>16}{'Edges':>9}{'Corpus':>8}  Found")
    for target, (executions, edges, found) in results.items():
        inputs = sum(1 for _ in target.corpus.iterdir())
        print(f"{target.name:<22}{executions:>14,}{total[target.name]:>16,}{edges:>9,}{inputs:>8,}  {', '.join(found) or '-'}")
    return any(found for _, _, found in results.values())


def keep(targets, build):
    scratch = build / "smallest"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    KEPT.mkdir(exist_ok=True)
    for target in targets:
        inputs, octets = target.pack(scratch)
        print(f"{target.name}: {inputs:,} inputs, {octets:,} octets", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="where the targets have been built with libFuzzer")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--minutes", type=float, default=10, help="for all targets together (default: %(default)s)")
    what.add_argument("--keep", action="store_true", help="run nothing; pack what was kept")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    targets = [Target(program, build) for program in sorted((build / "bin").glob("fuzz_*"))]
    if not targets:
        sys.exit(f"there are no targets in {build / 'bin'}")
    if arguments.keep:
        keep(targets, build)
        return 0
    return int(fuzz(targets, build, arguments.minutes))


if __name__ == "__main__":
    sys.exit(main())
