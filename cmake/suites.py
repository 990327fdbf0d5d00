# SPDX-License-Identifier: GPL-2.0-or-later
"""The suites of a build's tests, each run by itself: for ./dev coverage and ./dev mutate."""

import concurrent.futures
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).parents[1]
# Of the program, not of the tests and examples beside it.
MEASURED = re.compile(r"(protocols|capture|analyzer|replay|program|plugins|extcap)/.*\.(cc|h)$")
JOBS = os.cpu_count() + 1  # some suites mostly wait
MEMORY, FILE_SIZE = 8 << 30, 4 << 30  # of each process; faults may take without end


@dataclasses.dataclass
class Suite:
    """What is run at once: the tests of a GoogleTest suite, or one test of ctest."""

    name: str
    command: list
    environment: dict
    folder: str
    limit: float  # seconds
    program: str  # its suites have this in common: the name of the test, if it is no GoogleTest program


def suites(build, only=".", left_out=None):
    """Those of ctest whose name has `only` in it. What only a compiler does is left out."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-E", "^refused"], stdout=subprocess.PIPE, check=True)
    found = {}
    for test in json.loads(shown.stdout)["tests"]:
        if "command" not in test:  # not built
            continue
        properties = {each["name"]: each["value"] for each in test["properties"]}
        command, name = test["command"], test["name"]
        program = name
        if any(word.startswith("--gtest_filter=") for word in command):
            suite = re.sub(r"/\d+$", "/*", command[1].removeprefix("--gtest_filter=").rpartition(".")[0])  # of all types
            program = os.path.basename(command[0])
            name = f"{name.partition('.')[0]}.{suite}"
            command = [command[0], f"--gtest_filter={suite}.*", "--gtest_brief=1"]
        environment = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        found[name] = Suite(name, command, environment, properties.get("WORKING_DIRECTORY", build),
                            4 * properties.get("TIMEOUT", 600.0), program)
    return [suite for name, suite in found.items()
            if re.search(only, name) and not (left_out and re.search(left_out, name))]


def prepare():
    """Whoever runs all this in the background ignores interrupts, which some tests send."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(suite, environment, limit, stop):
    """What the suite says if it fails, "" if not."""
    end = time.monotonic() + limit
    environment = {**os.environ, **suite.environment, **environment}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(suite.command, cwd=suite.folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=said, stderr=said, start_new_session=True, preexec_fn=prepare)
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
def shared_folder():
    """Where programs in a sandbox may write, and other users."""
    with tempfile.TemporaryDirectory(prefix="suites-", ignore_cleanup_errors=True) as name:
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


def measured(suite, environment, limit, stop):
    begin = time.monotonic()
    failure = run(suite, environment, limit, stop)
    return {"seconds": time.monotonic() - begin, "failure": failure}


def measure_all(wanted, environment_of, longest_of=lambda suite: math.inf):
    """How long each takes, and why it fails: by name. None may take longer than so many seconds."""
    results = {}
    with stoppable_pool() as (pool, stop):
        begun = {pool.submit(measured, suite, environment_of(suite), min(suite.limit, longest_of(suite)), stop): suite for suite in wanted}
        for done in concurrent.futures.as_completed(begun):
            name = begun[done].name
            results[name] = done.result()
            progress(f"{len(results)}/{len(wanted)} {name}")
            if results[name]["failure"]:
                progress("")
                print(f"{name} fails:\n{results[name]['failure'][-2000:]}")
    progress("")
    return results


def progress(text):
    if sys.stdout.isatty():
        print(f"\r\033[K{text[:100]}", end="" if text else "", flush=True)


def layer_of(name):
    """protocols, analyzer/engine, ..."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("analyzer", "replay") else parts[0]
