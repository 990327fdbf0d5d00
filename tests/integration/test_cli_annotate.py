# SPDX-License-Identifier: GPL-2.0-or-later
"""`analyze --annotate`: the same capture, with findings as comments on their frames."""

import contextlib
import json
import struct
import tempfile
from pathlib import Path

import pytest

from edit import records_of
from harness import analyze, attempt, fabricscope, run, sample, without_plugin
from probe import Capture, llc, proposal

ECHO = sample("smcr_v2_echo")
TWO_LINKS = sample("smcr_v2_two_links")
EYE_CATCHER = bytes.fromhex("e2d4c3d9")


def spoil_proposal(capture, out):
    """A copy of the capture, with the end of the first PROPOSAL overwritten."""
    octets = bytearray(capture.read_bytes())
    proposal = octets.index(EYE_CATCHER + b"\x01")
    octets[octets.index(EYE_CATCHER, proposal + 4)] = 0
    out.write_bytes(octets)
    return out


def frames(capture):
    """All there is to see of the frames themselves."""
    columns = ["frame.number", "frame.time_epoch", "frame.len", "frame.cap_len", "frame.encap_type", "frame.interface_name",
               "frame.interface_description", "frame.comment", "frame.packet_flags"]
    arguments = [word for column in columns for word in ("-e", column)]
    seen = without_plugin("-r", capture, "-T", "fields", *arguments), without_plugin("-r", capture, "-x")
    return [line.split("\t") for line in seen[0].splitlines()], seen[1]


def without_comments(capture):
    with pcapng(capture) as converted:
        rows, octets = frames(converted)
    return [row[:7] + row[8:] for row in rows], octets


@contextlib.contextmanager
def pcapng(capture):
    """The capture as Wireshark converts it: a pcap file says nothing of its interface."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "converted.pcapng"
        run(["editcap", "-F", "pcapng", capture, out])
        yield capture if capture.suffix == ".pcapng" else out


def comments(capture):
    """By frame number."""
    text = without_plugin("-r", capture, "-Y", "frame.comment", "-T", "fields", "-E", "aggregator=\x1f", "-e", "frame.number",
                          "-e", "frame.comment")
    return {int(number): field.split("\x1f") for number, field in (line.split("\t") for line in text.splitlines())}


def interfaces(capture):
    """What capinfos says of each interface; statistics are not kept."""
    with pcapng(capture) as converted:
        text = run(["capinfos", "-I", converted]).decode()
    return [line.strip() for line in text.splitlines() if "stat entries" not in line and "File name" not in line]


def annotate(*captures, out, status=(0, 1)):
    fabricscope("analyze", *captures, "--annotate", out, status=status)
    return out


def expected_comments(*captures):
    expected = {}
    result = analyze(*captures)
    for finding in result["findings"]:
        session = f", {finding['session']}" if finding["session"] else ""
        text = f"{finding['rule']} {finding['severity']}{session}: {finding['text']} [{finding['clause']}]"
        for frame in finding["frames"]:
            last = finding["frames"][-1]
            expected.setdefault(frame, []).append(text if frame == last else f"{text}; evidence for frame {last}")
    for seen in result["observations"]:
        if "-O-" not in seen["id"] or seen["severity"] == "note":
            continue
        session = f", {seen['session']}" if seen["session"] else ""
        text = f"{seen['id']} {seen['severity']}{session}: {seen['text']}."
        text += f" {seen['cause']}" if seen["cause"] else ""
        text += f" Look at: {seen['look']}" if seen["look"] else ""
        for frame in seen["frames"]:
            last = seen["frames"][-1]
            expected.setdefault(frame, []).append(
                text if frame == last else f"{seen['id']}: {seen['text']}; see frame {last}")
    return expected


def refuses(*arguments):
    done = attempt("analyze", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    return done.stderr.decode()


# ---- what is kept --------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["fcoe_vn2vn", "smcr_fallback_roce_blocked", "smcr_v1_echo", "smcr_v2_asymmetric", "smcr_v2_two_links"])
def test_nothing_but_comments_changes(name, tmp_path):
    out = annotate(sample(name), out=tmp_path / "out.pcapng")
    assert comments(out) == expected_comments(sample(name))
    assert without_comments(out) == without_comments(sample(name))
    assert interfaces(out) == interfaces(sample(name))


def test_findings_are_comments_on_their_frames(tmp_path):
    broken = spoil_proposal(TWO_LINKS, tmp_path / "broken.pcapng")
    out = annotate(broken, out=tmp_path / "out.pcapng", status=(1,))
    assert comments(out) == expected_comments(broken)
    assert any("SMCR-R02 error, smcr-" in text and "[RFC 7609, A.2]" in text for texts in comments(out).values() for text in texts)
    assert without_comments(out) == without_comments(broken)


def test_evidence_points_to_the_frame_that_broke_the_rule(tmp_path):
    capture = Capture().rendezvous()
    request = capture.send(False, llc(7, 0, bytes(range(16))))
    reply = capture.send(True, llc(7, 0x80, bytes(16)))
    broken = capture.save(tmp_path / "broken.pcap")
    found = comments(annotate(broken, out=tmp_path / "out.pcapng"))
    assert found == expected_comments(broken)
    assert any("SMCR-R31" in text for text in found[reply])
    assert request not in found or any(f"evidence for frame {reply}" in text for text in found[request])


def test_comments_that_were_there_stay(tmp_path):
    broken, commented = spoil_proposal(TWO_LINKS, tmp_path / "broken.pcapng"), tmp_path / "commented.pcapng"
    ((number, (text, *_)), *_) = comments(annotate(broken, out=tmp_path / "out.pcapng")).items()
    run(["editcap", "-a", f"{number}:look here", "-a", "3:and here", broken, commented])
    found = comments(annotate(commented, out=tmp_path / "out.pcapng"))
    assert found[3] == ["and here"]
    assert found[number][0] == "look here" and text in found[number]


def test_annotating_again_adds_nothing(tmp_path):
    first = annotate(spoil_proposal(TWO_LINKS, tmp_path / "broken.pcapng"), out=tmp_path / "first.pcapng")
    second = annotate(first, out=tmp_path / "second.pcapng")
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("link", ["raw", "sll", "sll2", "erf"])
def test_other_link_types(link, tmp_path):
    capture = Capture().handshake()
    number = capture.tcp(True, proposal(trailer=b"\0\0\0\0"))
    broken = capture.save(tmp_path / "broken.pcap", link=link)
    out = annotate(broken, out=tmp_path / "out.pcapng", status=(1,))
    assert number in comments(out)
    assert without_comments(out) == without_comments(broken)


def test_short_frames_and_compressed_files(tmp_path):
    broken, packed = spoil_proposal(ECHO, tmp_path / "broken.pcap"), tmp_path / "packed.pcap.gz"
    run(["editcap", "-s", "300", "-F", "nsecpcap", broken, tmp_path / "short.pcap"])
    packed.write_bytes(run(["gzip", "-c", tmp_path / "short.pcap"]))
    out = annotate(packed, out=tmp_path / "out.pcapng", status=(1,))
    assert comments(out) == expected_comments(packed) != {}
    assert without_comments(out) == without_comments(packed)


# ---- several files, several sections -------------------------------------------------------------

def test_several_files_come_out_as_mergecap_merges_them(tmp_path):
    broken, merged = spoil_proposal(TWO_LINKS, tmp_path / "broken.pcapng"), tmp_path / "merged.pcapng"
    parts = []
    for i, interface in enumerate(("eth0", "eth1")):
        parts.append(tmp_path / f"{interface}.pcapng")
        run(["tshark", "-r", broken, "-Y", f"frame.interface_id == {i}", "-w", parts[-1]])
    run(["mergecap", "-I", "none", "-w", merged, *parts])
    out = annotate(*parts, out=tmp_path / "out.pcapng", status=(1,))
    assert without_comments(out) == without_comments(merged)
    assert interfaces(out) == interfaces(merged)
    assert comments(out) == expected_comments(*parts) != {}


def test_sections_keep_their_interfaces(tmp_path):
    """Two pcapng files behind one another are one file with two sections, each with an interface 0."""
    both, other = tmp_path / "both.pcapng", tmp_path / "other.pcapng"
    run(["editcap", "-F", "pcapng", spoil_proposal(ECHO, tmp_path / "broken.pcap"), other])
    both.write_bytes(TWO_LINKS.read_bytes() + other.read_bytes())
    out = annotate(both, out=tmp_path / "out.pcapng")
    expected = without_plugin("-r", both, "-x")
    assert without_plugin("-r", out, "-x") == expected
    names = without_plugin("-r", out, "-T", "fields", "-e", "frame.interface_id").split()
    count = len(names)
    echo = analyze(ECHO)["capture"]["frames"]
    assert set(names[: count - echo]) == {"0", "1"} and set(names[count - echo :]) == {"2"}
    assert comments(out) == expected_comments(both)


def test_a_capture_that_was_cut_is_copied_as_far_as_it_goes(tmp_path):
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(spoil_proposal(ECHO, tmp_path / "broken.pcap").read_bytes()[:-10])
    out = annotate(cut, out=tmp_path / "out.pcapng", status=(3,))
    assert len(frames(out)[0]) == analyze(ECHO)["capture"]["frames"] - 1
    assert comments(out)


def test_only_the_findings_that_were_asked_for(tmp_path):
    broken = spoil_proposal(ECHO, tmp_path / "broken.pcap")
    fabricscope("analyze", broken, "--annotate", tmp_path / "out.pcapng", "--rule", "SMCR-R03", status=(0,))
    assert comments(tmp_path / "out.pcapng") == {}


# ---- files ---------------------------------------------------------------------------------------

def test_the_summary_or_the_json_comes_as_well(tmp_path):
    assert fabricscope("analyze", ECHO, "--annotate", tmp_path / "out.pcapng").startswith(fabricscope("analyze", ECHO))
    assert json.loads(fabricscope("analyze", ECHO, "--annotate", tmp_path / "out.pcapng", "--json"))


def test_inputs_are_never_overwritten(tmp_path):
    capture, link = tmp_path / "a.pcapng", tmp_path / "link.pcapng"
    capture.write_bytes(TWO_LINKS.read_bytes())
    link.symlink_to(capture)
    for out in (capture, link):
        assert "is an input" in refuses(capture, "--annotate", out)
    assert capture.read_bytes() == TWO_LINKS.read_bytes()


def test_captures_of_others_are_never_overwritten(tmp_path):
    for name in (TWO_LINKS, ECHO):
        capture = tmp_path / "a.pcapng"
        capture.write_bytes(name.read_bytes())
        assert "not a capture made by fabricscope" in refuses(ECHO, "--annotate", capture)
        assert capture.read_bytes() == name.read_bytes()


def test_what_was_annotated_before_is_replaced(tmp_path):
    out = annotate(TWO_LINKS, out=tmp_path / "out.pcapng")
    annotate(ECHO, out=out)
    assert len(frames(out)[0]) == analyze(ECHO)["capture"]["frames"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.pcapng"]


def test_standard_input_cannot_be_read_twice(tmp_path):
    assert "only once" in refuses("-", "--annotate", tmp_path / "out.pcapng")
    assert "read it twice" in refuses("/dev/null", "--annotate", tmp_path / "out.pcapng")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written():
    assert "/nonexistent" in refuses(ECHO, "--annotate", "/nonexistent/out.pcapng")


def test_interfaces_that_count_in_picoseconds(tmp_path):
    """Wiretap writes nanoseconds only."""
    fine = tmp_path / "fine.pcapng"
    _, records = records_of(ECHO)
    blocks = [struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28),
              struct.pack("<IIHHI", 1, 32, 1, 0, 0) + struct.pack("<HHBxxxHH", 9, 1, 12, 0, 0) + struct.pack("<I", 32)]
    for seconds, fraction, frame in records:
        time = (seconds % 1_000_000 * 10**9 + fraction) * 1000  # within 64 bits
        padded = bytes(frame) + bytes(-len(frame) % 4)
        blocks.append(struct.pack("<IIIIIII", 6, 32 + len(padded), 0, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame)) + padded +
                      struct.pack("<I", 32 + len(padded)))
    fine.write_bytes(b"".join(blocks))
    times = [run(["tshark", "-r", path, "-T", "fields", "-e", "frame.time_epoch"]) for path in (fine, annotate(fine, out=tmp_path / "out.pcapng"))]
    assert times[0] == times[1] != b""
