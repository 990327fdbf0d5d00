# SPDX-License-Identifier: GPL-2.0-or-later
"""libfabricscope-vipl as a program in C sees it: what it exports, and the programs of samples/vipl, which talk to each other, to the
emulated stack and to `replay`. Over wires it needs root."""

import contextlib
import json
import re
import signal
import subprocess
import time

import pytest

from harness import BUILD, ROOT, analyze, fabricscope, fields, run
from namespaces import REASON, SERVER, begin_listening, wired_namespaces

LIBRARY = BUILD / "lib/libfabricscope-vipl.so"
HEADER = ROOT / "replay/vipl/vipl.h"
COUNT, SIZE = 50, 3000  # of ping-pong; a Message has several frames
TRANSFERS = 40  # of 64 KiB: more than the server's memory holds, so that some of it is used twice

over_wires = pytest.mark.skipif(REASON is not None, reason=str(REASON))


# ---- the library -----------------------------------------------------------------------------------------


def declared():
    return set(re.findall(r"^VIP_API VIP_RETURN\s+(Vip\w+)\(", HEADER.read_text(), re.MULTILINE))


def test_only_documented_calls_are_exported():
    symbols = {line.split()[2].partition("@")[0] for line in run(["nm", "-D", "--defined-only", LIBRARY]).decode().splitlines()}
    assert symbols - {"FABRICSCOPE_VIPL_1"} == declared()
    assert len(declared()) == 41  # of the Developer's Guide


def test_every_call_is_in_the_manual():
    manual = (ROOT / "docs/man/libfabricscope-vipl.3").read_text()
    assert set(re.findall(r"Vip[A-Z]\w+", manual)) == declared()


@pytest.mark.parametrize("standard", ["c99", "c11"])
def test_plain_c_compiles_with_the_header(tmp_path, standard):
    program = tmp_path / "program.c"
    calls = "\n".join(f"    (void)&{call};" for call in sorted(declared()))
    program.write_text(f"#include <vipl.h>\nint main(void) {{\n{calls}\n    return sizeof(VIP_DESCRIPTOR) == 64 ? 0 : 1;\n}}\n")
    strict = [f"-std={standard}", "-Wall", "-Wextra", "-Wstrict-prototypes", "-pedantic", "-Werror"]
    run(["cc", *strict, f"-I{HEADER.parent}", program, "-o", tmp_path / "program", LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"])
    run([tmp_path / "program"])


def test_layout_of_a_descriptor(tmp_path):
    """VI-DG 5.2 to 5.4: where each field stands."""
    places = {"CS.Next": 0, "CS.NextHandle": 8, "CS.SegCount": 12, "CS.Control": 14, "CS.Reserved": 16, "CS.ImmediateData": 20,
              "CS.Length": 24, "CS.Status": 28, "DS[0].Remote.Data": 32, "DS[0].Remote.Handle": 40, "DS[0].Remote.Reserved": 44,
              "DS[1].Local.Data": 48, "DS[1].Local.Handle": 56, "DS[1].Local.Length": 60}
    checks = "\n".join(f"char at{i}[offsetof(VIP_DESCRIPTOR, {field}) == {place} ? 1 : -1];"
                       for i, (field, place) in enumerate(places.items()))
    program = tmp_path / "layout.c"
    program.write_text(f"#include <stddef.h>\n#include <vipl.h>\n{checks}\n")
    run(["cc", "-std=c99", f"-I{HEADER.parent}", "-c", program, "-o", tmp_path / "layout.o"])


# ---- the programs ----------------------------------------------------------------------------------------


@pytest.fixture
def wire():
    with wired_namespaces() as ends:
        yield ends


def begin(namespace, *command):
    return subprocess.Popen(
        ["ip", "netns", "exec", namespace, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process, status=0):
    out, err = process.communicate(timeout=100)
    assert process.returncode == status, out.decode() + err.decode()
    return out.decode()


@contextlib.contextmanager
def captured(end_of_wire, path):
    """All that passes one end of the wire meanwhile."""
    namespace, interface = end_of_wire
    process = begin_listening(namespace, [BUILD / "bin/fabricscope", "capture", "-i", interface, "-w", path])
    yield
    process.send_signal(signal.SIGINT)
    end(process)


def ran(wire, capture, program, server_options, client_options, names=("", "")):
    """What the client says; all is captured at its end. `names`: further options of the devices."""
    (client, client_interface), (server, server_interface) = wire
    with captured(wire[0], capture):
        serving = begin_listening(
            server, [BUILD / f"bin/vipl-{program}", server_interface + names[1], "server", *server_options])
        said = end(begin(client, BUILD / f"bin/vipl-{program}", client_interface + names[0], SERVER, *client_options))
        end(serving)
    return said


def judged(capture):
    """The report, in which there is nothing to find."""
    report = analyze(capture)
    assert report["findings"] == []
    assert [one for one in report["observations"] if one["severity"] != "note"] == []
    (connection,) = report["fcvi"]["connections"]
    assert connection["outcome"] == "connected"
    return report


@over_wires
def test_pingpong(wire, tmp_path):
    capture = tmp_path / "pingpong.pcapng"
    said = ran(wire, capture, "pingpong", [COUNT, SIZE], [COUNT, SIZE])
    assert said.startswith(f"{COUNT} times {SIZE} bytes there and back")
    report = judged(capture)
    messages = report["fcvi"]["messages"]
    assert len(messages) == 2 * COUNT
    assert {(message["operation"], message["bytes"]) for message in messages} == {("send", SIZE)}
    stream = fabricscope("stream", capture, "--connection", "fcvi-1", "--from", "client")
    assert stream == fabricscope("stream", capture, "--connection", "fcvi-1", "--from", "server")
    assert len(stream) == COUNT * SIZE


@over_wires
@pytest.mark.parametrize("operation", ["write", "read"])
def test_bandwidth(wire, tmp_path, operation):
    capture = tmp_path / "bandwidth.pcapng"
    said = ran(wire, capture, "bandwidth", [], [operation, TRANSFERS])
    assert said.startswith(f"RDMA {operation}: {TRANSFERS} times 65536 bytes")
    operations = [message["operation"] for message in judged(capture)["fcvi"]["messages"]]
    assert sorted(operations) == sorted(["send"] * 2 + [f"rdma {operation}"] * TRANSFERS)
    # Wireshark sees the same connection, and nothing to complain of.
    capture.chmod(0o644)
    tmp_path.chmod(0o755)
    rows = fields(capture, "fcvi.opcode", "fcvi.rule", display_filter="fcvi")
    assert len(rows) > TRANSFERS * 65536 // 1500
    assert not any(row["fcvi.rule"] for row in rows)


# The higher name logs in, so that the client is the one that says the first word.
CLIENT_NAME, SERVER_NAME = ",port-name=20000000000000ff", ",port-name=2000000000000001"


@pytest.fixture
def recorded(wire, tmp_path):
    capture = tmp_path / "recorded.pcapng"
    ran(wire, capture, "pingpong", [COUNT, SIZE], [COUNT, SIZE], (CLIENT_NAME, SERVER_NAME))
    return capture


def replay(namespace, capture, session, side, interface):
    return begin_listening(namespace, [BUILD / "bin/fabricscope", "replay", capture, "--session", session, "--play", side,
                                       "--against", f"if://{interface}", "--json", "--timeout", 20])


@over_wires
def test_a_server_answers_replay_as_it_did(wire, recorded, tmp_path):
    """Logins included: the played client begins with its PLOGI."""
    (client, client_interface), (server, server_interface) = wire
    with captured(wire[0], tmp_path / "again.pcapng"):
        serving = begin_listening(server, [BUILD / "bin/vipl-pingpong", server_interface + SERVER_NAME, "server", COUNT, SIZE])
        played = replay(client, recorded, "fc-pair-1", "client", client_interface)
        out, err = played.communicate(timeout=100)
        assert played.returncode in (0, 1), err.decode()
        end(serving)
    # A server that gets the client's LOGO first sends none of its own: both may have crossed when it was recorded, or now.
    different = [(one["message"], one["actual"]) for one in json.loads(out)["differences"] if one["level"] == "exact"]
    assert different in ([], [("LOGO", "not sent")], [("LOGO", "sent")])
    assert played.returncode == len(different)
    judged(tmp_path / "again.pcapng")


@over_wires
def test_a_client_talks_to_replay(wire, recorded, tmp_path):
    """Of a single connection logins are not played: the device says which port the other one is."""
    (client, client_interface), (server, server_interface) = wire
    first = analyze(recorded)["fcvi"]["connections"][0]
    ids = {side: re.sub(r"\W", "", first[side].split()[0]) for side in ("client", "server")}
    device = f"{client_interface},id={ids['client']},peer={SERVER}@{ids['server']}"
    with captured(wire[0], tmp_path / "again.pcapng"):
        serving = replay(server, recorded, "fcvi-1", "server", server_interface)
        end(begin(client, BUILD / "bin/vipl-pingpong", device, SERVER, COUNT, SIZE))
        report = json.loads(end(serving))
    assert not [one for one in report["differences"] if one["level"] == "exact"]
    judged(tmp_path / "again.pcapng")


@over_wires
def test_an_interface_that_goes_away(wire):
    """VI-DG 6.3.1: VIP_ERROR_CATASTROPHIC, 10 (VI-DG 4.4), and what blocks ends."""
    (client, client_interface), (server, server_interface) = wire
    serving = begin_listening(server, [BUILD / "bin/vipl-pingpong", server_interface, "server", 10 ** 6, SIZE])
    asking = begin(client, BUILD / "bin/vipl-pingpong", client_interface, SERVER, 10 ** 6, SIZE)
    time.sleep(1)
    run(["ip", "netns", "exec", client, "ip", "link", "delete", client_interface])
    for process in (asking, serving):
        out, err = process.communicate(timeout=60)
        assert process.returncode == 1, out.decode() + err.decode()
        assert "asynchronous error 10" in err.decode()


def test_the_emulated_stack(tmp_path):
    """A scenario's server, which sends everything back."""
    capture = tmp_path / "emulated.pcapng"
    device = f"emulated:fcvi_send_rd,record={capture}"
    said = run([BUILD / "bin/vipl-pingpong", device, SERVER, COUNT, SIZE, "fabricscope/echo"]).decode()
    assert said.startswith(f"{COUNT} times {SIZE} bytes there and back")
    assert len(judged(capture)["fcvi"]["messages"]) == 2 * COUNT


def test_the_conventional_device_name():
    """VI-DG 6.5"""
    command = [BUILD / "bin/vipl-pingpong", "VINIC", SERVER, "1", "64", "fabricscope/echo"]
    run(command, env={"FABRICSCOPE_VINIC0": "emulated:fcvi_send_rd"})
    run(command, env={}, status=(1,))
