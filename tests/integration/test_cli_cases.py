# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures in which something unusual happens: what the program says of each."""

import ast
import hashlib

import pytest

from cases import CASES
from harness import analyze, fabricscope, sample, truth


@pytest.fixture(scope="module", params=sorted(CASES))
def case(request):
    return request.param, analyze(sample(request.param))


def smcr(result):
    return result["smcr"]["connections"], result["smcr"]["link_groups"]


def by_server_port(connections):
    return {int(c["server"].rpartition(":")[2]): c for c in connections if c["server"]}


def check_stream(name, connection, report, *options):
    stream = fabricscope("stream", sample(name), "--connection", connection["id"], "--from", report["role"], *options, status=(0,))
    assert hashlib.sha256(stream).hexdigest() == report["sent_sha256"]


def test_every_case_decodes_without_findings(case):
    _, result = case
    assert result["capture"]["undecoded_frames"] == 0
    assert result["findings"] == []


def test_midstream():
    """Capture begun in mid connection; then a second connection over the same link group."""
    connections, (group,) = smcr(analyze(sample("smcr_v2_midstream")))
    first, second = connections
    assert (first["client"], first["server"]) == (None, None)
    assert first["outcome"] == "smc-r"
    assert first["contact"] is None
    assert first["setup"]["syn"] is None
    assert first["client_to_server"]["rmbe_size"] is None
    assert first["client_to_server"]["bytes_announced"] == first["client_to_server"]["bytes_written"] == 30000
    assert first["server_to_client"]["bytes_announced"] == 35000
    assert second["contact"] == "subsequent"
    assert group["connections"] == [first["id"], second["id"]]
    (link,) = group["links"]
    assert (link["client_qpn"], link["server_qpn"]) == (17, 20)
    # What was captured is the end of what the application sent.
    sent = b"".join(hashlib.shake_128(b"s-client-0-%d" % k).digest(5000) for k in range(12))
    stream = fabricscope("stream", sample("smcr_v2_midstream"), "--connection", first["id"], "--from", "client", status=(0,))
    assert stream == sent[-30000:]


def test_asymmetric_links_on_one_segment():
    """A has two RDMA devices, B one, all on one hub: frames are seen on both interfaces."""
    result = analyze(sample("smcr_v2_asymmetric"))
    connections, groups = smcr(result)
    assert result["capture"]["copied_frames"] > 0
    assert [c["client_to_server"]["bytes_written"] for c in connections] == [4000, 4000, 4000, 1600]
    assert [c["client_to_server"]["retransmissions"] for c in connections] == [0, 0, 0, 0]
    assert [c["link_group"] for c in connections] == ["lg-1", "lg-1", "lg-1", "lg-2"]
    ends = [[(link["number"], link["client_gid"], link["server_gid"], link["state"]) for link in group["links"]] for group in groups]
    assert ends == [
        [(1, "::ffff:192.0.2.10", "::ffff:192.0.2.20", "active"), (2, "::ffff:192.0.2.11", "::ffff:192.0.2.20", "active")],
        [(1, "::ffff:192.0.2.20", "::ffff:192.0.2.10", "active"), (2, "::ffff:192.0.2.20", "::ffff:192.0.2.11", "active")]]


def test_ways_to_close():
    connections, _ = smcr(analyze(sample("smcr_v2_close")))
    closes = {port: c["close"] for port, c in by_server_port(connections).items()}
    # 18017: client killed with unread data; 18018: server killed with unread data; 18019: both closed with unread data.
    assert closes == {18011: "orderly", 18012: "orderly", 18013: "orderly", 18014: "orderly", 18015: "orderly", 18016: "orderly",
                      18017: "abnormal", 18018: "abnormal", 18019: "abnormal"}
    stalled = by_server_port(connections)[18017]["server_to_client"]
    assert stalled["peak_in_flight"] == stalled["rmbe_size"] == 16384
    assert stalled["stalls"]["count"] == 1
    assert stalled["stalls"]["longest"] > 3


def test_interface_goes_down():
    (connection,), (group,) = smcr(analyze(sample("smcr_v2_lgr_netdev_down")))
    assert connection["close"] == "abnormal"
    assert [link["state"] for link in group["links"]] == ["failed"]
    for report in truth("smcr_v2_lgr_netdev_down"):
        check_stream("smcr_v2_lgr_netdev_down", connection, report)


def test_peer_frozen():
    """0.5 s without answers is bridged by retransmission, 6 s kill the link."""
    (connection,), (group,) = smcr(analyze(sample("smcr_v2_peer_frozen")))
    assert connection["close"] == "abnormal"
    assert connection["client_to_server"]["retransmissions"] > 0
    assert [link["state"] for link in group["links"]] == ["failed"]
    for report in truth("smcr_v2_peer_frozen"):
        check_stream("smcr_v2_peer_frozen", connection, report)


def test_urgent_data_never_consumed():
    (connection,), _ = smcr(analyze(sample("smcr_v2_urgent_stall")))
    to_server = connection["client_to_server"]
    assert to_server["urgent"] == 1
    assert to_server["bytes_announced"] - to_server["bytes_acknowledged"] == 1, "the urgent octet"
    assert connection["close"] == "abnormal"


def test_urgent_data_read_inline():
    """The urgent octets are in the stream; only the sender's digest leaves them out."""
    (connection,), _ = smcr(analyze(sample("smcr_v2_urgent_inline")))
    assert connection["client_to_server"]["urgent"] == 2
    for report in truth("smcr_v2_urgent_inline"):
        check_stream("smcr_v2_urgent_inline", connection, report, "--skip-urgent")


def test_server_without_smc():
    (connection,), groups = smcr(analyze(sample("smcr_fallback_plain_server")))
    assert (connection["outcome"], connection["decline"], connection["close"], groups) == ("plain-tcp", None, "orderly", [])
    (address, port), = {ast.literal_eval(r["peer"])[:2] for r in truth("smcr_fallback_plain_server")}
    assert connection["client"] == f"{address}:{port}"
