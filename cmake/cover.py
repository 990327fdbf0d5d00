#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which lines and branches the tests run. Exit status: 0, or 1 if a test fails."""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing into the sources
from suites import JOBS, MEASURED, ROOT, layer_of, measure_all, shared_folder, suites

BUILD = ROOT / "build/coverage"
RESULTS = ROOT / "build/coverage-results"
# The profiles that GCC's runtime wrote, all in one, and what the compiler wrote of the objects.
MERGED = RESULTS / "merged"


def build():
    subprocess.run(["cmake", "--preset", "coverage"], cwd=ROOT, check=True)
    return subprocess.run(["cmake", "--build", BUILD], check=False).returncode == 0


def profile_into(folder):
    """What has the suites of a program write their profile into a folder of theirs."""
    def environment_of(suite):
        profile = folder / suite.program
        profile.mkdir(exist_ok=True)
        profile.chmod(0o777)
        return {"GCOV_PREFIX": str(profile), "GCOV_PREFIX_STRIP": str(len(BUILD.parts) - 1)}
    return environment_of


# ---- what was run -------------------------------------------------------------------------------------------


def gcov(folder, file):
    """The measured sources in an object's profile: (path in the project, what gcov says)."""
    note = (folder / file).with_suffix(".gcno")
    if not note.exists():  # gcov looks for it beside the profile
        note.symlink_to(MERGED / note.relative_to(folder))
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", folder / file], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for each in json.loads(done.stdout.splitlines()[0])["files"]:
        name = os.path.relpath(os.path.join(BUILD, each["file"]), ROOT)
        if MEASURED.match(name):
            yield name, each


def merge_profiles(profiles):
    shutil.rmtree(MERGED, ignore_errors=True)
    first, *others = (folder for folder in sorted(profiles.iterdir()) if any(folder.rglob("*.gcda")))
    shutil.copytree(first, MERGED)
    for profile in others:
        subprocess.run(["gcov-tool", "merge", "-o", MERGED, MERGED, profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    for note in BUILD.rglob("*.gcno"):  # of what no test runs, too
        copied = MERGED / note.relative_to(BUILD)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(note, copied)


@dataclasses.dataclass
class Source:
    lines: dict = dataclasses.field(default_factory=collections.Counter)  # how often each ran
    # By line and place of the function, as a line may hold several and a template has many instances: how often each was taken.
    branches: dict = dataclasses.field(default_factory=dict)

    def add(self, told):
        places = {each["name"]: (each["start_line"], each["start_column"]) for each in told["functions"]}
        for line in told["lines"]:
            number = line["line_number"]
            self.lines[number] += line["count"]
            # That a call throws is a branch to GCC: one that nobody has written.
            taken = [branch["count"] for branch in line["branches"] if not branch["throw"]]
            if len(taken) < 2:
                continue
            known = self.branches.setdefault((number, places.get(line.get("function_name"))), [])
            known.extend([0] * (len(taken) - len(known)))
            for i, count in enumerate(taken):
                known[i] += count

    def line_counts(self):
        return sum(count > 0 for count in self.lines.values()), len(self.lines)

    def branch_counts(self):
        taken = [count > 0 for branches in self.branches.values() for count in branches]
        return sum(taken), len(taken)


def sources_of(folder):
    files = sorted(path.relative_to(folder) for path in folder.rglob("*.gcno"))
    found = collections.defaultdict(Source)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for told in pool.map(lambda file: list(gcov(folder, file)), files):
            for name, each in told:
                found[name].add(each)
    return found


# ---- the report ---------------------------------------------------------------------------------------------


def share(covered, all_of_them):
    return f"{covered:7} of {all_of_them:6} {100 * covered / all_of_them if all_of_them else 100:6.1f} %"


def print_layers(found):
    layers = collections.defaultdict(list)
    for name, source in found.items():
        layers[layer_of(name)].append(source)
    print(f"\n{'':22}{'lines':>25}{'branches':>25}")
    for name, members in [*sorted(layers.items()), ("all", list(found.values()))]:
        sums = [[sum(column) for column in zip(*counts)]
                for counts in ([m.line_counts() for m in members], [m.branch_counts() for m in members])]
        print(f"{name:22}{share(*sums[0])}{share(*sums[1])}")


def print_least_covered(found, number):
    lacking = {name: source.line_counts()[1] - source.line_counts()[0] for name, source in found.items()}
    print(f"\nlines not run, in the {number} sources that have most of them:")
    for name in sorted(lacking, key=lambda name: -lacking[name])[:number]:
        print(f"{lacking[name]:6} of {len(found[name].lines):5}  {name}")


def write_not_run(found, path):
    with path.open("w") as out:
        for name in sorted(found):
            text = (ROOT / name).read_text().splitlines()
            for number in sorted(number for number, count in found[name].lines.items() if not count):
                out.write(f"{name}:{number}: {text[number - 1].strip() if number <= len(text) else ''}\n")
    print(f"\nall lines that are not run: {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="?", default=".", help="a regular expression for the names of those to run")
    parser.add_argument("--without", help="a regular expression for those not to run")
    parser.add_argument("--least", type=int, default=20, help="how many sources to list")
    options = parser.parse_args()

    if sys.stdout.isatty():
        print("The first build takes some 20 minutes on two processors; the tests, as long again.")
    if not build():
        return 1
    with shared_folder() as profiles:
        results = measure_all(suites(BUILD, options.suites, options.without), profile_into(profiles))
        merge_profiles(profiles)
    found = sources_of(MERGED)
    print_layers(found)
    print_least_covered(found, options.least)
    write_not_run(found, RESULTS / "not_run.txt")
    failed = sum(bool(result["failure"]) for result in results.values())
    print(f"{len(results)} test suites, {failed} of them failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
