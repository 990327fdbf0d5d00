# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/vi-architecture.md: each item of the VI Architecture has a test that is there, or a reason why it has none.

To write the document's table anew: test_vi_architecture.py --markdown"""
import csv
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
DOCUMENT = ROOT / "docs" / "vi-architecture.md"
SCENARIO = "scenario:"
# A host of a scenario has its NIC from the beginning, and nothing of it blocks.
NOT_IN_SCRIPTS = {"VipOpenNic", "VipConnectPeerWait"}


def items():
    with open(HERE / "vi_architecture.csv", newline="") as table:
        return list(csv.DictReader(table))


def unit_tests():
    """Suite.Name of all."""
    pattern = re.compile(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.MULTILINE)
    return {f"{suite}.{name}" for file in (ROOT / "tests" / "unit").rglob("*.cc")
            for suite, name in pattern.findall(file.read_text())}


def shown(test):
    return f"`{test[len(SCENARIO):]}` (scenario)" if test.startswith(SCENARIO) else f"`{test}`"


def markdown():
    lines = []
    for group in dict.fromkeys(item["group"] for item in items()):
        lines += [f"### {group[0].upper()}{group[1:]}", "", "| Item | Clause | Test | Remarks |", "|---|---|---|---|"]
        for item in items():
            if item["group"] == group:
                tests = ", ".join(shown(test) for test in item["tests"].split()) or "none"
                lines.append(f"| {item['item']} | {item['clause']} | {tests} | {item['note']} |")
        lines.append("")
    return "\n".join(lines)


def test_every_item_has_a_test_or_a_reason():
    for item in items():
        assert item["clause"], item
        assert item["tests"] or item["note"], f"{item['item']} has neither"


def test_the_tests_are_there():
    known = unit_tests()
    for item in items():
        for test in item["tests"].split():
            if test.startswith(SCENARIO):
                assert (ROOT / "samples" / "scenarios" / f"{test[len(SCENARIO):]}.scenario").exists(), test
            else:
                assert test in known, f"{item['item']}: there is no {test}"


def test_scripts_make_every_call_and_raise_every_error():
    words = set()
    for scenario in (ROOT / "samples" / "scenarios").glob("*.scenario"):
        words.update(re.findall(r"^call \w+ (\w+)|^expect \w+ error code=(\w+)", scenario.read_text(), re.MULTILINE))
    known = {word for pair in words for word in pair}
    wanted = {item["item"] for item in items() if item["group"] in ("calls", "asynchronous errors")}
    assert wanted - known == NOT_IN_SCRIPTS


def test_the_document_says_the_same():
    assert DOCUMENT.read_text().endswith(markdown().rstrip("\n") + "\n"), "run this file with --markdown"


if __name__ == "__main__" and sys.argv[1:] == ["--markdown"]:
    text = DOCUMENT.read_text()
    DOCUMENT.write_text(text[:text.index("### ")] + markdown().rstrip("\n") + "\n")
