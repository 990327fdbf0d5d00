#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clang-tidy over the sources of a compilation database, except those that it has found clean before.

A source is known by what the compiler sees of it: its text and that of all its headers after preprocessing, with
comments (NOLINT), clang-tidy's version and the configurations in force. Exit status: 0 clean, 1 findings, 2 usage.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
CLEAN = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "fabricscope/tidy"


def preprocessed(entry):
    words = shlex.split(entry["command"])[1:]
    output = words.index("-o")
    words[output : output + 2] = []
    words.remove("-c")
    command = ["clang++", "-Wno-everything", *words, "-E", "-C", "-P"]
    return subprocess.run(command, cwd=entry["directory"], stdout=subprocess.PIPE, check=True).stdout


def configurations(source):
    return b"".join((folder / ".clang-tidy").read_bytes() for folder in source.parents if (folder / ".clang-tidy").exists())


def key(entry, source, common):
    return hashlib.sha256(b"\0".join((common, configurations(source), preprocessed(entry)))).hexdigest()


def look_at(entry, options, common):
    """What clang-tidy says of a source: nothing if it is clean."""
    source = pathlib.Path(entry["file"])
    seen = CLEAN / key(entry, source, common)
    if seen.exists():
        return ""
    command = ["clang-tidy", "--quiet", "-p", options.build, *options.tidy, str(source)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
        seen.touch()
        return ""
    return done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build/lint", help="where compile_commands.json is")
    parser.add_argument("--only", default=".", help="a regular expression for the sources' paths in the project")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("tidy", nargs="*", help="options for clang-tidy, behind --")
    options = parser.parse_args()

    CLEAN.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    common = version + "\0".join(options.tidy).encode()
    wanted = re.compile(options.only)
    entries = {
        os.path.relpath(entry["file"], ROOT): entry
        for entry in json.loads((pathlib.Path(options.build) / "compile_commands.json").read_text())
    }
    entries = {path: entry for path, entry in entries.items() if wanted.match(path)}
    found = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for said in pool.map(lambda entry: look_at(entry, options, common), entries.values()):
            found += bool(said)
            sys.stdout.write(said)
            sys.stdout.flush()
    print(f"clang-tidy: {found} of {len(entries)} sources with findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
