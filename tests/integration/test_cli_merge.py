# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of several interfaces and hosts, each in a file of its own, say together what one capture says."""

import json

import pytest

from harness import ROOT, analyze, attempt, fabricscope, run, sample, shifted

ECHO = "smcr_v2_echo"
SERVER = "192.0.2.20"


def keep(capture, display_filter, out):
    run(["tshark", "-r", capture, "-Y", display_filter, "-w", out])
    return out


def by_interface(name, folder):
    return [keep(sample(name), f"frame.interface_id == {i}", folder / f"eth{i}.pcapng") for i in range(2)]


def by_direction(name, folder):
    """As if each host had captured only what it sent."""
    filters = [f"!(ip.src == {SERVER})", f"ip.src == {SERVER}"]
    return [keep(sample(name), filters[i], folder / f"{side}.pcapng") for i, side in enumerate(("client", "server"))]


def traffic(result):
    """What is said of the traffic, without the numbers of frames, which depend on how frames are put in order, and without
    how often each rule could be decided, which depends on what may be missing between two files."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(each) for key, each in value.items() if "frame" not in key and key != "places"}
        return [strip(each) for each in value] if isinstance(value, list) else value
    told = {key: value for key, value in result.items() if key not in ("capture", "rules")}
    # Statistics of interfaces do not come along with frames.
    told["observations"] = [o for o in told["observations"] if o["id"] != "CAPTURE-O-dropped"]
    return strip(told)


@pytest.mark.parametrize("name", ["smcr_v2_two_links", "smcr_v2_two_links_b", "smcr_v2_asymmetric"])
def test_interfaces_in_files_of_their_own(name, tmp_path):
    parts = by_interface(name, tmp_path)
    whole = traffic(analyze(sample(name)))
    for files in (parts, parts[::-1]):
        assert traffic(analyze(*files)) == whole


@pytest.mark.parametrize("name", [ECHO, "smcr_v2_virtbuf", "smcr_v2_20conns", "smcr_v2_lossy"])
def test_directions_in_files_of_their_own(name, tmp_path):
    parts = by_direction(name, tmp_path)
    merged = analyze(*parts)
    assert traffic(merged) == traffic(analyze(sample(name)))
    assert merged["capture"]["warnings"] == []


@pytest.mark.parametrize("name", [ECHO, "smcr_v2_lossy", "rdmacm_concurrent", "plain_roce_perftest", "fcoe_vn2vn"])
def test_pieces_in_any_order(name, tmp_path):
    """A ring buffer's files, given as they come."""
    whole = analyze(sample(name))
    run(["editcap", "-c", whole["capture"]["frames"] // 7 + 1, sample(name), tmp_path / "piece.pcap"])
    pieces = sorted(tmp_path.glob("piece_*.pcap"))
    assert len(pieces) == 7
    for files in (pieces, pieces[::-1], pieces[3:] + pieces[:3]):
        assert traffic(analyze(*files)) == traffic(whole)


def test_frames_are_numbered_as_mergecap_numbers_them(tmp_path):
    parts, merged = by_interface("smcr_v2_two_links", tmp_path), tmp_path / "merged.pcapng"
    run(["mergecap", "-I", "none", "-w", merged, *parts])
    apart, together = analyze(*parts), analyze(merged)
    for observation in apart["observations"]:
        observation.pop("places")
    assert {**apart, "capture": None} == {**together, "capture": None}


def test_findings_name_file_and_frame(tmp_path):
    """The PROPOSAL of the echo, spoilt, in a file that holds TCP only."""
    octets = bytearray(sample(ECHO).read_bytes())
    eye_catcher = bytes.fromhex("e2d4c3d9")
    octets[octets.index(eye_catcher, octets.index(eye_catcher + b"\x01") + 4)] = 0
    broken, roce, tcp = tmp_path / "broken.pcap", tmp_path / "roce.pcapng", tmp_path / "tcp.pcapng"
    broken.write_bytes(octets)
    keep(broken, "udp.dstport == 4791", roce)
    keep(broken, "!(udp.dstport == 4791)", tcp)
    (whole,) = [f for f in analyze(broken)["findings"] if f["rule"] == "SMCR-R02"]
    assert "places" not in whole
    (finding,) = [f for f in analyze(roce, tcp)["findings"] if f["rule"] == "SMCR-R02"]
    alone = run(["tshark", "-r", tcp, "-Y", f"frame.time_epoch == {time_of(broken, whole['frames'][-1])}", "-T", "fields", "-e", "frame.number"])
    assert finding["places"][-1] == {"file": str(tcp), "frame": int(alone)}
    assert f"(tcp.pcapng {int(alone)})" in fabricscope("analyze", roce, tcp, status=(1,)).decode()


def time_of(capture, frame):
    return run(["tshark", "-r", capture, "-Y", f"frame.number == {frame}", "-T", "fields", "-e", "frame.time_epoch"]).decode().strip()


# ---- clocks --------------------------------------------------------------------------------------

@pytest.mark.parametrize("seconds", [-2, -0.5, 0.5, 2])
def test_clocks_that_differ_are_reported(seconds, tmp_path):
    client, server = by_direction(ECHO, tmp_path)
    late = shifted(server, seconds, tmp_path / "shifted.pcapng")
    warnings = analyze(client, late)["capture"]["warnings"]
    behind, ahead = (late, client) if seconds < 0 else (client, late)
    assert any(f"{behind} is at least " in text and f" s behind {ahead} (" in text for text in warnings)
    for text in warnings:
        by = float(text.partition("at least ")[2].partition(" s behind")[0])
        assert 0 < by <= abs(seconds), "never more than they do differ"
    assert "clocks of the files differ" in " ".join(fabricscope("analyze", client, late).decode().split())


def test_clocks_that_differ_by_less_than_the_network_takes_are_not(tmp_path):
    client, server = by_direction(ECHO, tmp_path)
    assert analyze(client, shifted(server, 0.0001, tmp_path / "shifted.pcapng"))["capture"]["warnings"] == []


def test_copies_by_a_clock_that_differs(tmp_path):
    """Both hosts' captures: within a second copies are known as such; beyond, that they are there, and by how much."""
    here = sample("rdmacm_rping_v4")
    result = analyze(here, shifted(here, 0.5, tmp_path / "soon.pcap"))
    assert result["capture"]["warnings"] == [] and result["capture"]["copied_frames"] > 0
    late = shifted(here, 700, tmp_path / "late.pcap")
    (warning,) = analyze(here, late)["capture"]["warnings"]
    assert f"{late} has 700.000000000 s later what {here} has as well" in warning and "editcap -t -700.000000000 " in warning
    assert [o["id"] for o in analyze(here, late)["observations"]][0] == "CAPTURE-O-clocks"


def test_tcp_of_one_host_and_roce_of_another(tmp_path):
    tcp = keep(sample(ECHO), "tcp", tmp_path / "tcp.pcapng")
    roce = shifted(keep(sample(ECHO), "udp.dstport == 4791", tmp_path / "roce.pcapng"), -1, tmp_path / "shifted.pcapng")
    (warning,) = analyze(tcp, roce)["capture"]["warnings"]
    assert f"{roce} is at least " in warning


def test_healthy_captures_do_not_contradict_themselves():
    for path in (ROOT / "samples/real").glob("smcr_*.pcap*"):
        warnings = analyze(path)["capture"]["warnings"]
        assert [warning for warning in warnings if "lost before they were captured" not in warning] == []


# ---- files of different times ---------------------------------------------------------------------

def first_second(capture):
    return int(float(run(["tshark", "-r", capture, "-c", "1", "-T", "fields", "-e", "frame.time_epoch"])))


def told_of(*files):
    done = attempt("analyze", *files, "--json")
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


def test_a_file_of_another_day_is_told_of(tmp_path):
    later = shifted(sample(ECHO), 2 * 86400, tmp_path / "later.pcap")
    _, _, complaints = told_of(later, sample(ECHO))
    assert f"{later} begins 48.0 hours after {sample(ECHO)} ends" in complaints and "--each" in complaints
    halves = [keep(sample(ECHO), f"frame.number {sign} 40", tmp_path / f"{i}.pcap") for i, sign in enumerate(("<", ">="))]
    assert told_of(*halves)[2] == ""


def test_a_file_of_another_network_is_told_of(tmp_path):
    """No host of the one is in the other. TCP's addresses and the RDMA ports' are of the same hosts by CLC."""
    storage, avionics = sample("rdmacm_rping_v4"), ROOT / "samples/fcvi/client_server_iso.pcap"
    now = shifted(avionics, first_second(storage) - first_second(avionics), tmp_path / "now.pcap")
    assert f"{now} has no host in common with {storage}: " in told_of(storage, now)[2]
    halves = [keep(sample(ECHO), transport, tmp_path / f"{transport}.pcap") for transport in ("tcp", "infiniband")]
    assert told_of(*halves)[2] == ""
    taps = by_interface("smcr_v2_two_links", tmp_path)
    assert told_of(*taps)[2] == ""


def test_no_rule_compares_files_of_different_weeks(tmp_path):
    """The later capture goes on with the same queue pairs, as if weeks had passed without a packet."""
    first, rest = [keep(sample("rdmacm_rping_v4"), f"frame.number {sign} 12", tmp_path / f"{i}.pcap")
                   for i, sign in enumerate(("<", ">="))]
    later = shifted(rest, 30 * 86400, tmp_path / "later.pcap")
    status, told, complaints = told_of(first, later)
    assert status == 3
    assert f"{later} begins 30.0 days after {first} ends, so that they are not one capture" in complaints
    (alone,) = told["capture"]["errors"]
    assert alone in complaints
    expected = told_of(first)[1]
    assert {**traffic(told), "observations": None} == {**traffic(expected), "observations": None}
    assert told["rules"] == expected["rules"]
    assert [o["id"] for o in told["observations"] if o not in expected["observations"]] == ["CAPTURE-O-unread"]
