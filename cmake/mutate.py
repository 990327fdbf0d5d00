#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts small faults into a copy of the sources, and sees whether the tests notice each of them.

All of them are compiled at once, and the environment says which one is there when a program starts. A first run of the
tests, with none, shows which suites come to which place: these are then run with it. Exit status: 0 if nine of ten faults
are caught, 1 if not.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import difflib
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing into the sources
from source_faults import KINDS, faults_in, overlap, put_all_into
from suites import MEASURED, ROOT, layer_of, measure_all, progress, run, shared_folder, stoppable_pool, suites

RESULTS = ROOT / "build/mutation"
COPY = RESULTS / "sources"
BUILD = COPY / "build/release"
SWITCHES = RESULTS / "switches.h"
SURVIVORS = RESULTS / "survivors"
ENOUGH = 0.9
SPARE = 1.3  # times as many are drawn: a tenth does not compile
CAUGHT, SURVIVED, NOT_RUN = "caught", "survived", "not run"

# Also what suites come to: a file in memory with an octet for each fault, as programs may end in any way.
SWITCHES_TEXT = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace mutation {
inline unsigned char* marks() {
    const char* name = std::getenv("FABRICSCOPE_REACHED");
    const int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return nullptr;
    void* mapped = mmap(nullptr, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return mapped == MAP_FAILED ? nullptr : static_cast<unsigned char*>(mapped);
}
inline int chosen() {
    const char* number = std::getenv("FABRICSCOPE_FAULT");
    return number ? std::atoi(number) : -1;
}
inline unsigned char* const reached = marks();
inline const int present = chosen();
inline bool is(int fault) {
    if (reached) reached[fault] = 1;
    return fault == present;
}
}  // namespace mutation
"""


@dataclasses.dataclass(frozen=True)
class Placed:
    """A fault, and where."""

    source: str
    text: str = dataclasses.field(compare=False)  # of the source
    fault: object

    def shown(self):
        before, after = (" ".join(each.split()) for each in (self.text[self.fault.begin : self.fault.end], self.fault.text))
        return f"{self.source}:{self.fault.line}: {self.fault.kind}: {before}" + (f"  ->  {after}" if after else "")

    def difference(self):
        return "".join(difflib.unified_diff(self.text.splitlines(True), self.fault.put_into(self.text).splitlines(True),
                                            f"a/{self.source}", f"b/{self.source}"))


@dataclasses.dataclass
class Outcome:
    placed: Placed
    verdict: str
    by: str = ""  # the suite that caught it
    tried: int = 0  # suites that did not


# ---- which faults -------------------------------------------------------------------------------------------


def all_files():
    """By name, what the project's files hold as it begins: who works on them meanwhile changes nothing."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout
    return {name: (ROOT / name).read_bytes() for name in map(os.fsdecode, listed.split(b"\0")) if name and (ROOT / name).is_file()}


def shares(sizes, number):
    """How many faults of each layer: by the square root of its lines, as large ones have more of the same."""
    total = sum(map(math.sqrt, sizes.values()))
    exact = {layer: number * math.sqrt(size) / total for layer, size in sizes.items()}
    found = {layer: int(share) for layer, share in exact.items()}
    for layer in sorted(exact, key=lambda layer: found[layer] - exact[layer])[: number - sum(found.values())]:
        found[layer] += 1
    return found


def draw(rng, texts, faults_of, number):
    """A kind, then a source by its number of faults, then a fault, so many times or until there are no more: [Placed]."""
    names = sorted(name for name in texts if faults_of[name])
    sizes = [len(faults_of[name]) for name in names]
    found = []
    for _ in range(100 * number if names else 0):
        kind, (name,) = rng.choice(KINDS), rng.choices(names, sizes)
        possible = [fault for fault in faults_of[name] if fault.kind == kind]
        placed = Placed(name, texts[name], rng.choice(possible)) if possible else None
        if placed and not any(other.source == name and overlap(other.fault, placed.fault) for other in found):
            found.append(placed)
            if len(found) == number:
                break
    return found


def draw_all(options, files):
    """By layer: how many are wanted, and what has been drawn."""
    layers, faults_of = collections.defaultdict(dict), {}
    for name in filter(MEASURED.match, files):
        if re.search(options.sources, name):
            text = layers[layer_of(name)][name] = files[name].decode()
            faults_of[name] = faults_in(text, is_header=name.endswith(".h"))
    sizes = {layer: sum(len(faults_of[name]) for name in texts) for layer, texts in sorted(layers.items())}
    rng = random.Random(options.seed)
    return {layer: (number, draw(rng, layers[layer], faults_of, math.ceil(SPARE * number) + 1))
            for layer, number in shares(sizes, options.number).items()}


# ---- the copy -----------------------------------------------------------------------------------------------


def with_faults(files, numbered):
    """The files with these faults in them: {number: Placed}."""
    found = dict(files)
    of_source = collections.defaultdict(dict)
    for number, placed in numbered.items():
        of_source[placed.source][f"mutation::is({number})"] = placed.fault
    for name, faults in of_source.items():
        text = put_all_into(found[name].decode(), faults)
        found[name] = f'#include "{SWITCHES}"\n#line 1\n{text}'.encode()
    return found


def write_copy(wanted):
    """What has not changed keeps its time, and is not built again."""
    for folder, folders, names in os.walk(COPY):
        if pathlib.Path(folder) == COPY:
            folders[:] = [name for name in folders if name != "build"]
        for path in (pathlib.Path(folder, name) for name in names):
            if str(path.relative_to(COPY)) not in wanted:
                path.unlink()
    for name, text in wanted.items():
        copied = COPY / name
        if not copied.is_file() or copied.read_bytes() != text:
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(text)
            copied.chmod((ROOT / name).stat().st_mode)


def build():
    """What the compiler said if there are errors, else ""."""
    if not (BUILD / "build.ninja").exists():
        # A constant in braces is one no more when it can be switched.
        subprocess.run(["cmake", "--preset", "release", "--compile-no-warning-as-error", "-DCMAKE_CXX_FLAGS=-Wno-narrowing"], cwd=COPY, check=True)
    done = subprocess.run(["cmake", "--build", BUILD, "--", "-k", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False)
    return done.stdout if done.returncode else ""


def refused(said, numbered):
    """Those in whose lines the compiler found errors, or what errors come from; all of the sources that have any, if it is not as clear."""
    places = {(os.path.relpath(path, COPY), int(line)) for path, line in re.findall(r"(?m)^(\S+?):(\d+):(?:\d+:)? +(?:error|note|required)", said)}
    found = {number for number, placed in numbered.items() if (placed.source, placed.fault.line) in places}
    if not found:
        named = {name for name, _ in places}
        found = {number for number, placed in numbered.items() if placed.source in named}
    return found


def build_with(files, numbered):
    """What of these compiles; the copy is built with it."""
    SWITCHES.parent.mkdir(parents=True, exist_ok=True)
    SWITCHES.write_text(SWITCHES_TEXT.replace("LENGTH", str(max(numbered, default=0) + 1)))
    while True:
        write_copy(with_faults(files, numbered))
        said = build()
        if not said:
            return numbered
        found = refused(said, numbered)
        if not found:
            sys.exit(f"{said[-4000:]}\nThe copy cannot be built.")
        print(f"{len(found)} of {len(numbered)} faults do not compile", flush=True)
        numbered = {number: placed for number, placed in numbered.items() if number not in found}


# ---- one of them --------------------------------------------------------------------------------------------


class Known:
    """The tests without a fault: which pass, how long they take, and which places they come to."""

    def __init__(self, longest, always, length):
        wanted = suites(BUILD)
        with shared_folder() as folder:
            marks = {suite.name: folder / str(i) for i, suite in enumerate(wanted)}
            for path in marks.values():
                path.write_bytes(bytes(length))
                path.chmod(0o666)
            results = measure_all(wanted, lambda suite: {"FABRICSCOPE_REACHED": str(marks[suite.name])},
                                  lambda suite: math.inf if re.search(always, suite.name) else longest)
            reached = {name: path.read_bytes() for name, path in marks.items()}
        usable = [suite for suite in wanted if not results[suite.name]["failure"]]
        self.seconds = {suite.name: results[suite.name]["seconds"] for suite in usable}
        self.suites = sorted(usable, key=lambda suite: self.seconds[suite.name])
        self.reached = {suite.name: reached[suite.name] for suite in usable}
        print(f"{len(usable)} test suites; left out: {len(wanted) - len(usable)} that fail or take longer than {longest:g} s", flush=True)

    def that_come_to(self, number):
        return [suite for suite in self.suites if self.reached[suite.name][number]]


def limit(seconds):
    """A suite that takes so much longer than without the fault hangs."""
    return 20 + 5 * seconds


def notices(suite, number, seconds, stop):
    """Whether the suite fails, and does so again: some that wait for others fail once in a while."""
    return all(not stop.is_set() and run(suite, {"FABRICSCOPE_FAULT": str(number)}, limit(seconds), stop) for _ in range(2))


def attempt(number, placed, known):
    wanted = known.that_come_to(number)
    if not wanted:
        return Outcome(placed, NOT_RUN)
    with stoppable_pool() as (pool, stop):
        begun = {pool.submit(notices, suite, number, known.seconds[suite.name], stop): suite for suite in wanted}
        for done in concurrent.futures.as_completed(begun):
            if done.result():
                stop.set()
                return Outcome(placed, CAUGHT, by=begun[done].name)
    return Outcome(placed, SURVIVED, tried=len(wanted))


# ---- the report ---------------------------------------------------------------------------------------------


def print_summary(outcomes):
    layers = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        for layer in (layer_of(outcome.placed.source), "all"):
            layers[layer][outcome.verdict] += 1
    print(f"\n{'':22}{'faults':>8}{CAUGHT:>10}{SURVIVED:>10}{NOT_RUN:>10}")
    for layer in sorted(layers, key=lambda layer: (layer == "all", layer)):
        counts = layers[layer]
        print(f"{layer:22}{sum(counts.values()):8}{counts[CAUGHT]:10}{counts[SURVIVED]:10}{counts[NOT_RUN]:10}")
    return layers["all"]


def try_faults(chosen, known):
    outcomes = []
    for number, placed in chosen:
        progress(f"{len(outcomes)}/{len(chosen)} {placed.shown()}")
        begin = time.monotonic()
        outcome = attempt(number, placed, known)
        outcomes.append(outcome)
        progress("")
        by = f"  (by {outcome.by})" if outcome.by else f"  ({outcome.tried} suites)" if outcome.verdict == SURVIVED else ""
        print(f"{outcome.verdict:8} {time.monotonic() - begin:4.0f} s  {placed.shown()}{by}", flush=True)
        if outcome.verdict != CAUGHT:
            (SURVIVORS / f"{number:03}.diff").write_text(placed.difference())
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", nargs="?", type=int, default=40, help="how many faults")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the same seed, the same faults")
    parser.add_argument("--sources", default=".", help="a regular expression for the sources to put them into")
    parser.add_argument("--longest", type=float, default=120, help="leave out test suites that take more seconds")
    parser.add_argument("--always", default="baselines", metavar="SUITES", help="but not these: a regular expression")
    options = parser.parse_args()

    print(f"{options.number} faults, seed {options.seed}", flush=True)
    files = all_files()
    drawn = draw_all(options, files)
    numbered = build_with(files, dict(enumerate(placed for _, several in drawn.values() for placed in several)))
    known = Known(options.longest, options.always, max(numbered, default=0) + 1)
    chosen = []
    for number_wanted, several in drawn.values():
        chosen += [(number, placed) for number, placed in numbered.items() if placed in several][:number_wanted]
    random.Random(options.seed).shuffle(chosen)  # so that who stops it has seen something of all
    shutil.rmtree(SURVIVORS, ignore_errors=True)
    SURVIVORS.mkdir(parents=True)
    counts = print_summary(try_faults(chosen, known))
    total = sum(counts.values())
    if total != counts[CAUGHT]:
        print(f"\nwhat was not caught: {SURVIVORS.relative_to(ROOT)}")
    return 0 if counts[CAUGHT] >= ENOUGH * total else 1


if __name__ == "__main__":
    sys.exit(main())
