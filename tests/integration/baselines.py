#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""All that is told of each sample, as digests: what a change of the program changes beside what it is meant to.

baselines.py          writes tests/baselines.txt anew
baselines.py BUILD    shows what this build tells otherwise than that one
"""

import concurrent.futures
import difflib
import hashlib
import os
import sys
import tempfile
from pathlib import Path

from harness import BUILD, ROOT, sharkd_answers, started_program

BASELINES = ROOT / "tests/baselines.txt"
CAPTURES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("samples/*/*.pcap*"))

# By name, the command that makes it; OUT is a file.
PROGRAM = {
    "summary": ["fabricscope", "analyze", "--all"],
    "counters": ["fabricscope", "analyze", "--counters"],
    "json": ["fabricscope", "analyze", "--cursors", "--json", "-"],
    "trace": ["fabricscope", "analyze", "--perfetto", "OUT"],
    "report": ["fabricscope", "report", "-o", "-"],
    "timeline": ["fabricscope", "timeline", "--connection", "all", "--csv", "-"],
    "replay": ["fabricscope", "replay", "--all", "--against", "emulated", "--json", "-"],
    "incomplete": ["variants", "--told"],
}
WIRESHARK = "wireshark"
VIEWS = [*PROGRAM, WIRESHARK]
MOST_FRAMES = 300  # of a sample, whose trees are looked at
OUR_PROTOCOLS = ("SMC-R", "RDMA CM", "FC-VI", "FC-AE-RDMA")
OURS = ("smcr", "rdma", "fcvi", "fcaerdma", "fabricscope")  # rdma_ip_cm, too


def told(build, capture, view):
    """What the program says and writes, errors and exit status included."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        program, *arguments = [out if word == "OUT" else word for word in PROGRAM[view]]
        status, output, errors = started_program(
            [build / "bin" / program], [*arguments, capture], env={**os.environ, "TZ": "UTC"}, folder=str(ROOT), build=build)
        written = out.read_bytes() if out.exists() else b""
    return (errors + output + written).decode(errors="replace") + f"exit status {status}\n"


def own_lines(nodes, depth=0):
    """Of a tree of Wireshark's, what is ours: another version of Wireshark says other things of the rest."""
    for node in nodes:
        own = node.get("f", "").startswith(OURS) or node.get("fn", "").startswith(OURS)
        if own:
            yield "  " * depth + node.get("l", "") + (f"  [{node['f']}]" if "f" in node else "")
        yield from own_lines(node.get("n", []), depth + own)


def dissected(build, captures):
    """What Wireshark with our plugin shows of each capture."""
    calls = []
    for capture in captures:
        calls += [("load", {"file": str(ROOT / capture)}), ("frames", {})]
        calls += [("frame", {"frame": number, "proto": True}) for number in range(1, MOST_FRAMES + 1)]
    found = {capture: "" for capture in captures}
    for number, result in sharkd_answers(calls, build):
        place, call = divmod(number, MOST_FRAMES + 2)
        if call == 1:
            lines = (" | ".join(frame["c"][4:]) for frame in result if frame["c"][4] in OUR_PROTOCOLS)
        else:
            lines = own_lines(result.get("tree", [])) if isinstance(result, dict) else ()
        found[captures[place]] += "".join(f"{line}\n" for line in lines)
    return found


def all_told(build):
    """{(capture, view): text}"""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wireshark = pool.submit(dissected, build, CAPTURES)
        wanted = [(capture, view) for capture in CAPTURES for view in PROGRAM]
        found = dict(zip(wanted, pool.map(lambda each: told(build, *each), wanted)))
        return found | {(capture, WIRESHARK): text for capture, text in wireshark.result().items()}


def digests(texts):
    """{(capture, view): eight digits}"""
    return {each: hashlib.sha256(text.encode()).hexdigest()[:8] for each, text in texts.items()}


def recorded():
    """As the file has them, a capture a line."""
    header, *lines = BASELINES.read_text().splitlines()
    views = header.split()[2:]
    return {(words[0], view): digest for words in map(str.split, lines) for view, digest in zip(views, words[1:])}


def write(found):
    width = max(map(len, CAPTURES))
    rows = [["# capture".ljust(width), *(view.ljust(8) for view in VIEWS)]]
    rows += [[capture.ljust(width), *(found[capture, view].ljust(max(8, len(view))) for view in VIEWS)] for capture in CAPTURES]
    BASELINES.write_text("".join("  ".join(row).rstrip() + "\n" for row in rows))


def show_differences(before, now):
    for (capture, view), text in now.items():
        sys.stdout.writelines(difflib.unified_diff(before[capture, view].splitlines(True), text.splitlines(True),
                                                   f"before: {view} of {capture}", f"now: {view} of {capture}", n=1))


def main():
    if len(sys.argv) > 1:
        show_differences(all_told(Path(sys.argv[1]).resolve()), all_told(BUILD))
    else:
        write(digests(all_told(BUILD)))


if __name__ == "__main__":
    main()
