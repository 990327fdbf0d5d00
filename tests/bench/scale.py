#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of many taps analyzed in parts and merged: the same as one analyze, and what a frame costs in each step.

Each tap's hosts have addresses of their own. Processor time is what counts: the machine may be busy with something else.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
from itertools import zip_longest

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = ROOT / "build/release/bin"
PETABYTE = 1e15


def run(*command):
    """Processor time, seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run([str(word) for word in command], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    if status not in (0, 1, 3):  # 1: findings, 3: a capture that is cut
        raise SystemExit(f"{' '.join(map(str, command))} ended with {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make_tap(number, frames, folder):
    """A capture whose hosts have nothing to do with those of others."""
    path = folder / f"tap-{number}.pcap"
    run(PROGRAMS / "generate_smcr", path, "--frames", frames, "--connections", 12, "--seed", number + 1, "--tap", number)
    return path


def different(whole, merged):
    """Lines that only one of them has. Which doubt came first in a capture, its parts cannot tell."""
    with open(whole, encoding="utf-8") as one, open(merged, encoding="utf-8") as other:
        return [pair for pair in zip_longest(one, other) if pair[0] != pair[1] and '"why_undecided"' not in (pair[0] or "")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--taps", type=int, default=40)
    parser.add_argument("--frames", type=int, default=5_000_000, help="of all taps")
    parser.add_argument("--into", type=int, default=8)
    options = parser.parse_args()
    fabricscope = PROGRAMS / "fabricscope"
    # Limits hold for each part: with the usual one, the parts have more operations between them than the whole.
    analyze = [fabricscope, "analyze", "--limit", f"rdma.operations={2 * options.frames}"]
    with tempfile.TemporaryDirectory(prefix="fabricscope-scale-") as name:
        folder = pathlib.Path(name)
        taps = [make_tap(number, options.frames // options.taps, folder) for number in range(options.taps)]
        octets = sum(path.stat().st_size for path in taps)
        costs = {"one analyze": run(*analyze, *taps, "--json", folder / "whole.json"),
                 "partition": run(fabricscope, "partition", *taps, "--into", options.into, "-o", folder / "parts")}
        parts = sorted((folder / "parts").glob("part-*.pcapng"))
        results = [part.with_suffix(".json") for part in parts]
        costs["analyze --as-part, all parts"] = sum(
            run(*analyze, "--as-part", part, "--json", result) for part, result in zip(parts, results, strict=True))
        costs["merge"] = run(fabricscope, "merge", *results, "-o", folder / "merged.json")
        frames = json.loads((folder / "merged.json").read_text(encoding="utf-8"))["capture"]["frames"]
        print(f"{frames:,} frames of {options.taps} taps, {octets / 1e9:.2f} GB, {len(parts)} parts")
        for step, seconds in costs.items():
            print(f"{step:30} {seconds:8.1f} s {seconds / frames * 1e6:7.2f} us a frame {octets / seconds / 1e6:8.0f} MB/s")
        in_parts = sum(costs.values()) - costs["one analyze"]
        print(f"1 PB of such frames: {in_parts * PETABYTE / octets / 3600:,.0f} processor hours")
        lines = different(folder / "whole.json", folder / "merged.json")
        for whole, merged in lines[:10]:
            print(f"- {(whole or '').rstrip()[:1000]}\n+ {(merged or '').rstrip()[:1000]}")
        print("the same as one analyze" if not lines else f"{len(lines)} lines DIFFER from one analyze")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
