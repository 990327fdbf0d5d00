# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's profiles: what they filter, colour, draw and list is there, and finds what it is named after."""

import csv
import re
import shutil

import pytest
from harness import BUILD, ROOT, run, sample, tshark

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


@pytest.mark.parametrize("profile", PROFILES)
def test_tshark_takes_it(profile, tmp_path):
    """With its columns; between source and destination tshark draws an arrow."""
    shutil.copytree(PROFILES[profile], tmp_path / "wireshark/profiles" / profile)
    run(["chmod", "-R", "a+rX", *tmp_path.parents[:2], tmp_path])
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    line = run([BUILD / "with-plugins", "tshark", "-r", sample("rdmacm_private_data"), "-C", profile, "-T", "tabs", "-c", "1"],
               env=environment).decode().rstrip("\n")
    assert len(line.split("\t")) == len(columns(profile)) + 1
