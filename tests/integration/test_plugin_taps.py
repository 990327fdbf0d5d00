# SPDX-License-Identifier: GPL-2.0-or-later
"""What Wireshark's windows are fed with (follow, export, conversations, response times, counts, flow graph)
says the same as the program."""

import base64
import re
from collections import Counter

import probe
import pytest
from harness import (
    BUILD, ROOT, analyze, fabricscope, fields, followed, home_environment, open_to_all, run, sample, samples, sharkd, tshark)
from probe import Capture

SIDES = ("client", "server")
SMCR = [name for name in samples("smcr_*") if not name.startswith("smcr_fallback")]
FEW = ["smcr_v1_echo", "smcr_v2_20conns", "smcr_v2_two_links", "smcr_v2_lossy", "smcr_v2_urgent"]


@pytest.fixture
def ordered(tmp_path):
    """A capture in order of time: the program puts frames in order, Wireshark takes them as they stand."""

    def order(name):
        tmp_path.chmod(0o755)
        run(["reordercap", sample(name), tmp_path / name])
        return tmp_path / name

    return order


def connections(capture):
    return analyze(capture)["smcr"]["connections"]


def stream(capture, connection, side):
    """Exit status 3 says that zeros stand in for what was not captured."""
    return fabricscope("stream", capture, "--connection", connection, "--from", side, status=(0, 3))


def number_of(connection):
    return int(connection["id"].removeprefix("smcr-"))


# ---- streams ----


@pytest.mark.parametrize("name", SMCR)
@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_follow_shows_the_programs_streams(name, options, ordered):
    capture = ordered(name)
    for connection in connections(capture)[:3]:
        octets, text = followed(capture, number_of(connection), *options)
        for side in SIDES:
            assert octets[side] == stream(capture, connection["id"], side), f"{connection['id']} from {side}"
        if connection["client"] is not None:
            assert f"Node 0: {connection['client']}\nNode 1: {connection['server']}\n" in text


def test_follow_by_addresses():
    capture = sample("smcr_v2_20conns")
    connection = connections(capture)[7]
    addresses = f"{connection['client']},{connection['server']}"
    by_addresses = tshark("-q", "-r", capture, "-z", f"follow,smcr,raw,{addresses}")
    by_number = tshark("-q", "-r", capture, "-z", f"follow,smcr,raw,{number_of(connection)}")
    payload = r"^\t?[0-9a-f]+$"
    assert re.findall(payload, by_addresses, re.MULTILINE) == re.findall(payload, by_number, re.MULTILINE) != []


@pytest.mark.parametrize("name", SMCR)
def test_export_writes_the_programs_streams(name, ordered, tmp_path):
    capture = ordered(name)
    folder = tmp_path / "objects"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    tshark("-2", "-q", "-r", capture, "--export-objects", f"smcr,{folder}")
    expected = {}
    for connection in connections(capture):
        for side in SIDES:
            if octets := stream(capture, connection["id"], side):
                expected[f"{connection['id']}-from-{side}.bin"] = octets
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected != {}


def test_sharkd_follows_and_exports_again_and_again():
    """Each time Wireshark dissects everything once more, and a frame that is looked at in between does no harm."""
    capture = sample("smcr_v2_urgent")
    follow = ("follow", {"follow": "SMC-R", "filter": 'smcr.connection == "smcr-1"'})
    first, objects, _, second = sharkd(
        capture, follow, ("tap", {"tap0": "eo:smcr"}), ("frame", {"frame": 30, "proto": True}), follow)
    assert first == second
    octets = {side: b"" for side in SIDES}
    for payload in first["payloads"]:
        octets["server" if "s" in payload else "client"] += base64.b64decode(payload["d"])
    assert octets == {side: stream(capture, "smcr-1", side) for side in SIDES}
    listed = {entry["filename"]: entry["len"] for entry in objects["taps"][0]["objects"]}
    assert listed == {f"smcr-1-from-{side}.bin": len(octets[side]) for side in SIDES}


def test_what_was_not_captured_is_zeros_at_the_end_too(tmp_path):
    tmp_path.chmod(0o755)
    capture = Capture().rendezvous()
    capture.write(True, b"begin")
    capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, producer=(0, 5)))
    capture.write(True, b"end", offset=9)
    capture.send(True, probe.cdc(probe.SERVER_TOKEN, 2, producer=(0, 12)))
    path = capture.save(tmp_path / "hole.pcap")
    assert stream(path, "smcr-1", "client") == b"begin\0\0\0\0end"
    assert followed(path, 1, "-2")[0]["client"] == b"begin\0\0\0\0end"


# ---- conversations ----


def table(capture, kind):
    """Rows of `tshark -z conv,smcr` or `-z endpoints,smcr`, as lists of words."""
    text = tshark("-q", "-r", capture, "-z", f"{kind},smcr")
    return [line.replace("<->", " ").split() for line in text.splitlines() if re.match(r"[0-9\[]", line)]


@pytest.mark.parametrize("name", FEW)
def test_conversations_are_the_connections(name):
    capture = sample(name)
    rows = fields(
        capture, "smcr.connection", "smcr.from", "frame.len", display_filter="smcr.connection && !smcr.copy_of")
    frames, octets = Counter(), Counter()
    for row in rows:
        frames[row["smcr.connection"][0], row["smcr.from"][0]] += 1
        octets[row["smcr.connection"][0]] += int(row["frame.len"][0])
    expected = {(c["client"], c["server"]): c["id"] for c in connections(capture)}
    found = {}
    (result,) = sharkd(capture, ("tap", {"tap0": "conv:SMC-R"}))
    for conversation in result["taps"][0]["convs"]:
        ends = conversation["saddr"], conversation["daddr"]
        client_first = ends in expected
        connection = expected[ends if client_first else ends[::-1]]
        sent, received = conversation["txf"], conversation["rxf"]
        found[connection] = (sent, received) if client_first else (received, sent)
        assert conversation["txb"] + conversation["rxb"] == octets[connection]
        (together,) = {conversation["filter"]}
        numbers = [row["smcr.connection"] for row in fields(capture, "smcr.connection", display_filter=together)]
        assert [connection] in numbers and all(number == [connection] for number in numbers)
    assert found == {c: (frames[c, "client"], frames[c, "server"]) for c in expected.values()}
    assert len(table(capture, "conv")) == len(expected)


def test_endpoints_are_the_addresses_of_the_connections():
    capture = sample("smcr_v2_20conns")
    rows = {row[0]: row[1:] for row in table(capture, "endpoints")}
    ends = {c[side] for c in connections(capture) for side in SIDES}
    assert set(rows) == ends
    (server,) = {c["server"] for c in connections(capture)}
    count = len(fields(capture, "frame.number", display_filter="smcr.connection"))
    assert int(rows[server][0]) == count


# ---- response times ----


def response_times(capture):
    """{(table, request): (count, worst)} in seconds"""
    (result,) = sharkd(capture, ("tap", {"tap0": "srt:smcr"}))
    return {
        (table["n"], row["n"]): (row["num"], row["max"])
        for table in result["taps"][0]["tables"] for row in table["r"] if row["num"]
    }


@pytest.mark.parametrize("name", FEW)
def test_response_times_are_those_of_the_messages(name, ordered):
    capture = ordered(name)
    expected = {}
    requests = {}
    names = {1: "PROPOSAL", 2: "ACCEPT", 3: "CONFIRM"}
    for row in fields(
        capture, "frame.number", "smcr.clc.type", "smcr.llc.type", "smcr.request_in", "smcr.time",
        display_filter="(smcr.clc || smcr.llc) && !smcr.copy_of",
    ):
        requests[row["frame.number"][0]] = row
        if not row["smcr.request_in"]:
            continue
        request = requests[row["smcr.request_in"][0]]
        if row["smcr.clc.type"]:
            key = "SMC-R CLC", names[int(request["smcr.clc.type"][0])]
        else:
            key = "SMC-R LLC", row["smcr.llc.type"][0]
        expected.setdefault(key, []).append(float(row["smcr.time"][0]))
    found = response_times(capture)
    clc = {key: (len(times), max(times)) for key, times in expected.items() if key[0] == "SMC-R CLC"}
    assert clc == pytest.approx({key: value for key, value in found.items() if key[0] == "SMC-R CLC"})
    llc = sorted((len(times), max(times)) for key, times in expected.items() if key[0] == "SMC-R LLC")
    assert llc == pytest.approx(sorted(value for key, value in found.items() if key[0] == "SMC-R LLC"))
    exchanges = sum(sum(e["answered"] for e in group.get("exchanges", [])) for group in analyze(capture)["smcr"]["link_groups"])
    if exchanges:
        assert sum(count for count, _ in llc) == exchanges


def test_tshark_prints_response_times():
    text = tshark("-q", "-r", sample("smcr_v2_echo"), "-z", "smcr,srt")
    assert re.search(r"^\s*1\s+PROPOSAL\s+1\s", text, re.MULTILINE), text
    assert "CONFIRM LINK" in text


# ---- counts ----


@pytest.mark.parametrize("name", FEW)
def test_counts_are_the_programs(name, ordered):
    capture = ordered(name)
    text = tshark("-q", "-r", capture, "-z", "smcr,tree")
    counts = {match[1].strip(): int(match[2]) for match in re.finditer(r"^ *(\S.*?)  +(\d+)\s", text, re.MULTILINE)}
    assert counts["SMC-R frames"] == len(fields(capture, "frame.number", display_filter="smcr && !smcr.copy_of"))
    for connection in connections(capture):
        for side, key in (("client", "client_to_server"), ("server", "server_to_client")):
            direction = connection[key]
            label = f"{connection['id']} from {side}"
            written = direction["bytes_written"] + (direction["bytes_replayed"] or 0)
            assert counts.get(label, 0) == pytest.approx(written, rel=0.05 if "lossy" in name else 0)
    kinds = {
        "CLC messages": "smcr.clc", "LLC messages": "smcr.llc", "CDC messages by what they tell": "smcr.cdc",
        "RDMA WRITE packets by bytes of data": "smcr.write"}
    for kind, name_filter in kinds.items():
        assert counts[kind] == len(fields(capture, "frame.number", display_filter=f"{name_filter} && !smcr.copy_of"))


# ---- flow graph ----


def test_the_ladder_of_a_link_group(ordered):
    capture = ordered("smcr_v2_two_links")
    (result,) = sharkd(capture, ("tap", {"tap0": "seqa:smcr"}))
    (graph,) = result["taps"]
    (connection, *_) = connections(capture)
    hosts = {connection[side].rpartition(":")[0].strip("[]") for side in SIDES}
    assert set(graph["nodes"]) == hosts
    messages = len(fields(capture, "frame.number", display_filter="(smcr.clc || smcr.llc || smcr.cdc || smcr.write) && !smcr.copy_of"))
    assert len(graph["flows"]) == messages
    text = tshark("-q", "-r", capture, "-z", 'flow,smcr,standard,smcr.link_group == "lg-1" && (smcr.clc || smcr.llc)')
    assert [label for label in ("ACCEPT", "CONFIRM", "CONFIRM LINK", "ADD LINK") if label not in text] == []


# ---- I/O graphs ----


@pytest.mark.parametrize("name", ["smcr_v2_tiny_writes", "smcr_v2_peer_frozen"])
def test_in_flight_can_be_graphed(name):
    capture = sample(name)
    text = tshark("-q", "-r", capture, "-z", "io,stat,0,MAX(smcr.in_flight)smcr.in_flight,COUNT(smcr.stall)smcr.stall,SUM(smcr.stall_time)smcr.stall_time")
    (row,) = re.findall(r"<> +[\d.]+ \| +(\d+) \| +(\d+) \| +([\d.]+) \|", text)
    directions = [c[key] for c in connections(capture) for key in ("client_to_server", "server_to_client")]
    assert int(row[0]) == max(d["peak_in_flight"] for d in directions)
    ended = sum(d["stalls"]["total"] for d in directions)
    assert float(row[2]) <= ended + 1e-6


# ---- profile ----


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Environment of somebody who has the installed profiles."""
    folder = tmp_path_factory.mktemp("profiles")
    stage, home = folder / "stage", folder / "home"
    run(["cmake", "--install", BUILD], env={**home_environment(), "DESTDIR": str(stage)})
    (profiles,) = stage.glob("**/share/wireshark/profiles")
    (home / "wireshark").mkdir(parents=True)
    run(["cp", "-r", profiles, home / "wireshark"])
    open_to_all(folder)
    return {**home_environment(), "XDG_CONFIG_HOME": str(home)}


@pytest.mark.parametrize(("profile", "name", "display_filter", "value", "rule"), [
    ("SMC-R", "smcr_v2_echo", "smcr.write", "smcr-1", "SMC-R: RDMA WRITE"),
    ("RDMA", "plain_roce_perftest", "rdma.stream == 3 && rdma.request_in", "3", "RDMA: acknowledgment"),
    ("RDMA", "smcr_v2_lossy", "rdma.analysis.timeout_retransmission", "1", "Bad RDMA"),
])
def test_the_profiles_are_installed_and_work(installed, profile, name, display_filter, value, rule):
    """A column of the profile's own, and a colour."""
    command = [BUILD / "with-plugins", "tshark", "-C", profile, "-r", sample(name), "-Y", display_filter]
    columns = run([*command, "-T", "tabs"], env=installed).decode()
    assert f"\t{value}\t" in columns
    colours = run([*command, "-T", "fields", "-e", "frame.coloring_rule.name", "--color"], env=installed).decode()
    assert rule in colours


def quoted(path):
    """The words in quotation marks of each line."""
    return [re.findall(r'"([^"]*)"', line) for line in path.read_text().splitlines() if not line.startswith("#")]


def test_filters_of_the_profile_are_good():
    """Each of the profile's buttons, colours and graphs, as tshark sees it."""
    folder = ROOT / "plugins/rdma/profile/RDMA"
    filters = [words[2] for words in quoted(folder / "dfilter_buttons") + quoted(folder / "io_graphs")]
    filters += [line.split("@")[2] for line in (folder / "colorfilters").read_text().splitlines() if line.startswith("@")]
    taps = [f"io,stat,0,{each}" for each in filters]
    taps += [f"io,stat,0,MAX({words[6]}){words[6]}" for words in quoted(folder / "io_graphs") if words[6]]
    text = tshark("-q", "-r", sample("smcr_v2_lossy"), *(word for tap in taps for word in ("-z", tap)))
    assert text.count("IO Statistics") == len(taps) > 20
