# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that come in pieces, through a pipe, cut off, or not at all."""

import hashlib
import json
import os
import signal
import struct
import subprocess
import time

import pytest

from edit import records_of
from harness import BUILD, analyze, attempt, fabricscope, run, sample, shifted, truth, tshark

ECHO = "smcr_v2_echo"


def without_capture(result):
    """What is said of the traffic; the names of the files aside, and how often each rule could be decided: frames of two
    files are in no certain order."""
    for observation in result["observations"]:
        observation.pop("places", None)
    return {key: value for key, value in result.items() if key not in ("capture", "rules")}


def fails(*arguments):
    """Exit status, standard output and complaints."""
    done = attempt(*arguments)
    return done.returncode, done.stdout, done.stderr.decode()


def keep(capture, display_filter, out):
    run(["tshark", "-r", capture, "-Y", display_filter, "-F", "nsecpcap", "-w", out])
    return out


def cut(capture, out, octets):
    out.write_bytes(capture.read_bytes()[:octets])
    return out


# ---- several files, standard input, compression --------------------------------------------------

@pytest.mark.parametrize("name", [ECHO, "smcr_v2_20conns", "smcr_v1_echo"])
def test_tcp_and_roce_in_two_files_are_one_timeline(name, tmp_path):
    tcp = keep(sample(name), "tcp || (!(udp.dstport == 4791) && !(eth.type == 0x8915))", tmp_path / "tcp.pcap")
    roce = keep(sample(name), "udp.dstport == 4791 || eth.type == 0x8915", tmp_path / "roce.pcap")
    whole = analyze(sample(name))
    for files in ([tcp, roce], [roce, tcp]):
        merged = analyze(*files)
        assert without_capture(merged) == without_capture(whole)
        assert merged["capture"]["files"] == [str(path) for path in files]
        assert merged["capture"]["frames"] == whole["capture"]["frames"]
        assert merged["capture"]["start"] == whole["capture"]["start"]


def test_the_same_capture_twice_is_counted_once():
    name = "smcr_v2_urgent"
    (once,), (twice,) = (analyze(*[sample(name)] * n)["smcr"]["connections"] for n in (1, 2))
    for direction in ("client_to_server", "server_to_client"):
        for key in ("bytes_announced", "bytes_written", "bytes_acknowledged", "writes", "cdcs", "retransmissions"):
            assert once[direction][key] == twice[direction][key]


def test_standard_input():
    piped = json.loads(fabricscope("analyze", "--json", "-", stdin=sample(ECHO).read_bytes()))
    assert without_capture(piped) == without_capture(analyze(sample(ECHO)))
    assert piped["capture"]["files"] == ["-"]


def test_a_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [BUILD / "bin/fabricscope", "analyze", "--json", pipe]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        try:
            pipe.write_bytes(sample(ECHO).read_bytes())
            piped = json.loads(program.communicate(timeout=30)[0])
        finally:
            program.kill()
    assert program.returncode == 0
    assert without_capture(piped) == without_capture(analyze(sample(ECHO)))


def test_compressed_files(tmp_path):
    packed = tmp_path / "echo.pcap.gz"
    packed.write_bytes(run(["gzip", "-c", sample(ECHO)]))
    assert without_capture(analyze(packed)) == without_capture(analyze(sample(ECHO)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_reports_what_it_has(number):
    """A pipe that stands still in the middle of a capture, as of `ssh host tcpdump -w - |`."""
    octets = sample(ECHO).read_bytes()
    process = subprocess.Popen([BUILD / "bin/fabricscope", "analyze", "--json", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(octets[:len(octets) // 2])
    process.stdin.flush()
    time.sleep(1)  # until all of it has been read
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    report = json.loads(out)
    assert process.returncode == 3
    assert 10 < report["capture"]["frames"] < len(records_of(ECHO)[1])
    sentence = f"interrupted: this is the report of {report['capture']['frames']} frames"
    assert report["capture"]["errors"] == [sentence] and err.decode() == f"fabricscope: {sentence}\n"
    (observation,) = (one for one in report["observations"] if one["id"] in ("CAPTURE-O-interrupted", "CAPTURE-O-unread"))
    assert observation["id"] == "CAPTURE-O-interrupted" and observation["text"] == sentence


@pytest.mark.parametrize("pack", ["xz", "bzip2", "zstd", "lz4"])
def test_packed(pack, tmp_path):
    packed, cut = tmp_path / "echo.packed", tmp_path / "cut.packed"
    octets = run([pack, "-c", sample(ECHO)])
    packed.write_bytes(octets)
    assert without_capture(analyze(packed)) == without_capture(analyze(sample(ECHO)))
    of_pipe = json.loads(run([BUILD / "bin/fabricscope", "analyze", "-", "--json"], stdin=octets))
    assert without_capture(of_pipe) == without_capture(analyze(sample(ECHO)))
    annotated = tmp_path / "annotated.pcapng"
    fabricscope("analyze", packed, "--annotate", annotated)
    assert analyze(annotated)["capture"]["frames"] == len(records_of(ECHO)[1])
    cut.write_bytes(octets[:len(octets) * 3 // 4])
    status, _, complaint = fails("analyze", cut)
    assert status == 3 and complaint.startswith(f"fabricscope: {cut}: cannot be unpacked whole: ")


def test_what_is_unpacked_wants_a_folder(tmp_path):
    packed = tmp_path / "echo.pcap.xz"
    packed.write_bytes(run(["xz", "-c", sample(ECHO)]))
    done = subprocess.run([BUILD / "bin/fabricscope", "analyze", packed], capture_output=True, text=True, check=False,
                          env={**os.environ, "TMPDIR": str(tmp_path / "none")})
    assert done.returncode == 3
    assert done.stderr.startswith(f"fabricscope: {packed}: cannot be unpacked: the folder for temporary files, TMPDIR: ")


@pytest.mark.parametrize("octets", [b"BZh9", b"BZhS(iS len}", b"\xFD7zXZ\0 and more"])
def test_begins_as_if_it_were_packed(octets, tmp_path):
    """What libarchive does not know it hands on as it is."""
    path = tmp_path / "file.pcap"
    path.write_bytes(octets)
    status, _, complaint = fails("analyze", path)
    assert status == 3 and complaint.startswith(f"fabricscope: {path}: ")


@pytest.mark.parametrize("variant", ["modpcap", "nokiapcap", "rh6_1pcap", "suse6_3pcap"])
def test_variants_of_pcap(variant, tmp_path):
    """Their records have longer headers behind the magic number of pcap."""
    usual, changed = tmp_path / "usual.pcap", tmp_path / "changed.pcap"
    for form, path in (("pcap", usual), (variant, changed)):
        run(["editcap", "-F", form, sample(ECHO), path])
    whole, other = analyze(usual), analyze(changed)
    assert other["capture"]["frames"] == whole["capture"]["frames"]
    assert other["smcr"] == whole["smcr"]


# ---- files that end early ------------------------------------------------------------------------

def test_what_was_before_the_cut_is_reported(tmp_path):
    whole = analyze(sample(ECHO))
    capture = cut(sample(ECHO), tmp_path / "cut.pcap", sample(ECHO).stat().st_size - 10)
    status, out, complaint = fails("analyze", "--json", capture)
    result = json.loads(out)
    assert status == 3
    last = whole["capture"]["frames"]
    assert result["capture"]["frames"] == last - 1
    assert len(result["capture"]["errors"]) == 1
    assert str(capture) in complaint and f"frame {last}" in complaint
    (connection,) = result["smcr"]["connections"]
    assert connection["client_to_server"]["bytes_announced"] == 500


def test_the_summary_says_that_the_capture_was_cut(tmp_path):
    capture = cut(sample(ECHO), tmp_path / "cut.pcap", 6000)
    status, out, _ = fails("analyze", capture)
    assert status == 3
    assert b"not read to the end" in out and b"smcr-1" in out


def test_a_stream_from_a_cut_capture_is_what_there_is(tmp_path):
    capture = cut(sample(ECHO), tmp_path / "cut.pcap", 5000)
    status, out, _ = fails("stream", capture, "--connection", "smcr-1", "--from", "client")
    whole = fabricscope("stream", sample(ECHO), "--connection", "smcr-1", "--from", "client")
    assert status == 3
    assert whole.startswith(out) and 0 < len(out) < len(whole)


@pytest.mark.parametrize("command", [
    ["analyze"], ["analyze", "--json"], ["timeline", "--connection", "smcr-1"],
    ["stream", "--connection", "smcr-1", "--from", "client"]])
def test_a_file_that_is_not_there(command, tmp_path):
    status, out, complaint = fails(*command, tmp_path / "missing.pcap")
    assert (status, out) == (3, b"")
    assert "missing.pcap" in complaint


def test_files_that_can_be_read_are_reported_beside_one_that_cannot(tmp_path):
    status, out, complaint = fails("analyze", sample(ECHO), tmp_path / "missing.pcap", "--json")
    assert status == 3
    assert len(json.loads(out)["smcr"]["connections"]) == 1
    assert "missing.pcap" in complaint


def test_a_file_that_is_no_capture(tmp_path):
    nonsense = tmp_path / "nonsense.pcap"
    nonsense.write_bytes(bytes(range(256)) * 4)
    status, out, complaint = fails("analyze", nonsense)
    assert (status, out) == (3, b"")
    assert "nonsense.pcap" in complaint


# ---- frames that were cut, or are missing --------------------------------------------------------

def test_sliced_frames_are_used_as_far_as_they_go(tmp_path):
    sliced = tmp_path / "sliced.pcap"
    run(["editcap", "-s", "128", "-F", "nsecpcap", sample(ECHO), sliced])
    result = analyze(sliced)
    (whole,) = analyze(sample(ECHO))["smcr"]["connections"]
    (connection,) = result["smcr"]["connections"]
    assert result["capture"]["truncated_frames"] > 0
    assert connection["client"] == whole["client"] and connection["server"] == whole["server"]
    for direction in ("client_to_server", "server_to_client"):
        for key in ("bytes_announced", "bytes_acknowledged", "cdcs", "writes"):
            assert connection[direction][key] == whole[direction][key]


def test_slices_too_short_for_clc_claim_nothing_false(tmp_path):
    sliced = tmp_path / "sliced.pcap"
    run(["editcap", "-s", "96", "-F", "nsecpcap", sample(ECHO), sliced])
    result = analyze(sliced)
    assert result["capture"]["truncated_frames"] > 0
    assert result["findings"] == []


def test_holes_in_a_stream_are_zeros_and_are_reported(tmp_path):
    """The second of five messages is taken out; the others stay at their places."""
    writes = run(["tshark", "-r", sample(ECHO), "-Y", "infiniband.bth.opcode == 10 && ip.src == 192.0.2.10",
                  "-T", "fields", "-e", "frame.number"]).split()
    assert len(writes) == 5
    holed, out = tmp_path / "holed.pcap", tmp_path / "stream"
    run(["editcap", "-F", "nsecpcap", sample(ECHO), holed, writes[1].decode()])
    status, _, complaint = fails("stream", holed, "--connection", "smcr-1", "--from", "client", "-o", out)
    messages = [hashlib.shake_128(f"s-client-0-{k}".encode()).digest(100) for k in range(5)]
    assert status == 3
    assert out.read_bytes() == messages[0] + bytes(100) + b"".join(messages[2:])
    assert "100 bytes at position 100" in complaint

    (connection,) = analyze(holed)["smcr"]["connections"]
    assert connection["client_to_server"]["bytes_announced"] == truth(ECHO)[0]["sent"]
    assert connection["client_to_server"]["bytes_written"] == truth(ECHO)[0]["sent"] - 100


def test_a_stream_holds_no_more_zeros_than_cursors_can_mean(tmp_path):
    """Cursors that jump about in a connection that writes nothing: an element's worth of zeros, and all is told."""
    capture, out = tmp_path / "absurd.pcap", tmp_path / "stream"
    run([BUILD / "bin/generate_hostile", "absurd_cursors", "2000", capture])
    (connection,) = analyze(capture)["smcr"]["connections"]
    announced = connection["client_to_server"]["bytes_announced"]
    size = connection["client_to_server"]["rmbe_size"]
    assert announced > 100 * size
    status, _, complaint = fails("stream", capture, "--connection", "smcr-1", "--from", "client", "-o", out)
    assert status == 3
    assert out.stat().st_size <= size
    assert "more than was seen, so they are left out" in complaint


def test_interfaces_of_later_sections_are_read(tmp_path):
    """A file behind another one is a pcapng file of two sections; here the second was captured first."""
    later = sample("smcr_v2_two_links")
    earlier = shifted(later, -100, tmp_path / "earlier.pcapng")
    both = tmp_path / "both.pcapng"
    both.write_bytes(later.read_bytes() + earlier.read_bytes())
    assert analyze(both)["capture"]["frames"] == 2 * analyze(later)["capture"]["frames"]


def test_records_that_are_no_packets_have_numbers_as_in_wireshark(tmp_path):
    """A custom block is a frame there."""
    tmp_path.chmod(0o755)
    plain, custom = tmp_path / "plain.pcapng", tmp_path / "custom.pcapng"
    run(["editcap", "-F", "pcapng", sample(ECHO), plain])
    octets, place = plain.read_bytes(), 0
    while struct.unpack_from("<I", octets, place)[0] != 6:  # the first packet
        place += struct.unpack_from("<I", octets, place + 4)[0]
    custom.write_bytes(octets[:place] + struct.pack("<IIIQI", 0xBAD, 24, 32473, 0, 24) + octets[place:])
    (number,) = tshark("-r", custom, "-Y", "smcr.clc.type == 1", "-T", "fields", "-e", "frame.number").split()
    frames = [analyze(path)["smcr"]["connections"][0]["setup_frames"]["proposal"] for path in (plain, custom)]
    assert frames == [int(number) - 1, int(number)]
