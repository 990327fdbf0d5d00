# SPDX-License-Identifier: GPL-2.0-or-later
"""The faults that `./dev mutate` puts into sources."""

import collections
import sys

import pytest

from harness import ROOT

sys.path.insert(0, str(ROOT / "cmake"))
import mutate  # noqa: E402
from source_faults import CALL, COMPARISON, CONDITION, CONSTANT, faults_in  # noqa: E402


def body(text):
    return f"void f() {{\n    {text}\n}}\n"


def faulty(text, kind):
    """What becomes of it."""
    return {fault.put_into(body(text)).splitlines()[1].strip() for fault in faults_in(body(text)) if fault.kind == kind}


@pytest.mark.parametrize(("text", "faults"), [
    ("a = b == c;", {"a = b != c;"}),
    ("a = b < c;", {"a = b <= c;", "a = b >= c;"}),
    ("std::vector<int> a(b);", set()),
    ("std::map<int, std::vector<int>> a;", set()),
    ('a = "b == c";  // or b != c', set()),
    ('a = R"(b == c)";', set())])
def test_comparisons(text, faults):
    assert faulty(text, COMPARISON) == faults


@pytest.mark.parametrize(("text", "faults"), [
    ("if (a) return;", {"if (true || (a)) return;", "if (false && (a)) return;"}),
    ("if (g(); a) return;", {"if (g(); true || (a)) return;", "if (g(); false && (a)) return;"}),
    ("if (int a = g()) return;", set()),
    ("if constexpr (a) return;", set()),
    ("return a && h(b, c);", {"return (true || (a)) && h(b, c);", "return a && (true || (h(b, c)));"}),
    ("x = a || b[1];", {"x = (false && (a)) || b[1];", "x = a || (false && (b[1]));"}),
    ("auto&& a = g();", set())])
def test_conditions(text, faults):
    assert faulty(text, CONDITION) == faults


@pytest.mark.parametrize(("text", "faults"), [
    ("a = 7;", {"a = 8;", "a = 6;"}),
    ("a = 0;", {"a = 1;"}),
    ("a = 0x1F'FFU;", {"a = 0x2000U;", "a = 0x1ffeU;"}),
    ("a = 0.5;", {"a = 1.0;"}),
    ("a = true;", {"a = false;"}),
    ("a7 = '7';", set()),
    ('a = "\\"7";', set())])
def test_constants(text, faults):
    assert faulty(text, CONSTANT) == faults


@pytest.mark.parametrize(("text", "faults"), [
    ("g(a, b);", {";"}),
    ("if (a) b.g();", {"if (a) ;"}),
    ("for (auto a : b) c->d().e(a);", {"for (auto a : b) ;"}),
    ("std::ranges::sort(a);", {";"}),
    ("a = g();", set()),
    ("return g();", set()),
    ("Type a(b);", set()),
    ("const Lock lock(mutex);", set()),
    ("list.reserve(7);", set()),
    ("static_assert(g());", set())])
def test_calls(text, faults):
    assert faulty(text, CALL) == faults


def test_lines():
    source = "#define A 7\n/* 7\n7 */\nconstexpr int a = 7;\nvoid f() { g(7); }\n"
    assert {(fault.line, fault.in_declaration) for fault in faults_in(source) if fault.kind == CONSTANT} == {(4, True), (5, False)}


def test_shares():
    shares = mutate.shares({"large": 10_000, "middle": 900, "small": 100}, 14)
    assert shares == {"large": 10, "middle": 3, "small": 1}


def test_the_sources_have_faults_of_all_kinds():
    found = collections.Counter(fault.kind for path in sorted((ROOT / "protocols").rglob("*.cc")) for fault in faults_in(path.read_text()))
    assert min(found[kind] for kind in (CALL, COMPARISON, CONDITION, CONSTANT)) > 20
