# SPDX-License-Identifier: GPL-2.0-or-later
"""Observations in Wireshark: those of `fabricscope analyze`, at the frames that they name."""

from collections import Counter

import pytest
from harness import ROOT, analyze, fields, sample, sharkd, tshark, without_plugin

CAPTURES = sorted(path for path in (ROOT / "samples").glob("*/*.pcap*") if path.suffix in (".pcap", ".pcapng"))
SHOWN = ["fabricscope.observation", "fabricscope.observation.session", "fabricscope.observation.text"]
SEVERITIES = {"note": "4194304", "warning": "6291456", "error": "8388608"}  # as Wireshark's filters have them
# What a capture says of itself as a whole, where the file alone tells it.
FROM_THE_FILE = {"CAPTURE-O-dropped", "CAPTURE-O-clocks", "CAPTURE-O-unread"}


def told(path):
    """What the program says of each frame; what names no frame has None."""
    for one in analyze(path)["observations"]:
        if "-O-" in one["id"] and one["id"] not in FROM_THE_FILE:
            for frame in one["frames"] or [None]:
                yield one["id"], one["session"], one["text"], frame


def shown(path):
    """The same in Wireshark, and the frames of ours."""
    for row in fields(path, "frame.number", *SHOWN, display_filter="fabricscope", options=["-2"]):
        sessions = iter(row[SHOWN[1]])
        for kind, text in zip(row[SHOWN[0]], row[SHOWN[2]], strict=True):
            yield kind, text, int(row["frame.number"][0]), sessions


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_they_are_the_programs(path):
    program = list(told(path))
    wireshark = Counter((kind, text, frame) for kind, text, frame, _ in shown(path))
    named = Counter((kind, text, frame) for kind, _, text, frame in program if frame is not None)
    whole = Counter((kind, text) for kind, _, text, frame in program if frame is None)
    assert not named - wireshark
    rest = wireshark - named
    assert Counter((kind, text) for kind, text, _ in rest.elements()) == whole
    assert len({frame for _, _, frame in rest}) <= 1, "what names no frame stands at one"
