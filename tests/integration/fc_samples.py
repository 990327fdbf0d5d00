# SPDX-License-Identifier: GPL-2.0-or-later
"""The recorded captures of FC-VI and FC-AE-RDMA, as samples/README.md lists them, and captures that break a rule."""

import json
import re

from harness import BUILD, ROOT, run

#: Captures of these are about annex A, which analyze is asked for.
ANNEX_A = "--profile fc-ae-rdma-annex-a"


def findings_of(text):
    """ "`FCVI-32` twice" as a list of rules."""
    return [rule for rule, twice in re.findall(r"`([^`]+)`( twice)?", text) for _ in range(2 if twice else 1)]


def samples():
    """One dict per sample: group, name, paths of its captures, what its row says, and options of analyze."""
    rows = []
    for line in (ROOT / "samples/README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if heading := re.match(r"\| (fcvi|fc_ae_rdma)/ \|", line):
            group = heading[1]
        elif len(cells) == 7 and (ROOT / "samples" / group / f"{cells[0].strip('`')}.pcap").exists():
            name = cells[0].strip("`")
            folder = ROOT / "samples" / group
            rows.append({
                "group": group, "name": name, "captures": [folder / f"{name}.pcap", folder / f"{name}.fcoe.pcap"],
                "frames": int(cells[1]), "happens": cells[2], "result": "" if cells[4] == "-" else cells[4],
                "findings": findings_of(cells[5]), "scenarios": re.findall("`([^`]+)`", cells[6]),
                "options": ANNEX_A if name.startswith("annex_a") else ""})
    return rows


def rule_cases(folder, tables=("fcvi", "fc_ae_rdma")):
    """Makes a capture for each case of tests/traffic/*.rules: one dict each, with table, name, happens, findings, options, capture."""
    cases = json.loads(run([BUILD / "bin/edit_capture", "--rules", folder]))
    for case in cases:
        case["capture"] = folder / f"{case['name']}.pcapng"
    return [case for case in cases if case["table"] in tables]
