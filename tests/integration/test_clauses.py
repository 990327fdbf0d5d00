# SPDX-License-Identifier: GPL-2.0-or-later
"""What the documents demand (tests/traffic/clauses.txt) against `fabricscope rules`, in both directions, and against
docs/not-decidable.md, which this file writes if it is run as a program."""

import json
import re
from pathlib import Path

import pytest
from harness import BUILD, run

TREE = Path(__file__).parents[2]
CLAUSES = TREE / "tests/traffic/clauses.txt"
PAGE = TREE / "docs/not-decidable.md"
UNDECIDED = "not decidable: "
# IBA volume 1 is none of the documents; nor are the papers that rules on streams of queue pairs cite.
OTHERS = ("IBA", "DCQCN", "Lumina")

HEAD = """# What no capture decides

Each demand of the documents that has no rule, with the reason. Demands with a rule are in `fabricscope rules`; both are in `tests/traffic/clauses.txt`, from
which this page is made (`tests/integration/test_clauses.py`), and a test compares that list with the rules. What is decidable in principle but was not captured
is no matter of this page: such a rule is *undecided* for the capture at hand.
"""


def clauses():
    """(document, clause, demand, verdict) for each line of the list."""
    document, found = None, []
    for line in CLAUSES.read_text().splitlines():
        if line.startswith("document "):
            document = line.removeprefix("document ")
        elif line and not line.startswith("#"):
            clause, demand, verdict = line.split(" | ")
            found.append((document, clause, demand, verdict))
    return found


def cited(rule):
    """(document, clause) for each that a rule cites: "ISO/IEC 14165-331, 5.2, 6.7 to 6.11; VI-ARCH E"."""
    document = None
    for piece in re.split(r"[;,(]\s*", rule["clause"]):
        named = re.match(r"(RFC 7609|IBA|ISO/IEC TR 14165-314|ISO/IEC 14165-331|FC-VI rev 1\.0|VI-ARCH|VI-DG|DCQCN|Lumina) ?(.*)", piece)
        document, clause = (named[1], named[2]) if named else (document, piece)
        clause = re.sub(r"( [a-h])?\)*$", "", clause).strip()
        if not clause or (rule["id"] == "FCVI-43" and clause == "table 1") or clause == "table 8":
            continue
        if until := re.fullmatch(r"(.*?)(\d+) to \1(\d+)", clause):
            yield from ((document, f"{until[1]}{i}") for i in range(int(until[2]), int(until[3]) + 1))
        elif several := re.fullmatch(r"tables (\w+) and (\w+)", clause):
            yield from (("IBA A11", f"table {name}") for name in several.groups())
        elif document == "IBA" and clause.startswith(("A11", "table")):
            yield "IBA A11", clause
        elif clause == "E":
            yield "ISO/IEC 14165-331", "annex E"
        else:
            yield document, clause


@pytest.fixture(scope="module")
def rules():
    return json.loads(run([BUILD / "bin/fabricscope", "rules", "--json"]))


def test_each_demand_has_a_rule_or_a_reason(rules):
    known = {rule["id"] for rule in rules}
    for document, clause, demand, verdict in clauses():
        named = f"{document}, {clause}: {demand}"
        if verdict.startswith(UNDECIDED):
            assert len(verdict) > len(UNDECIDED) + 10, named
        else:
            assert verdict.split() and set(verdict.split()) <= known, named


def test_each_clause_of_a_rule_stands_in_the_list(rules):
    listed = {
        (document, clause, rule)
        for document, clause, _, verdict in clauses()
        if not verdict.startswith(UNDECIDED)
        for rule in verdict.split()
    }
    for rule in rules:
        for document, clause in cited(rule):
            assert document in OTHERS or (document, clause, rule["id"]) in listed, (rule["id"], document, clause)


def test_no_demand_stands_twice():
    demands = [entry[:3] for entry in clauses()]
    assert len(demands) == len(set(demands))


def page():
    text = HEAD
    for document in dict.fromkeys(entry[0] for entry in clauses()):
        rows = [entry for entry in clauses() if entry[0] == document and entry[3].startswith(UNDECIDED)]
        if rows:
            text += f"\n## {document}\n\n| Clause | Demand | Why no capture decides it |\n|---|---|---|\n"
        for _, clause, demand, verdict in rows:
            text += f"| {clause} | {demand} | {verdict.removeprefix(UNDECIDED)} |\n"
    return text


def test_the_page_is_the_list():
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
