# SPDX-License-Identifier: GPL-2.0-or-later
"""Observations in Wireshark: those of `fabricscope analyze`, at the frames that they name."""

import functools
from collections import Counter

import pytest
from harness import ROOT, analyze, fields, fields_of_all, run, sample, sharkd, tshark, without_plugin

CAPTURES = sorted(path for path in (ROOT / "samples").glob("*/*.pcap*") if path.suffix in (".pcap", ".pcapng"))
# What the program has from the file itself.
FROM_THE_FILE = {"CAPTURE-O-dropped", "CAPTURE-O-interrupted", "CAPTURE-O-clocks", "CAPTURE-O-unread"}
# Wireshark 4.0 aborts when this heuristic meets roce_send_both_ways for the second time, without any plugin; sharkd cannot
# be told to leave it out.
TWO_PASSES = ["-2", "--disable-heuristic", "rpcrdma_infiniband"]
NOT_FOR_SHARKD = {"roce_send_both_ways.pcap"}
KINDS = "fabricscope.observation"
TEXTS = [f"fabricscope.observation.text:{number}" for number in range(1, 13)]
OFF = ["--disable-protocol", "fabricscope"]
BLOCKED = sample("smcr_fallback_roce_blocked")


def told(path):
    """Kind, text and frame; of what names no frame None."""
    return Counter(
        (one["id"], one["text"], frame) for one in analyze(path)["observations"]
        if "-O-" in one["id"] and one["id"] not in FROM_THE_FILE for frame in one["frames"] or [None])


def texts_of(row):
    return [text for name in TEXTS for text in row[name]]


@functools.cache
def rows_of_all():
    captures = [path for path in CAPTURES if path.name not in NOT_FOR_SHARKD]
    return dict(zip(captures, fields_of_all(captures, KINDS, *TEXTS, display_filter="fabricscope"), strict=True))


def shown(path):
    if path.name in NOT_FOR_SHARKD:
        rows = [(row[KINDS], row[f"{KINDS}.text"], int(row["frame.number"][0])) for row in fields(
            path, "frame.number", KINDS, f"{KINDS}.text", display_filter="fabricscope", options=TWO_PASSES)]
    else:
        rows = [(row[KINDS], texts_of(row), row["frame"]) for row in rows_of_all()[path]]
    return Counter((kind, text, frame) for kinds, texts, frame in rows for kind, text in zip(kinds, texts, strict=True))


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_they_are_the_programs(path):
    program, wireshark = told(path), shown(path)
    of_frames = Counter({key: count for key, count in program.items() if key[2] is not None})
    rest = wireshark - of_frames
    assert not of_frames - wireshark
    assert Counter((kind, text, None) for kind, text, _ in rest.elements()) == program - of_frames
    assert len({frame for _, _, frame in rest}) <= 1, "what names no frame stands at one"


def test_all_that_is_known_stands_in_the_tree():
    (one,) = analyze(BLOCKED)["observations"]
    prefix = "fabricscope.observation."
    rows = fields(BLOCKED, "frame.number", *(prefix + name for name in ("session", "cause", "look", "count", "frame")),
                  display_filter="fabricscope.observation.error", options=TWO_PASSES)
    assert [int(row["frame.number"][0]) for row in rows] == one["frames"]
    for row in rows:
        assert row[prefix + "session"] == [one["session"]] and row[prefix + "cause"] == [one["cause"]]
        assert "; ".join(row[prefix + "look"]) == one["look"]
        assert row[prefix + "count"] == [str(one["count"])]
        others = [frame for frame in one["frames"] if [str(frame)] != row["frame.number"]]
        assert row[prefix + "frame"] == list(map(str, others))


@pytest.mark.parametrize("name", ["smcr_v2_close", "fcoe_vn2vn", "roce_read_loss", "smcr_v2_midstream"])
def test_expert_infos_are_as_grave_as_the_program_says(name):
    path = sample(name)
    for severity, words in {"note": "Note", "warning": "Warning", "error": "Error"}.items():
        frames = {frame for one in analyze(path)["observations"] for frame in one["frames"]
                  if one["severity"] == severity and "-O-" in one["id"]}
        rows = fields(path, "frame.number", "_ws.expert.severity", display_filter=f"fabricscope.observation.{severity}",
                      options=TWO_PASSES)
        assert frames <= {int(row["frame.number"][0]) for row in rows}, words


def test_one_pass_shows_none_but_loses_nothing_else():
    assert tshark("-r", BLOCKED, "-Y", "fabricscope") == ""
    assert tshark("-r", BLOCKED, "-V") == tshark("-r", BLOCKED, "-V", *OFF)
    assert fields(BLOCKED, "frame.number", display_filter="rdma.analysis.retransmission")


def test_a_window_shows_them_at_once():
    """sharkd dissects as Wireshark's windows do: the whole file, then what is looked at."""
    (answer,) = sharkd(BLOCKED, ("frames", {"filter": "fabricscope"}))
    assert [frame["num"] for frame in answer] == analyze(BLOCKED)["observations"][0]["frames"]


def test_switched_off_nothing_of_them_is_left():
    for options in (["-V"], ["-T", "pdml"], ["-q", "-z", "expert"]):
        assert "fabricscope" not in tshark("-2", "-r", BLOCKED, *options, *OFF).replace(str(ROOT), "")


def test_what_concerns_the_capture_as_a_whole_shows_at_the_first_frame_of_ours(tmp_path):
    tmp_path.chmod(0o755)
    only_tcp = tmp_path / "tcp.pcap"
    run(["tshark", "-r", sample("smcr_v2_echo"), "-Y", "tcp", "-w", only_tcp, "-F", "pcap"])
    assert "CAPTURE-O-no-roce" in {one["id"] for one in analyze(only_tcp)["observations"]}
    rows = fields(only_tcp, "frame.number", "fabricscope.observation", display_filter="fabricscope", options=TWO_PASSES)
    first = fields(only_tcp, "frame.number", display_filter="smcr")[0]["frame.number"]
    assert [row["frame.number"] for row in rows if "CAPTURE-O-no-roce" in row["fabricscope.observation"]] == [first]


def test_a_capture_that_holds_nothing_of_ours_is_left_alone(tmp_path):
    """Though its frames are cut, which is told of captures that matter."""
    tmp_path.chmod(0o755)
    cut = tmp_path / "cut.pcap"
    run(["editcap", "-s", "60", sample("smcr_fallback_plain_client"), cut])
    assert analyze(cut)["observations"]
    assert tshark("-2", "-r", cut, "-V") == without_plugin("-2", "-r", cut, "-V")
