#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts small faults into a copy of the sources, one at a time, and sees whether the tests that run the line notice.

Which tests those are has been measured (cmake/cover.py). Exit status: 0 if nine of ten faults are caught, 1 if not.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import difflib
import functools
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing into the sources
from cover import (BUILD, COPY, JOBS, PROFILES, RESULTS, ROOT, build, copy_sources, cover, digest,
                   folder_for_profiles, gcov, layer_of, progress, run, stoppable_pool, suites)
from source_faults import KINDS, faults_in

SURVIVORS = RESULTS / "survivors"
ENOUGH = 0.9
# A header that much includes takes as long to try as all of the tree.
MOST_OBJECTS = 4
CAUGHT, SURVIVED, NOT_RUN = "caught", "survived", "not run"


@dataclasses.dataclass
class Outcome:
    name: str
    fault: object
    verdict: str
    by: str = ""  # the suite that caught it
    tried: int = 0  # suites that did not


# ---- what is known of the sources ----------------------------------------------------------------------------


def dependents():
    """How many objects include each header of the project."""
    listed = subprocess.run(["ninja", "-t", "deps"], cwd=BUILD, stdout=subprocess.PIPE, text=True, check=True).stdout
    return collections.Counter(os.path.relpath(path, COPY) for path in re.findall(rf"^    ({re.escape(str(COPY))}/.*)$", listed, re.MULTILINE))


class Known:
    """The last run of the tests."""

    def __init__(self, longest):
        told = json.loads((RESULTS / "coverage.json").read_text())
        included = dependents()
        self.sources = {name: {"lines": {int(number): count for number, count in source["lines"].items()}, "objects": source["objects"]}
                        for name, source in told["sources"].items() if name.endswith(".cc") or included[name] <= MOST_OBJECTS}
        self.seconds = {name: result["seconds"] for name, result in told["suites"].items()}
        usable = {name for name, result in told["suites"].items() if not result["failure"] and result["seconds"] <= longest}
        self.suites = sorted((suite for suite in suites() if suite.name in usable), key=lambda suite: self.seconds[suite.name])
        print(f"{len(self.suites)} test suites; left out: {len(told['suites']) - len(usable)} that fail or take longer than {longest:g} s")

    @functools.lru_cache(maxsize=None)
    def lines_run(self, object_name):
        """By source of the object and profile: the lines."""
        def of(profile):
            if not (PROFILES / profile / f"{object_name}.gcda").exists():
                return []
            return [(name, profile, {line["line_number"] for line in told["lines"] if line["count"]})
                    for name, told in gcov(PROFILES / profile, f"{object_name}.gcda")]

        found = collections.defaultdict(dict)
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for told in pool.map(of, {suite.profile() for suite in self.suites}):
                for name, profile, lines in told:
                    found[name][profile] = lines
        return found

    def that_run(self, name, fault):
        """The suites of the programs that run the fault's line, the shortest first; any line of the source, if it declares a constant."""
        running = set()
        for object_name in self.sources[name]["objects"]:
            for profile, lines in self.lines_run(object_name)[name].items():
                if fault.line in lines or fault.in_declaration and lines:
                    running.add(profile)
        return [suite for suite in self.suites if suite.profile() in running]


# ---- which faults -------------------------------------------------------------------------------------------


def shares(sizes, number):
    """How many faults of each layer: by the square root of its lines, as large ones have more of the same."""
    total = sum(map(math.sqrt, sizes.values()))
    exact = {layer: number * math.sqrt(size) / total for layer, size in sizes.items()}
    found = {layer: int(share) for layer, share in exact.items()}
    for layer in sorted(exact, key=lambda layer: found[layer] - exact[layer])[: number - sum(found.values())]:
        found[layer] += 1
    return found


@functools.lru_cache(maxsize=None)
def faults_of(name):
    return faults_in((COPY / name).read_text())


def draw(rng, layer_sources, known):
    """A kind, then a source by its lines, then a fault: (source, fault)."""
    names = sorted(layer_sources)
    sizes = [len(known.sources[name]["lines"]) for name in names]
    while True:
        kind, (name,) = rng.choice(KINDS), rng.choices(names, sizes)
        lines = known.sources[name]["lines"]
        possible = [fault for fault in faults_of(name) if fault.kind == kind and (fault.line in lines or fault.in_declaration)]
        if possible:
            return name, rng.choice(possible)


# ---- one of them --------------------------------------------------------------------------------------------


def limit(seconds):
    """A suite that takes so much longer than without the fault hangs."""
    return 20 + 5 * seconds


def notices(suite, seconds, stop):
    """Whether the suite fails, and does so again: some that wait for others fail once in a while."""
    for _ in range(2):
        if stop.is_set():
            return False
        with folder_for_profiles() as profile:
            if not run(suite, profile, limit(seconds), stop):
                return False
    return True


def first_that_notices(running, known):
    """The suite, or None."""
    with stoppable_pool() as (pool, stop):
        begun = {pool.submit(notices, suite, known.seconds[suite.name], stop): suite for suite in running}
        for done in concurrent.futures.as_completed(begun):
            if done.result():
                stop.set()
                return begun[done]
    return None


def attempt(name, fault, known):
    """The outcome; None if it does not compile."""
    running = known.that_run(name, fault)
    if not running:
        return Outcome(name, fault, NOT_RUN)
    original = (COPY / name).read_text()
    (COPY / name).write_text(fault.put_into(original))
    try:
        # Unit tests want their program only, and notice most.
        for some, targets in (([s for s in running if s.program], {s.program for s in running if s.program}),
                              ([s for s in running if not s.program], {"all"})):
            if not some:
                continue
            if not build(*targets, quiet=True):
                return None
            if noticed := first_that_notices(some, known):
                return Outcome(name, fault, CAUGHT, by=noticed.name)
        return Outcome(name, fault, SURVIVED, tried=len(running))
    finally:
        (COPY / name).write_text(original)


# ---- the report ---------------------------------------------------------------------------------------------


def shown(name, fault):
    source = (COPY / name).read_text()
    before, after = (" ".join(text.split()) for text in (source[fault.begin : fault.end], fault.text))
    return f"{name}:{fault.line}: {fault.kind}: {before}" + (f"  ->  {after}" if after else "")


def write_survivor(outcome, number):
    before = (COPY / outcome.name).read_text()
    lines = difflib.unified_diff(before.splitlines(True), outcome.fault.put_into(before).splitlines(True),
                                 f"a/{outcome.name}", f"b/{outcome.name}")
    (SURVIVORS / f"{number:03}.diff").write_text("".join(lines))


def print_summary(outcomes):
    layers = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        for layer in (layer_of(outcome.name), "all"):
            layers[layer][outcome.verdict] += 1
    print(f"\n{'':22}{'faults':>8}{CAUGHT:>10}{SURVIVED:>10}{NOT_RUN:>10}")
    for layer in sorted(layers, key=lambda layer: (layer == "all", layer)):
        counts = layers[layer]
        print(f"{layer:22}{sum(counts.values()):8}{counts[CAUGHT]:10}{counts[SURVIVED]:10}{counts[NOT_RUN]:10}")
    return layers["all"]


def try_faults(options, known):
    rng = random.Random(options.seed)
    layers = collections.defaultdict(list)
    for name in known.sources:
        if re.search(options.sources, name):
            layers[layer_of(name)].append(name)
    sizes = {layer: sum(len(known.sources[name]["lines"]) for name in names) for layer, names in sorted(layers.items())}
    wanted = [layer for layer, number in shares(sizes, options.number).items() for _ in range(number)]
    rng.shuffle(wanted)  # so that who stops it has seen something of all
    outcomes, tried = [], set()
    for layer in wanted:
        outcome = None
        while not outcome:
            name, fault = draw(rng, layers[layer], known)
            if (name, fault) in tried:
                continue
            tried.add((name, fault))
            progress(f"{len(outcomes)}/{len(wanted)} {shown(name, fault)}")
            begin = time.monotonic()
            outcome = attempt(name, fault, known)
        outcomes.append(outcome)
        progress("")
        by = f"  (by {outcome.by})" if outcome.by else f"  ({outcome.tried} suites)" if outcome.verdict == SURVIVED else ""
        print(f"{outcome.verdict:8} {time.monotonic() - begin:4.0f} s  {shown(name, fault)}{by}", flush=True)
        if outcome.verdict != CAUGHT:
            write_survivor(outcome, len(outcomes))
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", nargs="?", type=int, default=40, help="how many faults")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the same seed, the same faults")
    parser.add_argument("--sources", default=".", help="a regular expression for the sources to put them into")
    parser.add_argument("--longest", type=float, default=120, help="leave out test suites that take more seconds")
    options = parser.parse_args()

    copy_sources()
    results = RESULTS / "coverage.json"
    if not results.exists() or json.loads(results.read_text())["digest"] != digest():
        cover(".")
    elif not build():
        return 1
    shutil.rmtree(SURVIVORS, ignore_errors=True)
    SURVIVORS.mkdir(parents=True)
    known = Known(options.longest)
    print(f"{options.number} faults, seed {options.seed}")
    counts = print_summary(try_faults(options, known))
    total = sum(counts.values())
    if total != counts[CAUGHT]:
        print(f"\nwhat was not caught: {SURVIVORS.relative_to(ROOT)}")
    return 0 if counts[CAUGHT] >= ENOUGH * total else 1


if __name__ == "__main__":
    sys.exit(main())
