# SPDX-License-Identifier: GPL-2.0-or-later
"""Small faults that can be put into C++ sources, many at once: each has a number, and is there if a condition holds.

It knows tokens, not grammar. What is no C++ with the fault in it the compiler refuses, and what has to be known when it
compiles; what looks like a fault and may be a declaration (`<` of a template, `&&` of a reference) is told apart by
the blanks that clang-format puts around operators.
"""

import bisect
import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
      | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^()\s\\]*)\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<operator><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, ")]}"
SWITCH = "@"

TURNED = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
COMPARISON, CONDITION, CONSTANT, CALL = KINDS = ("comparison turned", "condition dropped", "constant changed", "call left out")
ALWAYS, NEVER = ("true ||", f"{SWITCH} ||"), ("false &&", f"!{SWITCH} &&")  # and as switched
# Without these a program does the same, only slower, or says less to who debugs it.
IDLE = {"reserve", "shrink_to_fit", "assert", "static_assert", "unreachable", "prefetch"}
# A statement that begins like that is no call.
KEYWORDS = {"return", "throw", "delete", "if", "for", "while", "switch", "case", "using", "do", "else", "goto", "new", "break", "continue",
            "co_return", "co_await", "sizeof", "static_cast", "void", "auto", "const", "operator", "template", "typename", "explicit"}
# What ends the operands of && and ||; and those of a comparison, which binds more.
OUTSIDE_LOGIC = ("&&", "||", "?", ":", ",", ";", "=", "return")
OUTSIDE_COMPARISON = (*OUTSIDE_LOGIC, "&", "|", "^", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "else", "do", "co_return", "throw")


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int
    end: int


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str
    line: int
    begin: int
    end: int
    text: str  # instead of what is there
    switch: str  # the same for a program that holds both: SWITCH becomes what says whether the fault is there

    def put_into(self, source):
        return source[: self.begin] + self.text + source[self.end :]


def put_all_into(source, faults):
    """Faults by what switches each of them on; none overlaps another."""
    for switch, fault in sorted(faults.items(), key=lambda item: item[1].begin, reverse=True):
        source = source[: fault.begin] + fault.switch.replace(SWITCH, switch) + source[fault.end :]
    return source


def overlap(one, other):
    return one.begin < other.end and other.begin < one.end


def tokens_of(source):
    return [Token(match.lastgroup, match[0], match.start(), match.end())
            for match in TOKEN.finditer(source) if match.lastgroup not in ("comment", "directive")]


class Finder:
    def __init__(self, source, is_header):
        self.source, self.is_header = source, is_header
        self.tokens = tokens_of(source)
        self.lines = [0, *(match.end() for match in re.finditer("\n", source))]
        self.partner = self.partners()

    def partners(self):
        """Of each bracket, the other one."""
        found, opened = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind == "operator" and token.text in OPENING:
                opened.append(i)
            elif token.kind == "operator" and token.text in CLOSING and opened:
                found[i] = opened.pop()
                found[found[i]] = i
        return found

    def line_of(self, offset):
        return bisect.bisect_right(self.lines, offset)

    def at(self, i, *texts):
        return 0 <= i < len(self.tokens) and self.tokens[i].kind in ("operator", "word") and self.tokens[i].text in texts

    def is_binary(self, i):
        """Blanks on both sides."""
        token = self.tokens[i]
        return self.source[token.begin - 1].isspace() and self.source[token.end : token.end + 1].isspace()

    def between(self, first, last):
        return self.source[self.tokens[first].begin : self.tokens[last].end] if first <= last else ""

    def fault(self, kind, first, last, text, switch=""):
        """In place of the tokens from the first to the last."""
        begin, end = self.tokens[first].begin, self.tokens[last].end
        return Fault(kind, self.line_of(begin), begin, end, text, switch or f"({SWITCH} ? {text} : {self.between(first, last)})")

    def faults(self):
        for i in range(len(self.tokens)):
            yield from self.comparisons(i)
            yield from self.branches(i)
            yield from self.operands(i)
            yield from self.constants(i)
            yield from self.calls(i)

    def comparisons(self, i):
        token = self.tokens[i]
        if token.kind != "operator" or token.text not in TURNED or not self.is_binary(i):
            return
        first, last = self.begin_of_operand(i - 1, OUTSIDE_COMPARISON), self.end_of_operand(i + 1, OUTSIDE_COMPARISON)
        if not first < i < last + 1:
            return
        before, after = self.source[self.tokens[first].begin : token.begin], self.source[token.end : self.tokens[last].end]
        if "//" in before + after:
            return
        for text in TURNED[token.text]:
            # On one line: the copy beside it has the lines that the source has.
            yield self.fault(COMPARISON, first, last, re.sub(r"\n\s*", " ", f"{before}{text}{after}"))

    def branches(self, i):
        """Always, or never."""
        if not self.at(i, "if") or not self.at(i + 1, "(") or i + 1 not in self.partner:
            return
        first, last = i + 2, self.partner[i + 1] - 1
        for j in self.top_level(first, last):
            if self.at(j, ";"):
                first = j + 1
        if any(self.at(j, "=") for j in self.top_level(first, last)):  # declares what is asked
            return
        for held in ALWAYS, NEVER:
            yield self.held(first, last, held)

    def held(self, first, last, held, form="{}"):
        """A condition that has no say."""
        text, switched = (form.format(f"{each} ({self.between(first, last)})") for each in held)
        return self.fault(CONDITION, first, last, text, switched)

    def top_level(self, first, last):
        i = first
        while i <= last:
            yield i
            i = self.partner[i] + 1 if self.at(i, *OPENING) and i in self.partner else i + 1

    def operands(self, i):
        if not self.at(i, "&&", "||") or not self.is_binary(i):
            return
        held = ALWAYS if self.at(i, "&&") else NEVER
        for first, last in ((self.begin_of_operand(i - 1, OUTSIDE_LOGIC), i - 1), (i + 1, self.end_of_operand(i + 1, OUTSIDE_LOGIC))):
            if first <= last:
                yield self.held(first, last, held, "({})")

    def begin_of_operand(self, i, outside):
        while i >= 0 and not self.at(i, *OPENING) and not (self.at(i, *outside) and self.ends_operand(i)):
            i = self.partner.get(i, i) - 1 if self.at(i, *CLOSING) else i - 1
        return i + 1

    def end_of_operand(self, i, outside):
        while i < len(self.tokens) and not self.at(i, *CLOSING) and not (self.at(i, *outside) and self.ends_operand(i)):
            i = self.partner.get(i, i) + 1 if self.at(i, *OPENING) else i + 1
        return i - 1

    def ends_operand(self, i):
        """Not if it is an address, or a reference."""
        return not self.at(i, "&", "&&") or self.is_binary(i)

    def constants(self, i):
        token = self.tokens[i]
        if token.kind == "word" and token.text in ("true", "false"):
            texts = ["false" if token.text == "true" else "true"]
        elif token.kind == "number":
            texts = others(token.text)
        else:
            return
        if self.is_header and self.at(i - 1, "=") and self.at(i + 1, ";"):  # of a member, mostly: others take its place
            return
        for text in texts:
            yield self.fault(CONSTANT, i, i, text)

    def calls(self, i):
        """A statement that is a call and nothing else."""
        if self.tokens[i].kind != "word" or self.tokens[i].text in KEYWORDS or not self.begins_statement(i):
            return
        end, name = i, ""
        while end < len(self.tokens) and not self.at(end, ";"):
            token = self.tokens[end]
            if token.kind == "word":
                if token.text in KEYWORDS or self.tokens[end - 1].kind == "word" and end > i:
                    return  # a declaration
                name = token.text
            elif not self.at(end, "(", "[", ".", "->", "::") or self.at(end, *OPENING) and end not in self.partner:
                return
            end = self.partner[end] + 1 if self.at(end, *OPENING) else end + 1
        if self.at(end - 1, ")") and name not in IDLE and end < len(self.tokens):
            yield self.fault(CALL, i, end - 1, "", f"({SWITCH} ? void() : void({self.between(i, end - 1)}))")

    def begins_statement(self, i):
        if self.at(i - 1, ";", "{", "}", "else"):
            return True
        return self.at(i - 1, ")") and self.at(self.partner.get(i - 1, 0) - 1, "if", "for", "while")


def others(number):
    """Other values of a constant."""
    match = re.fullmatch(r"(0[xX][\da-fA-F']+|0[bB][01']+|[\d']+)([uUlLzZ]*)", number)
    if match:
        digits = match[1].replace("'", "")
        value = int(digits, 0 if digits[:2].lower() in ("0x", "0b") else 10)
        shown = hex if digits[:2].lower() in ("0x", "0b") else str
        return [shown(other) + match[2] for other in (value + 1, value - 1) if other >= 0]
    try:
        value = float(number.replace("'", ""))
    except ValueError:
        return []
    return [repr(2 * value or 1.0)]


def faults_in(source, is_header=False):
    return list(Finder(source, is_header).faults())
