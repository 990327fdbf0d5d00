# SPDX-License-Identifier: GPL-2.0-or-later
"""What the program says of each real capture equals what applications and kernels said."""

import ast
import hashlib
import ipaddress
import subprocess

import pytest

import truth
from cases import CASES
from harness import BUILD, analyze, fabricscope, fields_of_all, sample, samples
from harness import truth as reports

FALLBACKS = {  # who declined, the guest that this is, the code
    "smcr_fallback_client_no_rdma": ("client", "B", 0x03030000),
    "smcr_fallback_eid_mismatch": ("server", "B", 0x03030000),
    "smcr_fallback_ipv6_v2only": ("client", "A", 0x03030000),
    "smcr_fallback_pnetid_mismatch": ("server", "B", 0x03030002),
    "smcr_fallback_roce_blocked": ("server", "B", 0x02010000),
    "smcr_fallback_server_no_rdma": ("server", "B", 0x03030002),
}
CLOSES = {"smcr_v2_lgr_rdma_link_delete": "abnormal"}  # the device went away
SMCR = [name for name in samples("smcr_*") if not name.startswith("smcr_fallback") and name not in CASES]
OTHERS = [name for name in samples() if not name.startswith("smcr_")] + ["smcr_fallback_plain_client"]

_analyses = {}


def analysis(name):
    if name not in _analyses:
        _analyses[name] = analyze(sample(name))
    return _analyses[name]


def port(address):
    return int(address.rpartition(":")[2])


def client_port(report):
    """Both applications report the client's address."""
    return ast.literal_eval(report["peer"])[1]


def connection_of_report(name, report):
    (found,) = [c for c in analysis(name)["smcr"]["connections"] if port(c["client"]) == client_port(report)]
    return found


def directions(connection, role):
    """What `role` sends, and what it receives."""
    to_server, to_client = connection["client_to_server"], connection["server_to_client"]
    return (to_server, to_client) if role == "client" else (to_client, to_server)


def role_of(socket, connection):
    return "client" if socket.local_port == port(connection["client"]) else "server"


def connection_of_socket(name, socket):
    ports = {socket.local_port, socket.peer_port}
    (found,) = [c for c in analysis(name)["smcr"]["connections"] if {port(c["client"]), port(c["server"])} == ports]
    return found


def same_address(one, other):
    def plain(address):
        ip = ipaddress.ip_address(address)
        return getattr(ip, "ipv4_mapped", None) or ip
    return plain(one) == plain(other)


# ---- applications --------------------------------------------------------------------------------

@pytest.mark.parametrize("name", SMCR)
def test_streams_are_what_the_applications_sent(name):
    for report in reports(name):
        connection = connection_of_report(name, report)
        address = ast.literal_eval(report["peer"])[0]
        assert same_address(connection["client"].rpartition(":")[0].strip("[]"), address)
        stream = fabricscope("stream", sample(name), "--connection", connection["id"], "--from", report["role"],
                             "--skip-urgent", status=(0,))
        assert len(stream) == report["sent"]
        assert hashlib.sha256(stream).hexdigest() == report["sent_sha256"]


@pytest.mark.parametrize("name", SMCR)
def test_octets_are_counted_as_the_applications_did(name):
    for report in reports(name):
        connection = connection_of_report(name, report)
        sends, receives = directions(connection, report["role"])
        assert sends["bytes_announced"] == sends["bytes_written"] == report["sent"] + sends["urgent"]
        if connection["close"] == "orderly":
            assert receives["bytes_acknowledged"] == report["received"] + receives["urgent"]
        assert sends["from_start"] and receives["from_start"]


@pytest.mark.parametrize("name", SMCR)
def test_every_connection_is_found_and_no_other(name):
    found = [port(c["client"]) for c in analysis(name)["smcr"]["connections"]]
    assert sorted(found) == sorted({client_port(report) for report in reports(name)})


@pytest.mark.parametrize("name", SMCR)
def test_outcomes(name):
    for connection in analysis(name)["smcr"]["connections"]:
        assert connection["outcome"] == "smc-r"
        assert connection["version"] == (1 if "_v1_" in name else 2)
        assert connection["decline"] is None
        assert connection["close"] == CLOSES.get(name, "orderly")
        setup = connection["setup"]
        assert setup["syn"] < setup["syn_ack"] < setup["proposal"] < setup["accept"] < setup["confirm"]
        assert (setup["confirm_link"] is not None) == (connection["contact"] == "first")
        assert setup["first_data"] > setup["confirm"]


def test_urgent_octets_stay_in_the_stream():
    name = "smcr_v2_urgent"
    stream = fabricscope("stream", sample(name), "--connection", "smcr-1", "--from", "client", status=(0,))
    assert stream == b"before-urgent;Uafter-urgent;UEND\n"
    stream = fabricscope("stream", sample(name), "--connection", "smcr-1", "--from", "server", status=(0,))
    assert stream == b"reply-part-1;!reply-part-2\n"


# ---- kernels -------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", SMCR)
def test_tokens_and_buffers_are_what_the_sockets_had(name):
    for socket in truth.sockets(name):
        connection = connection_of_socket(name, socket)
        role = role_of(socket, connection)
        sends, receives = directions(connection, role)
        assert connection["alert_tokens"][role] == socket.token
        assert receives["rmbe_size"] == socket.rmbe
        assert sends["rmbe_size"] == socket.peer_rmbe
        assert sends["cursor_base"] == receives["cursor_base"] == 0


@pytest.mark.parametrize("name", SMCR)
def test_final_cursors_are_what_the_sockets_had(name):
    for socket in truth.sockets(name):
        connection = connection_of_socket(name, socket)
        sends, receives = directions(connection, role_of(socket, connection))
        for seen, cursor, direction, size in (
            ("producer", socket.tx_prod, sends, socket.peer_rmbe),
            ("consumer", socket.rx_cons, sends, socket.peer_rmbe),
            ("producer", socket.rx_prod, receives, socket.rmbe),
            ("consumer", socket.tx_cons, receives, socket.rmbe),
        ):
            # Only if the socket was looked at when everything had been sent and read.
            if cursor.position(size) == direction["bytes_announced"]:
                assert direction[seen] == {"wrap": cursor.wrap, "offset": cursor.offset}


@pytest.mark.parametrize("name", SMCR)
def test_links_are_the_kernels(name):
    (group,) = analysis(name)["smcr"]["link_groups"]
    told = truth.links(name)
    for link in told:
        peer = "server" if link.role == "client" else "client"
        (number,) = [seen["number"] for seen in group["links"]
                     if same_address(seen[f"{link.role}_gid"], link.gid)
                     and same_address(seen[f"{peer}_gid"], link.peer_gid)
                     and seen["number"] in (link.number, None)]
        assert (number is None) == (not group["from_start"])
    assert told


@pytest.mark.parametrize("name", SMCR)
def test_queue_pairs_are_the_kernels(name):
    (group,) = analysis(name)["smcr"]["link_groups"]
    role = {link.guest: link.role for link in truth.links(name)}
    pairs = {"client": {(link["client_qpn"], link["server_qpn"]) for link in group["links"]},
             "server": {(link["server_qpn"], link["client_qpn"]) for link in group["links"]}}
    told = truth.queue_pairs(name)
    for guest, local, remote in told:
        assert (local, remote) in pairs[role[guest]]
    assert told


@pytest.mark.parametrize("name", [name for name in SMCR if name != "smcr_v2_virtbuf"])  # there, send buffers have RKeys too
def test_rkeys_are_the_kernels(name):
    (group,) = analysis(name)["smcr"]["link_groups"]
    role = {link.guest: link.role for link in truth.links(name)}
    announced = {(rmb["owner"], token["rkey"], rmb["element_size"]) for rmb in group["rmbs"] for token in rmb["rtokens"]}
    for guest, rkey, length in truth.memory_regions(name):
        assert (role[guest], rkey, length) in announced


# ---- without SMC-R -------------------------------------------------------------------------------

def test_connections_that_do_not_offer_smc_are_counted():
    names = samples("smcr_*") + samples("plain_*")
    syns = fields_of_all(
        [sample(name) for name in names], "tcp.stream",
        display_filter="tcp.flags.syn == 1 && tcp.flags.ack == 0 && !(tcp.options contains fe:06:e2:d4:c3:d9)")
    plain = {name: len({row["tcp.stream"][0] for row in rows}) for name, rows in zip(names, syns, strict=True)}
    assert plain["smcr_fallback_plain_client"] and plain["plain_tcp_http"]
    assert {name: analysis(name)["smcr"]["smc_not_offered"] for name in names} == plain


@pytest.mark.parametrize("name", FALLBACKS)
def test_declines(name):
    by, guest, code = FALLBACKS[name]
    (connection,) = analysis(name)["smcr"]["connections"]
    assert connection["outcome"] == "fallback"
    assert (connection["decline"]["by"], int(connection["decline"]["code"], 16)) == (by, code)
    assert connection["decline"]["name"]
    assert code in truth.fallback_reasons(name)[guest]
    assert port(connection["client"]) == client_port(reports(name)[0])


@pytest.mark.parametrize("name", OTHERS)
def test_captures_without_smcr_claim_nothing(name):
    result = analysis(name)
    assert result["smcr"]["connections"] == []
    assert result["smcr"]["link_groups"] == []
    assert result["findings"] == []
    text = fabricscope("analyze", sample(name), status=(0,)).decode()
    assert "SMC-R" not in text
    # What is not there is said only where nothing else is.
    empty = not name.startswith(("rdmacm_", "fcoe_", "plain_roce_", "roce_"))
    assert ("Nothing of the protocols that were looked for" in text) == empty


def test_a_stream_without_data_says_so():
    done = subprocess.run([BUILD / "bin/fabricscope", "stream", sample("smcr_fallback_eid_mismatch"), "--connection", "smcr-1", "--from", "client"],
                          capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"smcr-1 from the client: no data" in done.stderr
