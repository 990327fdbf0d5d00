# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's profiles: what they filter, colour, draw and list is there, and finds what it is named after."""

import csv
import re
import shutil

import pytest
from harness import BUILD, ROOT, open_to_all, run, sample, tshark

PROFILES = {path.name: path for path in (ROOT / "plugins").glob("*/profile/*")}
FINDINGS = {  # what stands behind the button, and the profile that is for such captures
    "real/smcr_fallback_roce_blocked.pcap": "SMC-R",
    "real/rdmacm_reject_no_listener.pcap": "RDMA CM",
    "real/smcr_v2_peer_frozen.pcap": "SMC-R",
    "real/smcr_v2_lossy.pcap": "RDMA",
    "fcvi/read_protection_error.pcap": "FC",
}


def rows(profile, name):
    """Lines of comma separated values, without comments."""
    lines = (PROFILES[profile] / name).read_text().splitlines()
    return list(csv.reader(line for line in lines if not line.startswith("#")))


def buttons(profile):
    return {row[1]: row[2] for row in rows(profile, "dfilter_buttons")}


def colours(profile):
    lines = (PROFILES[profile] / "colorfilters").read_text().splitlines()
    return {line.split("@")[1]: line.split("@")[2] for line in lines if line.startswith("@")}


def graphs(profile):
    return rows(profile, "io_graphs")


def columns(profile):
    return re.findall(r'"(%[^"]+)"', (PROFILES[profile] / "preferences").read_text())


# ---- colours: those of fabricscope's own pictures --------------------------------------------------------

PALETTE = {name: tuple(map(int, rgb)) for name, *rgb in re.findall(
    r"(\w+)\{(\d+), (\d+), (\d+)\}", (ROOT / "analyzer/report/drawing.h").read_text().partition("namespace palette")[2].partition("namespace")[0])}
MEANINGS = {  # what is said in both, and in which colour
    "breaks a rule": "vermilion", "failed": "vermilion", "observed, something failed": "vermilion", "abnormal close": "vermilion",
    "receiver not ready": "orange", "window full or opened": "orange", "wait (MRA)": "orange",
    "congestion": "purple", "CLC": "blue", "set-up": "blue", "FC-VI connections": "blue", "LLC": "green",
    "CDC": "sky", "RDMA WRITE": "sky", "SEND": "sky", "WRITE": "sky", "READ": "sky", "FC-VI": "sky", "FC-AE-RDMA": "sky",
}


def painted(profile):
    """Background and letters of each rule, eight bits each."""
    lines = (PROFILES[profile] / "colorfilters").read_text().splitlines()
    return {title: [tuple(int(value) // 257 for value in colour.split(",")) for colour in re.findall(r"\[([\d,]+)\]", colours)]
            for _, title, _, colours in (line.split("@") for line in lines if line.startswith("@"))}


def is_tint(colour, of):
    """Whether white added to one gives the other."""
    full, one = min(zip(of, colour))
    share = (255 - one) / (255 - full)
    return all(abs(255 - (255 - full) * share - one) <= 2 for full, one in zip(of, colour))


def luminance(colour):
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in (part / 255 for part in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("profile", PROFILES)
def test_colours_are_those_of_the_pictures(profile):
    hues = {name: rgb for name, rgb in PALETTE.items() if name in ("orange", "sky", "green", "blue", "vermilion", "purple")}
    assert len(hues) == 6
    for title, (background, letters) in painted(profile).items():
        grey = max(background) - min(background) == 0
        dark = luminance(background) < 0.05 and letters == PALETTE["orange"]  # what is retransmitted, as in curves
        assert grey or dark or any(is_tint(background, rgb) for rgb in hues.values()), title
        if hue := MEANINGS.get(title.partition(": ")[2] or title):
            assert is_tint(background, hues[hue]), title
        bright, dim = sorted((luminance(background), luminance(letters)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, f"{title} cannot be read"


def test_there_is_one_for_each_family():
    assert PROFILES.keys() == {"SMC-R", "RDMA", "RDMA CM", "FC"}
    script = (BUILD / "plugins/cmake_install.cmake").read_text()
    assert all(f'"{path}"' in script for path in PROFILES.values())


@pytest.mark.parametrize("profile", PROFILES)
def test_wireshark_understands_every_filter_and_field(profile):
    filters = [*buttons(profile).values(), *colours(profile).values(), *(row[2] for row in graphs(profile))]
    names = {name for column in columns(profile) if column.startswith("%Cus:")
             for name in column.removeprefix("%Cus:").removesuffix(":0:R").split(" || ")}
    names |= {row[6] for row in graphs(profile)} - {""}
    wanted = " || ".join(f"({one})" for one in filters)
    tshark("-r", sample("smcr_v1_echo"), "-c", "1", "-Y", wanted, "-T", "fields", *(w for n in sorted(names) for w in ("-e", n)))


@pytest.mark.parametrize("profile", PROFILES)
def test_each_column_has_a_width(profile):
    widths = re.search(r"^column\.width: (.*)$", (PROFILES[profile] / "recent").read_text(), re.MULTILINE).group(1)
    assert widths.split(", ")[::2] == [column.removesuffix(":0:R") for column in columns(profile)]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_tabs_of_conversations_and_endpoints_are_of_protocols(profile):
    text = (PROFILES[profile] / "recent").read_text()
    tabs = [re.search(rf"^gui\.{kind}_tabs: (.*)$", text, re.MULTILINE).group(1).split(",") for kind in ("conversation", "endpoint")]
    short_names = {line.split("\t")[1] for line in tshark("-G", "protocols").splitlines()}
    assert tabs[0] == tabs[1]
    assert set(tabs[0]) <= short_names


@pytest.mark.parametrize("capture, profile", FINDINGS.items())
def test_the_button_findings_shows_what_the_program_observes(capture, profile):
    assert tshark("-2", "-r", ROOT / "samples" / capture, "-Y", buttons(profile)["Findings"])


def tshark_with(profile, folder, *options):
    shutil.copytree(PROFILES[profile], folder / "wireshark/profiles" / profile)
    open_to_all(folder)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    return run([BUILD / "with-plugins", "tshark", "-C", profile, *options], env=environment).decode()


@pytest.mark.parametrize("profile", PROFILES)
def test_tshark_takes_it(profile, tmp_path):
    """With its columns; between source and destination tshark draws an arrow."""
    line = tshark_with(profile, tmp_path, "-r", sample("rdmacm_private_data"), "-T", "tabs", "-c", "1").rstrip("\n")
    assert len(line.split("\t")) == len(columns(profile)) + 1


@pytest.mark.parametrize("profile", sorted(PROFILES.keys() - {"FC"}))
def test_a_udp_checksum_of_0_is_no_error_over_ipv6(profile, tmp_path):
    wrong = ["-r", sample("rdmacm_rping_v6"), "-Y", "_ws.expert.severity == error"]
    assert tshark(*wrong) != ""
    assert tshark_with(profile, tmp_path, *wrong) == ""
