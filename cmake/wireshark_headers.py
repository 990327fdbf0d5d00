#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compile what uses Wireshark with the headers of another Debian's Wireshark, without linking, and without a tree.

Takes the compile commands of a build folder, so that those are configured already. Exit status: 0 all compiled, or that
Debian cannot be reached from here, which is said; 1 a source was refused.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
PACKAGES = ["libwireshark-dev", "libwiretap-dev", "libwsutil-dev"]
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# The targets whose sources include Wireshark's headers.
USERS = re.compile(r"/(?:capture|plugins)/CMakeFiles/")


def mirror():
    """Where this machine gets Debian from; empty where apt has never looked."""
    targets = ["Created-By: Packages", "Origin: Debian", "Label: Debian"]
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", *targets], stdout=subprocess.PIPE, check=True, text=True
    )
    return listed.stdout.partition("\n")[0]


def unpack_headers(suite, folder):
    """Whether Debian's SUITE was reached; its headers are in `folder` then. apt's own lists stay as they are."""
    if not mirror():
        subprocess.run(["apt-get", "-q", "update"], stdout=subprocess.DEVNULL)
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    sources = folder / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {mirror()} {suite} main\n")
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=/dev/null"]
    apt += ["-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache", "-o", "Acquire::Languages=none"]
    apt += ["-o", "APT::Sandbox::User=root", "-o", "APT::Update::Error-Mode=any"]
    if subprocess.run([*apt, "update"], stdout=subprocess.DEVNULL).returncode != 0:
        return False
    subprocess.run([*apt, "download", *PACKAGES], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return True


def version(includes):
    return ".".join(re.findall(r"^#define WIRESHARK_VERSION_\w+ (\d+)", (includes / "ws_version.h").read_text(), re.M))


def compile_with(entry, includes, folder):
    """What the compiler says of an entry of the compilation database: nothing if it is content."""
    words = shlex.split(entry["command"])
    if "-include" in words:
        # The precompiled header has the other Wireshark in it: a copy of its source, where there is no such thing.
        header = words.index("-include") + 1
        copy = folder / os.path.relpath(words[header], entry["directory"])
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(words[header], copy)
        words[header] = str(copy)
    output = words.index("-o")
    words[output : output + 2] = ["-fsyntax-only"]
    words = [str(includes) if word.endswith("/include/wireshark") else word for word in words]
    done = subprocess.run(words, cwd=entry["directory"], stderr=subprocess.PIPE, text=True)
    return done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", help="a Debian: trixie, sid")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="where compile_commands.json is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    folder = ROOT / "build" / f"wireshark-headers-{options.suite}"
    if not unpack_headers(options.suite, folder):
        print(f"Debian {options.suite} cannot be reached from here: nothing was compiled with its Wireshark.")
        return 0
    includes = folder / "usr/include/wireshark"
    entries = [
        entry
        for entry in json.loads((options.build / "compile_commands.json").read_text())
        if USERS.search(entry["file"]) and not entry["file"].endswith("/cmake_pch.hxx.cxx")
    ]
    if not entries:
        sys.exit(f"{options.build} has no sources that use Wireshark")
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for said in pool.map(lambda entry: compile_with(entry, includes, folder), entries):
            refused += bool(said)
            sys.stdout.write(said)
            sys.stdout.flush()
    print(f"Wireshark {version(includes)} of Debian {options.suite}: {len(entries) - refused} of {len(entries)} sources compiled")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
