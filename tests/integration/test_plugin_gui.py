# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark itself, on a screen that only this test sees: the profile, the menu, the windows."""

import contextlib
import re
import shutil
import subprocess
from collections import Counter

import pytest
from harness import BUILD, ROOT, home_environment, open_to_all, sample
from screen import HEIGHT, WIDTH, a_screen, stopping, wait_for

PROFILE = ROOT / "plugins/smcr/profile/SMC-R"
RDMA_PROFILE = ROOT / "plugins/rdma/profile/RDMA"
CM_PROFILE = ROOT / "plugins/rdma_cm/profile/RDMA CM"
FC_PROFILE = ROOT / "plugins/fc/profile/FC"

pytestmark = pytest.mark.skipif(
    "sanitizer_runtime=''" not in (BUILD / "with-plugins").read_text(), reason="Wireshark is not built with sanitizers")


@contextlib.contextmanager
def wireshark(home, capture, *arguments):
    """A screen with Wireshark on it, which has read a capture, or the real sample of that name."""
    path = sample(capture) if isinstance(capture, str) else capture
    config = home / "wireshark"
    for profile in (PROFILE, RDMA_PROFILE, CM_PROFILE, FC_PROFILE):
        shutil.copytree(profile, config / "profiles" / profile.name)
    geometry = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT}
    (config / "recent_common").write_text(
        "".join(f"gui.geometry_main_{key}: {value}\n" for key, value in geometry.items()))
    open_to_all(home)
    with a_screen() as screen:
        environment = {
            **home_environment(), "DISPLAY": screen.environment["DISPLAY"], "XDG_CONFIG_HOME": str(home),
            "XDG_RUNTIME_DIR": str(home), "HOME": str(home), "QT_QPA_PLATFORM": "xcb", "QT_XCB_GL_INTEGRATION": "none",
            "WIRESHARK_EXTCAP_DIR": "/nonexistent"}  # nothing is captured here; helpers cost time
        options = [word for option in ("update.enabled", "ask_unsaved") for word in ("-o", f"gui.{option}:FALSE")]
        program = subprocess.Popen(
            [BUILD / "with-plugins", "wireshark", *options, "-r", path, *arguments],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with stopping(program):
            wait_for("the main window", lambda: screen.windows(path.stem))
            yield screen


@pytest.fixture(scope="module")
def screen(tmp_path_factory):
    """Wireshark with the plugin and the profile, at a message that announces urgent data."""
    with wireshark(tmp_path_factory.mktemp("gui"), "smcr_v2_urgent", "-C", "SMC-R", "-g", "27") as screen:
        wait_for("a packet", lambda: rule_colours()["SMC-R: LLC"] in colours(screen.settled()))
        yield screen


def colours(pixels):
    """How often each is there, by its red, green and blue."""
    counts = Counter(zip(pixels[::3], pixels[1::3], pixels[2::3]))
    return {bytes(colour): count for colour, count in counts.items()}


def rule_colours(profile=PROFILE):
    """{name: background} of the profile's colouring rules"""
    rules = {}
    for line in (profile / "colorfilters").read_text().splitlines():
        if line.startswith("@"):
            _, name, _, background = line.rsplit("[", 1)[0].split("@")
            rules[name] = bytes(int(value) >> 8 for value in background.strip("[]").split(","))
    return rules


def test_columns_and_buttons_of_the_profile(screen):
    screen.shows("Connection", "Link group", "In flight", "Window", "Stalled for", "smcr-1", "lg-1", "CONFIRM LINK")
    screen.shows("Findings", "Set-up", "Stalls", "Urgent", re.compile(r"Profile\W+SMC-R"))


def test_colours_of_the_profile(screen):
    seen = colours(screen.settled())
    rules = rule_colours()
    for kind in ("CLC", "LLC", "CDC", "RDMA WRITE"):
        assert seen.get(rules[f"SMC-R: {kind}"], 0) > 2000, kind


def test_the_message_in_the_details(screen):
    screen.shows("SMC-R, CDC smcr-1")


MENUS = ["SMC-R", "RDMA CM", "FC-VI", "FC-AE-RDMA", "RDMA", "fabricscope"]  # the last ones of Tools, in this order


def choose(screen, menu, letter):
    """An entry of Tools > MENU, by its letter."""
    screen.click(400, 900)  # below the details: the keyboard is Wireshark's, the selected packet stays
    screen.keys("alt+t", *["Up"] * (len(MENUS) - MENUS.index(menu)), "Right", letter)


def test_the_menu_filters_the_connection(screen):
    choose(screen, "SMC-R", "c")
    try:
        screen.shows("smcr.connection", "Displayed: 34 ")
    finally:
        screen.keys("ctrl+slash", "ctrl+a", "Delete", "Return")  # other tests have the same Wireshark


def test_the_menu_follows_the_stream(screen):
    choose(screen, "SMC-R", "w")
    wait_for("the stream", lambda: screen.windows("SMC-R stream of smcr-1"))
    screen.shows("before-urgent", "after-urgent", "reply-part-1", "client,")


@pytest.mark.skipif(not (BUILD / "bin/fabricscope-viewer").exists(), reason="the viewer is not built")
def test_the_viewer_is_handed_the_selected_frame(tmp_path_factory):
    with wireshark(tmp_path_factory.mktemp("viewer"), "smcr_v2_urgent", "-g", "27") as screen:
        screen.shows("smcr-1")
        choose(screen, "fabricscope", "v")
        wait_for("the viewer", lambda: screen.windows("smcr_v2_urgent.pcap - fabricscope"))
        screen.shows(re.compile(r"smcr-1 .* frame 27"))


@contextlib.contextmanager
def window(screen, title, *keys, click=None):
    """A window that these keys open in Wireshark's menus, and then a click on an entry that has no letter."""
    screen.click(400, 900)
    screen.keys(*keys)
    if click:
        screen.click_on(click)
    (shown,) = wait_for(f"the window {title}", lambda: screen.windows(title))
    screen.run("xdotool", "windowfocus", shown)  # there is no window manager to do that
    yield
    screen.keys("Escape")
    wait_for(f"the end of the window {title}", lambda: not screen.windows(title))


def test_the_window_of_conversations(tmp_path_factory):
    """It opens with what it showed the last time, which was SMC-R."""
    home = tmp_path_factory.mktemp("gui")
    (home / "wireshark").mkdir()
    (home / "wireshark/recent").write_text("gui.conversation_tabs: SMC-R\n")
    with wireshark(home, "smcr_v2_urgent") as screen:
        screen.shows("smcr-1")
        with window(screen, "Conversations", "alt+s", "c"):
            screen.shows("192.0.2.10:45966 192.0.2.20:18001")


def test_the_flow_graph_is_the_ladder(screen):
    with window(screen, "Flow", "alt+s", click="Flow Graph"):
        screen.click_on("All Flows")  # the list of flows
        screen.run("xdotool", "type", "SMC-R")
        screen.keys("Return")
        screen.shows("SMC-R Flows", "192.0.2.10", "192.0.2.20", "PROPOSAL", "CONFIRM LINK", "ADD LINK",
                     "CLC CONFIRM (v2), first contact", "LLC CONFIRM LINK request, link 1")
        seen = colours(screen.settled())
        for kind in ("CLC", "LLC", "CDC", "RDMA WRITE"):
            assert seen.get(rule_colours()[f"SMC-R: {kind}"], 0) > 2000, kind


def test_the_window_of_objects_to_export(screen):
    """File > Export Objects > SMC-R: counted from the end of both menus."""
    with window(screen, "SMC-R object list", "alt+f", "Up", "Up", "Up", "Right", "Up", "Up", "Return"):
        screen.shows("33 bytes smcr-1-from-client.bin", "27 bytes smcr-1-from-server.bin", "192.0.2.10:45966")


def test_a_rejection_is_seen_at_a_glance(tmp_path_factory):
    """Who, whom and why stand in the packet list and at the end of the message's tree."""
    with wireshark(tmp_path_factory.mktemp("gui"), "rdmacm_reject_no_listener", "-g", "2") as screen:
        rejection = "rejects REQ: invalid service id (8), nobody listens there"
        assert "LID" not in screen.shows("RDMA CM", "192.0.2.10:46807", rejection)
        screen.click(400, 620)  # the details: what is observed comes last; the protocol before it, unfolded
        screen.keys("End", "Up", "Right", "End")
        screen.shows("Outcome: rejected", "Rejected: by the server: invalid service id", "Request in: 1")
        choose(screen, "RDMA CM", "c")
        screen.shows("rdma_ip_cm.connection", "Displayed: 2 ")


# ---- queue pairs ----


def test_the_profile_for_queue_pairs(tmp_path_factory):
    """Lost packets catch the eye; columns are wide enough for what is in them; the graphs are there."""
    rules = rule_colours(RDMA_PROFILE)
    with wireshark(tmp_path_factory.mktemp("rdma"), "smcr_v2_lossy", "-C", "RDMA", "-g", "400") as screen:
        wait_for("a lost packet", lambda: rules["Bad RDMA"] in colours(screen.settled()))
        screen.shows("Stream", "Source QP", "Operation", "In flight", "Took", "Bad RDMA", "Timeouts", "Congestion",
                     re.compile(r"Profile\W+RDMA"))
        assert colours(screen.settled())[rules["Bad RDMA"]] > 2000
        with window(screen, "I/O Graphs", "alt+s", "i"):
            screen.shows("RDMA packets", "Retransmitted")
            seen = colours(screen.settled())
            # Beside each other, not one below the other's feet.
            assert seen.get(bytes.fromhex("E69F00"), 0) > 2000


# ---- connection management, Fibre Channel, and the button Findings ----


def shows_behind_findings(screen, frames):
    screen.click_on("Findings")
    screen.shows(f"Displayed: {frames} ")


def test_the_profile_for_connection_management(tmp_path_factory):
    rules = rule_colours(CM_PROFILE)
    with wireshark(tmp_path_factory.mktemp("cm"), "rdmacm_reject_no_listener", "-C", "RDMA CM", "-g", "2") as screen:
        wait_for("a rejection", lambda: rules["RDMA CM: rejected"] in colours(screen.settled()))
        screen.shows("Connection", "Service", "Outcome", "Rejections", "Disconnects", "rejected", "192.0.2.20:7999",
                     re.compile(r"Profile\W+RDMA CM"))
        with window(screen, "I/O Graphs", "alt+s", "i"):
            screen.shows(re.compile("rejections", re.IGNORECASE))
            wait_for("their graph", lambda: colours(screen.settled()).get(bytes.fromhex("D55E00"), 0) > 200)
        shows_behind_findings(screen, 4)


def test_the_profile_for_fibre_channel(tmp_path_factory):
    rules = rule_colours(FC_PROFILE)
    capture = ROOT / "samples/fcvi/read_protection_error.pcap"
    with wireshark(tmp_path_factory.mktemp("fc"), capture, "-C", "FC", "-g", "1") as screen:
        wait_for("a failure", lambda: rules["FC: failed"] in colours(screen.settled()))
        screen.shows("Session", "Exchange", "Message", "Took", "Failures", "Rejections", "Aborts", "fcvi-1", "xchg-4",
                     re.compile(r"Profile\W+FC"))
        shows_behind_findings(screen, 3)
