# SPDX-License-Identifier: GPL-2.0-or-later
"""The viewer itself, on a screen that only this test sees: what users do with it, and what they give it."""

import contextlib
import os
import re
import shutil
import subprocess

import pytest
from harness import BUILD, ROOT, sample, samples
from namespaces import REASON, ip, namespaces, packet_sockets, send_frames
from screen import HEIGHT, SECONDS, WIDTH, a_screen, stopping, wait_for

PROGRAM = BUILD / "bin/fabricscope"

pytestmark = [
    pytest.mark.skipif(not (BUILD / "bin/fabricscope-viewer").exists(), reason="the viewer is not built"),
    pytest.mark.skipif(shutil.which("Xvfb") is None or shutil.which("xdotool") is None, reason="no screen to show it on")]


@contextlib.contextmanager
def viewer(home, *arguments, inside=(), path=None):
    """A screen with the viewer on it: `inside`, what it is started by; `path`: where it finds programs."""
    with a_screen() as screen:
        environment = {
            **os.environ, "DISPLAY": screen.environment["DISPLAY"], "QT_QPA_PLATFORM": "xcb", "HOME": str(home),
            "XDG_CONFIG_HOME": str(home), "XDG_RUNTIME_DIR": str(home), "TMPDIR": str(home)}
        if path is not None:
            environment["PATH"] = path
        command = [*inside, PROGRAM, "view", *arguments]
        program = subprocess.Popen([str(word) for word in command], env=environment, stderr=subprocess.DEVNULL)
        with stopping(program):
            (window,) = wait_for("the window", lambda: screen.windows(" fabricscope$|^fabricscope$"))
            screen.run("xdotool", "windowmove", window, "0", "0", "windowsize", window, str(WIDTH), str(HEIGHT))
            screen.run("xdotool", "windowfocus", window)  # there is no window manager to do that
            yield screen, program


def says(screen, words):
    """Whether these words stand on the screen; where lines end does not matter, nor whether an i is taken for an I."""
    return re.search(words, " ".join(screen.text().split()), re.IGNORECASE)


@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":4711"}])
def test_without_a_display_it_says_so(display):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run([PROGRAM, "view", sample("plain_udp")], env={**environment, **display}, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2 and b"there is no display" in done.stderr


@pytest.mark.parametrize("name", ["smcr_v2_two_links", "rdmacm_rping_v4", "fcvi/client_server_iso.pcap", "fc_ae_rdma/several_exchanges.pcap"])
def test_every_pane_can_be_clicked_through(tmp_path, name):
    capture = ROOT / "samples" / name if "/" in name else sample(name)
    with viewer(tmp_path, capture) as (screen, program):
        wait_for("the sessions", lambda: says(screen, "Session"))
        panes = ("Fabric", "Ladder", "Memory", "Latency", "Packets", "Compare")
        for pane, place in zip(panes, screen.places_of(*panes)):
            screen.click(*place)
            assert program.poll() is None, pane
        wait_for("Compare", lambda: says(screen, "Select a session to lay it beside another one"))
        (window,) = screen.windows(" fabricscope$")
        for size in (("640", "480"), ("1280", "800"), (str(WIDTH), str(HEIGHT))):
            screen.run("xdotool", "windowsize", window, *size)
        screen.keys("w", "w", "d", "0", "Escape", "question")
        wait_for("the keys", lambda: says(screen, "closer, further away"))
        screen.keys("Escape")
        screen.run("xdotool", "windowfocus", window)
        screen.keys("ctrl+q")
        assert program.wait(SECONDS) == 0
    left = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["fabricscope-viewer.conf"]  # where the panes stood, and nothing else


PANES = ("Fabric", "Ladder", "Memory", "Latency", "Packets", "Compare", "Sequence")


def test_every_real_capture_is_shown_without_a_word_of_complaint(tmp_path):
    """The program with each of them, one after the other: all panes are clicked, and it ends well."""
    places = None
    tmp_path.chmod(0o700)  # as Qt demands of the folder of a user's sockets
    with a_screen() as screen:
        environment = {
            **os.environ, "DISPLAY": screen.environment["DISPLAY"], "QT_QPA_PLATFORM": "xcb", "HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
        for name in samples():
            program = subprocess.Popen([PROGRAM, "view", sample(name)], env=environment, stderr=subprocess.PIPE, text=True)
            with stopping(program):
                (window,) = wait_for(name, lambda: screen.windows(f"^{name}") or (program.poll() is not None and [None]))
                assert window, f"{name}: ended with {program.poll()}: {program.stderr.read()}"
                screen.run("xdotool", "windowmove", window, "0", "0", "windowsize", window, str(WIDTH), str(HEIGHT), "windowfocus", window)
                if places is None:
                    wait_for("the panes", lambda: says(screen, "Compare"))
                    places = screen.places_of(*PANES)
                steps = [word for x, y in places for word in ("mousemove", str(x), str(y), "click", "1", "sleep", "0.1")]
                screen.run("xdotool", *steps, "key", "ctrl+q")
                assert program.wait(SECONDS) == 0, name
                assert program.stderr.read() == "", name


WHOLE = "smcr_v2_echo"


def damaged(folder):
    whole = sample(WHOLE).read_bytes()
    contents = {"empty.pcap": b"", "words.pcap": b"these are no frames at all", "header.pcap": whole[:24], "cut.pcap": whole[:-7]}
    for name, octets in contents.items():
        (folder / name).write_bytes(octets)


@pytest.mark.parametrize("name, words", [
    ("missing.pcap", r"missing\.pcap"), ("empty.pcap", r"empty\.pcap"), ("words.pcap", r"words\.pcap"),
    ("header.pcap", "There is no frame in this capture"), ("cut.pcap", r"cut\.pcap: frame \d+")])
def test_what_cannot_be_read_is_a_sentence(tmp_path, name, words):
    damaged(tmp_path)
    with viewer(tmp_path, tmp_path / name) as (screen, program):
        # The title names the file, too: without window manager it is not on the screen.
        wait_for("the sentence", lambda: says(screen, words))
        assert program.poll() is None


def test_a_file_that_grows_and_then_vanishes(tmp_path):
    whole = sample(WHOLE).read_bytes()
    file = tmp_path / "grows.pcap"
    file.write_bytes(whole[: len(whole) // 2])
    with viewer(tmp_path, "--follow", file) as (screen, program):
        screen.click_on("Packets")
        first = int(wait_for("the frames", lambda: says(screen, r"(\d+) frames"))[1])
        with file.open("ab") as out:
            out.write(whole[len(whole) // 2 :])
        wait_for("more frames", lambda: (now := says(screen, r"(\d+) frames")) and int(now[1]) > first)
        file.unlink()
        wait_for("the sentence", lambda: says(screen, "is gone: this is what was read before"))
        assert program.poll() is None


@pytest.mark.parametrize("arguments, status, words", [
    (["--help"], 0, "--follow"), (["--version"], 0, "fabricscope-viewer"), (["--nosuch"], 1, "nosuch")])
def test_its_own_words_need_no_screen(arguments, status, words):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    run = subprocess.run([BUILD / "bin/fabricscope-viewer", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == status
    assert words in run.stdout + run.stderr


def test_without_wireshark_there_is_a_sentence(tmp_path):
    with viewer(tmp_path, sample(WHOLE), path="/nonexistent") as (screen, program):
        wait_for("the sessions", lambda: says(screen, "smc-r, orderly"))
        screen.keys("ctrl+w")
        wait_for("the sentence", lambda: says(screen, "Wireshark is not installed, or not on the PATH"))
        assert program.poll() is None


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_what_an_interface_receives_is_shown(tmp_path):
    kept = tmp_path / "kept.pcapng"
    with namespaces() as (sender, listener):
        ip("link", "add", "out0", "netns", sender, "type", "veth", "peer", "name", "in0", "netns", listener)
        for space, end in ((sender, "out0"), (listener, "in0")):
            subprocess.run(["ip", "netns", "exec", space, "sysctl", "-qw", f"net.ipv6.conf.{end}.disable_ipv6=1"], check=False)
            ip("-n", space, "link", "set", end, "mtu", "9000", "up")
        inside = ("ip", "netns", "exec", listener)
        with viewer(tmp_path, "-i", "in0", "-w", kept, inside=inside) as (screen, program):
            wait_for("the capture", lambda: kept.exists() and packet_sockets(listener) > 0)
            send_frames(sender, "out0", WHOLE, 0.002)
            wait_for("the session", lambda: says(screen, "smc-r, orderly"))
            assert program.poll() is None
            screen.keys("ctrl+q")
            assert program.wait(SECONDS) == 0
        shown = subprocess.run([PROGRAM, "analyze", kept], capture_output=True, text=True, check=False).stdout
        assert "smcr-1" in shown


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_an_interface_that_there_is_not_is_a_sentence(tmp_path):
    with viewer(tmp_path, "-i", "nosuch") as (screen, program):
        wait_for("the sentence", lambda: says(screen, "The capture has ended.*nosuch"))
        assert program.poll() is None
