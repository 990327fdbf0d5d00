#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clang-tidy over the sources of a compilation database, except those that it has found clean before.

A source is known by what the compiler sees of it: its text and that of all its headers after preprocessing, with
comments (NOLINT), clang-tidy's version and the configurations in force. Where nothing is remembered, as in a fresh
clone, --since leaves out what has not changed since a commit that was clean. Exit status: 0 clean, 1 findings, 2 usage.
"""

import argparse
import collections
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


def git(*arguments):
    """What git says, by lines; None if it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return None if done.returncode else done.stdout.splitlines()


def includers():
    """{header: the files of the project that include it}"""
    found = collections.defaultdict(list)
    for path in git("ls-files", "--cached", "--others", "--exclude-standard", "*.cc", "*.h"):
        if (ROOT / path).exists():
            for header in re.findall(r'^#include "(.+)"', (ROOT / path).read_text(), re.MULTILINE):
                found[header].append(path)
    return found


def source_with(file, sources, included_by):
    """The file if it is a source; of a header its own source, or else one that includes it. None if there is none."""
    own = str(pathlib.PurePath(file).with_suffix(".cc"))
    if own in sources:
        return own
    seen, queue = {file}, collections.deque([file])
    while queue:
        for path in sorted(included_by[queue.popleft()]):
            if path in sources:
                return path
            if path not in seen:
                seen.add(path)
                queue.append(path)
    return None


def changed_since(clean, sources):
    """Of the sources, by path: what has changed since the commit that a file names, and one source for each header
    that has. All if the clone does not have that commit, or clang-tidy looks for other things since."""
    commit = clean.read_text().split()[-1]
    changed = git("diff", "--name-only", "--no-renames", commit, "--")
    if changed is None or ".clang-tidy" in changed:
        return sources
    changed += git("ls-files", "--others", "--exclude-standard")
    included_by = includers()
    wanted = {source_with(file, sources, included_by) for file in changed if file.endswith((".cc", ".h"))}
    return {path: sources[path] for path in sources if path in wanted}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build/release", help="where compile_commands.json is")
    parser.add_argument("--only", default=".", help="a regular expression for the sources' paths in the project")
    parser.add_argument("--since", type=pathlib.Path, help="a file; only what has changed since the commit at its end")
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
    count = len(entries)
    if options.since:
        entries = changed_since(options.since, entries)
        print(f"clang-tidy: {len(entries)} of {count} sources have changed, or a header of theirs has", flush=True)
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
