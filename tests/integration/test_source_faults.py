# SPDX-License-Identifier: GPL-2.0-or-later
"""The faults that `./dev mutate` puts into sources."""

import collections
import sys

import pytest

from harness import ROOT

sys.path.insert(0, str(ROOT / "cmake"))
import mutate  # noqa: E402
from source_faults import CALL, COMPARISON, CONDITION, CONSTANT, faults_in, overlap, put_all_into  # noqa: E402


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


@pytest.mark.parametrize(("text", "switched"), [
    ("x = a < b + 1 && !c;", "x = (A ? a <= b + 1 : a < b + 1) && !c;"),
    ("return h(a, *d == 7);", "return h(a, (A ? *d != 7 : *d == 7));"),
    ("return f<int>(b) == c & d ? x : y;", "return (A ? f<int>(b) != c : f<int>(b) == c) & d ? x : y;"),
    ("a = b ==\n        c;", "a = (A ? b != c : b ==\n        c);"),
    ("if (a) return;", "if (A || (a)) return;"),
    ("return a && b;", "return (A || (a)) && b;"),
    ("for (;;) g(a, b);", "for (;;) (A ? void() : void(g(a, b)));"),
    ("a = 8;", "a = (A ? 9 : 8);")])
def test_switches(text, switched):
    text = body(text)
    first = faults_in(text)[0]
    assert put_all_into(text, {"A": first}) == body(switched)


def test_many_in_one():
    text = body("if (a == 7) g();")
    of_kind = {fault.kind: fault for fault in reversed(faults_in(text))}
    assert overlap(of_kind[COMPARISON], of_kind[CONSTANT]) and not overlap(of_kind[CONSTANT], of_kind[CALL])
    assert put_all_into(text, {"A": of_kind[CONSTANT], "B": of_kind[CALL]}) == body("if (a == (A ? 8 : 7)) (B ? void() : void(g()));")


def test_lines():
    source = "#define A 7\n/* 7\n7 */\nconstexpr int a = 7;\nvoid f() { g(7); }\n"
    assert {fault.line for fault in faults_in(source) if fault.kind == CONSTANT} == {4, 5}


def test_initial_values_of_members_stay():
    source = "struct A {\n    int a = 7;\n};\ninline int f() { return 7; }\n"
    assert {fault.line for fault in faults_in(source, is_header=True)} == {4}
    assert {fault.line for fault in faults_in(source)} == {2, 4}


def test_shares():
    shares = mutate.shares({"large": 10_000, "middle": 900, "small": 100}, 14)
    assert shares == {"large": 10, "middle": 3, "small": 1}


def test_the_sources_have_faults_of_all_kinds():
    found = collections.Counter(fault.kind for path in sorted((ROOT / "protocols").rglob("*.cc")) for fault in faults_in(path.read_text()))
    assert min(found[kind] for kind in (CALL, COMPARISON, CONDITION, CONSTANT)) > 20
