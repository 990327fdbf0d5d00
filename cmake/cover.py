#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which lines and branches the tests run, and which of the programs of tests run them.

What is built is a copy of the sources, so that cmake/mutate.py can put faults into it. Exit status: 0, or 1 if a test fails.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).parents[1]
COPY = ROOT / "build/mutation"
BUILD = COPY / "build/coverage"
RESULTS = COPY / "build/results"
PROFILES = RESULTS / "profiles"  # as GCC's runtime writes them, by Suite.profile()
# All of them in one; and what the compiler wrote of the objects that were measured: another compilation has other marks.
MERGED = RESULTS / "merged"
# Of the program, not of the tests and examples beside it.
MEASURED = re.compile(r"(protocols|capture|analyzer|replay|program|plugins|extcap)/.*\.(cc|h)$")
JOBS = os.cpu_count()
MEMORY, FILE_SIZE = 8 << 30, 4 << 30  # of each process; faults may take without end


# ---- the copy -----------------------------------------------------------------------------------------------


def sources():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout
    return [pathlib.Path(os.fsdecode(name)) for name in listed.split(b"\0") if name and (ROOT / os.fsdecode(name)).is_file()]


def copy_sources():
    """The copy is that of the sources as they are; what has not changed keeps its time, and is not built again."""
    wanted = set(sources())
    for folder, folders, names in os.walk(COPY):
        if pathlib.Path(folder) == COPY:
            folders[:] = [name for name in folders if name != "build"]
        for path in (pathlib.Path(folder, name) for name in names):
            if path.relative_to(COPY) not in wanted:
                path.unlink()
    for name in wanted:
        old, new = COPY / name, ROOT / name
        if not old.is_file() or old.read_bytes() != new.read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, old)


def digest():
    """Of all that the results depend on."""
    found = hashlib.sha256()
    for name in sorted(sources()):
        found.update(bytes(name) + b"\0" + (ROOT / name).read_bytes())
    return found.hexdigest()


def build(*targets, quiet=False):
    """Whether the copy can be built."""
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "coverage"], cwd=COPY, check=True)
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run(["cmake", "--build", BUILD, *(["--target", *targets] if targets else [])],
                          stdout=output, stderr=output, check=False).returncode == 0


# ---- the tests ----------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Suite:
    """What is run at once: the tests of a GoogleTest suite, or one test of ctest."""

    name: str
    command: list
    environment: dict
    folder: str
    limit: float  # seconds
    program: str = ""  # below BUILD, if it is all that has to be built

    def profile(self):
        """The folder's name: all suites of a program have one."""
        return os.path.basename(self.program) or self.name


def suites(only=".", left_out=None):
    """Those of ctest whose name has `only` in it. What targets for fuzzers run is left out, as they look at no result, and
    what only a compiler does."""
    shown = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1", "-LE", "fuzz", "-E", "^(fuzz|refused)"], stdout=subprocess.PIPE, check=True)
    found = {}
    for test in json.loads(shown.stdout)["tests"]:
        if "command" not in test:  # not built
            continue
        properties = {each["name"]: each["value"] for each in test["properties"]}
        command, name, program = test["command"], test["name"], ""
        if any(word.startswith("--gtest_filter=") for word in command):
            suite = re.sub(r"/\d+$", "/*", command[1].removeprefix("--gtest_filter=").rpartition(".")[0])  # of all types
            program = os.path.relpath(command[0], BUILD)
            name = f"{name.partition('.')[0]}.{suite}"
            command = [command[0], f"--gtest_filter={suite}.*", "--gtest_brief=1"]
        environment = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        found[name] = Suite(name, command, environment, properties.get("WORKING_DIRECTORY", BUILD),
                            4 * properties.get("TIMEOUT", 600.0), program)
    return [suite for name, suite in found.items()
            if re.search(only, name) and not (left_out and re.search(left_out, name))]


def limit_resources():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(suite, profile, limit, stop):
    """What the suite says if it fails, "" if not. What it ran is added to the profile."""
    end = time.monotonic() + limit
    environment = {**os.environ, **suite.environment, "GCOV_PREFIX": str(profile), "GCOV_PREFIX_STRIP": str(len(BUILD.parts) - 1)}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(suite.command, cwd=suite.folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=said, stderr=said, start_new_session=True, preexec_fn=limit_resources)
        status = None
        while status is None and time.monotonic() < end and not stop.is_set():
            try:
                status = process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
        # With what a test has left behind.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        if status is None:
            return f"did not end within {limit:.0f} s"
        said.seek(0)
        return said.read().decode(errors="replace") + f"exit status {status}" if status else ""


@contextlib.contextmanager
def folder_for_profiles():
    """Where programs in a sandbox may write, and other users."""
    with tempfile.TemporaryDirectory(prefix="profile-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o777)
        yield pathlib.Path(name)


@contextlib.contextmanager
def stoppable_pool():
    """Threads, and what ends their suites: set it, or leave by an exception."""
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        try:
            yield pool, stop
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def measure(suite, folder, stop):
    profile = folder / suite.profile()
    profile.mkdir(exist_ok=True)
    profile.chmod(0o777)
    begin = time.monotonic()
    failure = run(suite, profile, suite.limit, stop)
    return {"seconds": time.monotonic() - begin, "failure": failure}


def progress(text):
    if sys.stdout.isatty():
        print(f"\r\033[K{text[:100]}", end="" if text else "", flush=True)


def measure_all(wanted):
    results = {}
    with folder_for_profiles() as folder, stoppable_pool() as (pool, stop):
        begun = {pool.submit(measure, suite, folder, stop): suite for suite in wanted}
        for done in concurrent.futures.as_completed(begun):
            name = begun[done].name
            results[name] = done.result()
            progress(f"{len(results)}/{len(wanted)} {name}")
            if results[name]["failure"]:
                progress("")
                print(f"{name} fails:\n{results[name]['failure'][-2000:]}")
        shutil.rmtree(PROFILES, ignore_errors=True)
        shutil.copytree(folder, PROFILES)
    progress("")
    return results


# ---- what was run -------------------------------------------------------------------------------------------


def gcov(folder, file):
    """The measured sources in an object's profile: (path in the project, what gcov says)."""
    note = (folder / file).with_suffix(".gcno")
    if not note.exists():  # gcov looks for it beside the profile
        note.symlink_to(MERGED / note.relative_to(folder))
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", folder / file], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for each in json.loads(done.stdout.splitlines()[0])["files"]:
        name = os.path.relpath(os.path.join(BUILD, each["file"]), COPY)
        if MEASURED.match(name):
            yield name, each


def merge_profiles():
    shutil.rmtree(MERGED, ignore_errors=True)
    first, *others = (folder for folder in sorted(PROFILES.iterdir()) if any(folder.rglob("*.gcda")))
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
    objects: set = dataclasses.field(default_factory=set)

    def add(self, told, name):
        self.objects.add(name)
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
        for file, told in zip(files, pool.map(lambda file: list(gcov(folder, file)), files)):
            for name, each in told:
                found[name].add(each, str(file.with_suffix("")))
    return found


def layer_of(name):
    """protocols, analyzer/engine, ..."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("analyzer", "replay") else parts[0]


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
            text = (COPY / name).read_text().splitlines()
            for number in sorted(number for number, count in found[name].lines.items() if not count):
                out.write(f"{name}:{number}: {text[number - 1].strip() if number <= len(text) else ''}\n")
    print(f"\nall lines that are not run: {path.relative_to(ROOT)}")


def cover(only, left_out=None):
    """Builds, runs and writes down; the suites that were run."""
    if sys.stdout.isatty():
        print("The first build of the copy takes some 20 minutes on two processors; the tests, as long again.")
    copy_sources()
    if not build():
        sys.exit(1)
    wanted = suites(only, left_out)
    results = measure_all(wanted)
    merge_profiles()
    found = sources_of(MERGED)
    (RESULTS / "coverage.json").write_text(json.dumps({
        "digest": digest(), "suites": results,
        "sources": {name: {"lines": source.lines, "objects": sorted(source.objects)} for name, source in found.items()}}))
    return found, results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="?", default=".", help="a regular expression for the names of those to run")
    parser.add_argument("--without", help="a regular expression for those not to run")
    parser.add_argument("--least", type=int, default=20, help="how many sources to list")
    options = parser.parse_args()

    found, results = cover(options.suites, options.without)
    print_layers(found)
    print_least_covered(found, options.least)
    write_not_run(found, RESULTS / "not_run.txt")
    failed = sum(bool(result["failure"]) for result in results.values())
    print(f"{len(results)} test suites, {failed} of them failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
