# SPDX-License-Identifier: GPL-2.0-or-later
"""README, docs and manual pages: commands in them can be run as they stand, links in them lead somewhere."""

import re
import shlex

import pytest

from harness import ROOT, attempt, sharkd_session, tshark

PAGES = [ROOT / "README.md", ROOT / "samples/README.md", ROOT / "replay/README.md", *sorted((ROOT / "docs").glob("*.md"))]
MANUAL = sorted((ROOT / "docs/man").glob("*.1"))

# ---- commands --------------------------------------------------------------------------------------------

# What needs a network, a screen or a peer; tests of its own try it.
ELSEWHERE = {
    "capture": "test_cli_capture.py",
    "view": "tests/viewer",
    "://": "test_replay_live.py, test_verify.py",
    "TARGET": "test_verify.py",
    "--faults FILE": "test_replay_faults.py",
    "script FILE": "test_script.py",
    "--as-part": "test_parts.py",
    "fabricscope merge": "test_parts.py",
}
# A capture with that session, for the names that documents give to captures.
SESSIONS = {
    "smcr": "samples/real/smcr_v2_20conns.pcap",
    "cm": "samples/real/rdmacm_rping_v4.pcap",
    "rdma": "samples/real/rdmacm_rping_v4.pcap",
    "fcvi": "samples/fcvi/client_server_iso.pcap",
    "fc-pair": "samples/fcvi/client_server_iso.pcap",
    "fc-ae-rdma-region": "samples/fc_ae_rdma/beside_plain_fcp.fcoe.pcap",
}
KNOWN = {"last-year.pcap": SESSIONS["cm"]}  # as README says
OTHER = {"SCENARIO": "fcvi_send_rd", "NAME": "fcvi_send_rd", "ID": "SMCR-O-no-roce", "SUITE": "samples/suite", "N": "4"}
CAPTURE = re.compile(r"(FILE\.*|(?:last-year|trace|eth0|eth1|fc)\.pcap(?:ng)?|parts/.*|rejected\.pcapng|monday-\*\.pcap\.gz)$")


def quoted(path):
    text = path.read_text()
    if path.suffix == ".1":
        text = text.replace("\\-", "-")
        return re.findall(r"^\.Dl [$#] (fabricscope .*)$|^[$#] (fabricscope .*)$", text, re.MULTILINE)
    return re.findall(r"`(fabricscope [^`\n]+)`|^    (?:\$ )?(?:build/release/bin/)?(fabricscope .*)$", text, re.MULTILINE)


def is_whole(command):
    """Without a file, it is talk about the command or an option."""
    words = command.split()
    return len(words) > 2 and (words[1] in ("explain", "synth", "tables") or
                               any(CAPTURE.match(word) or word.startswith("samples/") for word in words[2:]))


def commands():
    for path in [*PAGES, *MANUAL]:
        for command in dict.fromkeys("".join(found).split("  #")[0].strip() for found in quoted(path)):
            if is_whole(command) and not any(word in command for word in ELSEWHERE):
                yield pytest.param(command, id=f"{path.name}: {command}")


def words_of(command):
    words = shlex.split(re.split(r"\s[|>]", command)[0])
    session = next((re.sub(r"-\d+$", "", words[i + 1].split(",")[0]) for i, word in enumerate(words)
                    if word in ("--connection", "--session")), "")
    capture = SESSIONS.get(session, SESSIONS["smcr"])
    for i, word in enumerate(words):
        if word == "ID" and words[i - 1] == "--connection":
            words[i] = "smcr-1"
        elif CAPTURE.match(word) and words[i - 1] != "-o":
            words[i] = KNOWN.get(word, capture)
        else:
            words[i] = OTHER.get(word, word)
    return [part for word in words for part in ([word] if word in SESSIONS.values() else
                                                sorted(map(str, ROOT.glob(word))) if "*" in word else [word])]


@pytest.mark.parametrize("command", commands())
def test_commands_run(command, tmp_path):
    words = words_of(command)
    for name in ("samples", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    done = attempt(*words[1:], folder=tmp_path)
    assert done.returncode in (0, 1), done.stderr.decode()


def test_there_are_commands():
    assert len(list(commands())) > 40


# ---- links -----------------------------------------------------------------------------------------------


def anchors(path):
    """As MkDocs and others make them of headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        place = (path.parent / file).resolve() if file else path
        assert place.exists(), target
        if anchor:
            assert anchor in anchors(place), target


# ---- what they say ---------------------------------------------------------------------------------------

# "$ fabricscope ..." and what stands below it, in a block.
SHOWN = re.compile(r"^    \$ (fabricscope .*)\n((?:    (?!\$ ).*\n)+)", re.MULTILINE)


def shown():
    for path in PAGES:
        for command, lines in SHOWN.findall(path.read_text()):
            if not any(word in command for word in ELSEWHERE):
                yield pytest.param(command, lines, id=f"{path.name}: {command}")


@pytest.mark.parametrize(("command", "lines"), shown())
def test_what_is_shown_is_what_is_said(command, lines):
    done = attempt(*words_of(command)[1:], folder=ROOT)
    told = [line.rstrip() for line in done.stdout.decode().splitlines()]
    assert told == [line.strip() for line in lines.splitlines()]


def test_something_is_shown():
    assert len(list(shown())) >= 2


def filters():
    """What documents filter by in Wireshark."""
    for path in [*PAGES, *MANUAL, *(ROOT / "docs/man").glob("*.3")]:
        for quoted_filter, word in re.findall(r"-Y (?:'([^']+)'|([\w.]+))", path.read_text()):
            yield path.name, (quoted_filter or word).replace("\\|", "|")  # as tables have it


def test_filters_are_filters():
    found = list(dict.fromkeys(filters()))
    assert len(found) > 20
    answers = sharkd_session([("check", {"filter": text}) for _, text in found])
    assert [place for place, answer in zip(found, answers, strict=True) if answer != {"status": "OK"}] == []


def tshark_commands():
    for path in MANUAL:
        yield from re.findall(r"^\.Dl \$ tshark (.*)$", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("command", tshark_commands())
def test_tshark_commands_run(command):
    # The profile is in nobody's folder here.
    words = [ROOT / SESSIONS["smcr"] if CAPTURE.match(word) else word for word in shlex.split(command) if word not in ("-C", "SMC-R")]
    told = tshark(*words)
    assert told.strip() or "smcr.rule" in words, "this capture breaks no rule"


# ---- claims --------------------------------------------------------------------------------------------

SWEEPING = re.compile(r"\b(every|never|cannot|always)\b", re.IGNORECASE)
# Lists of what programs print or documents demand, which tests of their own hold.
PRINTED = {"observations.md", "not-decidable.md", "tables.md", "vi-architecture.md"}
CLAIMS = [line.split(" | ") for line in (ROOT / "tests/claims.txt").read_text().splitlines() if line and line[0] != "#"]


def sentences(path):
    text = path.read_text()
    if path.suffix in (".1", ".3"):
        text = re.sub(r"^\.(Xr|Ar|Fl|Nm|Dq|Li|Pa|Ev|Cm|Em|Sy) ?", "", text.replace("\\-", "-"), flags=re.MULTILINE)
        text = re.sub(r"^\..*$", "\n", text, flags=re.MULTILINE)
    else:
        text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)  # commands and what they print
    for block in re.split(r"\n\s*\n|\n(?=\|)|\n(?=[-*] )", text):
        yield from re.split(r"(?<=[.:;]) (?=[A-Z`*])", " ".join(block.split()))


def test_sweeping_statements_have_a_test():
    documents = [path for path in [*PAGES, *MANUAL, *sorted((ROOT / "docs/man").glob("*.3"))] if path.name not in PRINTED]
    made = [(str(path.relative_to(ROOT)), sentence) for path in documents for sentence in sentences(path)
            if SWEEPING.search(sentence)]
    assert [one for one in made if not any(place == one[0] and words in one[1] for place, words, _ in CLAIMS)] == []
    assert [(place, words) for place, words, _ in CLAIMS
            if not any(place == document and words in sentence for document, sentence in made)] == [], "no longer said"


def exists(test):
    if test.endswith(".py") or "::" in test:
        file, _, function = test.partition("::")
        path = ROOT / "tests/integration" / file
        return path.exists() and (not function or f"def {function}(" in path.read_text())
    suite, _, name = test.partition(".")
    if not name:
        return (ROOT / "tests" / test).is_dir()
    return any(re.search(rf"TEST(_[FP])?\(\s*{suite},\s*{name}\)", path.read_text()) for path in (ROOT / "tests").rglob("*_test.cc"))


def test_the_tests_of_statements_are_there():
    named = [test for _, _, tests in CLAIMS if not tests.startswith("meaning: ") for test in tests.split("; ")]
    assert [test for test in named if not exists(test)] == []
