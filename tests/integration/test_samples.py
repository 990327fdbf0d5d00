# SPDX-License-Identifier: GPL-2.0-or-later
"""Every sample is whole, explained, and readable."""

import pytest

from harness import ROOT, fields, sample, samples


def test_every_capture_has_its_truth_and_a_row_in_the_table():
    table = (ROOT / "samples/README.md").read_text()
    captures = sorted(p.stem for p in (ROOT / "samples/real").iterdir() if p.suffix in (".pcap", ".pcapng"))
    assert captures == samples()
    for name in captures:
        assert f"`{name}`" in table, name


@pytest.mark.parametrize("name", samples())
def test_tshark_with_the_plugins_reads_every_frame(name):
    frames = fields(sample(name), "frame.number")
    assert [row["frame.number"] for row in frames] == [[str(n + 1)] for n in range(len(frames))]
    assert frames
