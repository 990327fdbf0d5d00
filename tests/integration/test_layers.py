# SPDX-License-Identifier: GPL-2.0-or-later
"""Includes point down only: docs/architecture.md has the drawing."""

import re

import pytest

from harness import ROOT

MAY_INCLUDE = {
    "protocols": {"protocols"},
    "capture": {"protocols", "capture"},
    "analyzer/engine": {"protocols", "capture", "analyzer/engine"},
    "analyzer/info": {"protocols", "capture", "analyzer/engine", "analyzer/info"},
    "analyzer/observations": {"protocols", "capture", "analyzer/engine", "analyzer/observations"},
    "analyzer/report": {"protocols", "capture", "analyzer/engine", "analyzer/observations", "analyzer/report"},
    "analyzer/viewer": {
        "protocols", "capture", "analyzer/engine", "analyzer/info", "analyzer/observations", "analyzer/report", "analyzer/viewer", "replay/stack", "replay/engine",
        "replay/transport", "replay/report"},
    "extcap": {"extcap"},
    "plugins": {"protocols", "capture", "analyzer/engine", "analyzer/info", "analyzer/observations", "plugins"},
    "replay/stack": {"protocols", "capture", "replay/stack"},
    "replay/synth": {"protocols", "capture", "analyzer/engine", "replay/stack", "replay/engine", "replay/synth"},
    "replay/script": {"protocols", "capture", "analyzer/engine", "replay/engine", "replay/synth", "replay/script"},
    "replay/mutation": {"protocols", "replay/stack", "replay/engine", "replay/mutation"},
    "replay/engine": {"protocols", "capture", "analyzer/engine", "replay/stack", "replay/engine"},
    "replay/transport": {"protocols", "capture", "replay/stack", "replay/engine", "replay/transport"},
    "replay/report": {"analyzer/engine", "analyzer/report", "replay/engine", "replay/report"},
    "replay/load": {"protocols", "capture", "analyzer/engine", "analyzer/report", "replay/engine", "replay/stack", "replay/transport", "replay/load"},
    "replay/vipl": {"protocols", "capture", "replay/stack", "replay/synth", "replay/vipl"},
    "program": {
        "protocols", "capture", "analyzer/engine", "analyzer/observations", "analyzer/report", "replay/stack", "replay/synth", "replay/engine",
        "replay/transport", "replay/report", "replay/script", "replay/mutation", "replay/load", "program"},
}
FOREIGN = {
    "protocols": r"epan/|wiretap/|wsutil/|glib|pcap|fstream|iostream|thread",
    "analyzer/engine": r"epan/|wiretap/|wsutil/|glib|pcap|fstream|thread",
    "analyzer/info": r"epan/|wiretap/|wsutil/|glib|pcap|fstream|iostream|thread",
    "analyzer/observations": r"epan/|wiretap/|wsutil/|glib|pcap|fstream|iostream|thread",
    "capture": r"epan/",
    "replay/stack": r"epan/|wiretap/|wsutil/|glib|pcap|fstream|iostream|thread|chrono|random",
}


def includes(layer):
    for path in sorted((ROOT / layer).rglob("*")):
        if path.suffix in (".cc", ".h"):
            for target in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
                yield path.relative_to(ROOT), target


@pytest.mark.parametrize("layer", MAY_INCLUDE)
def test_includes_point_down(layer):
    for path, target in includes(layer):
        owner = next((known for known in MAY_INCLUDE if target.startswith(f"{known}/")), None)
        assert owner is None or owner in MAY_INCLUDE[layer], f"{path} includes {target}"


@pytest.mark.parametrize("layer", FOREIGN)
def test_no_library_that_the_layer_must_not_know(layer):
    for path, target in includes(layer):
        assert not re.match(FOREIGN[layer], target), f"{path} includes {target}"


# What knows a protocol for reasons of its own: SMC-R and streams learn of queue pairs from CM messages, partitions of addresses, Fibre Channel's ladders and
# replay show and play what is built on it, scripts have messages of all, and scenarios had other names once.
NEIGHBOURS = {
    "rdma_cm": r"analyzer/engine/(smcr/link_groups\.cc|rdma/|components\.cc)|analyzer/(observations/rdma|report/rdma_(summary|overview))\.cc|plugins/rdma/|replay/stack/ib/|replay/synth/message_kinds\.cc|replay/script/|program/scenario_files\.cc",
    "fc_ae_rdma": r"analyzer/report/fc_ladder\.cc|replay/(engine|stack)/fc/|replay/script/|program/scenario_files\.cc",
}


def listed_files():
    section = (ROOT / "docs/adding-a-protocol.md").read_text().partition("## Files outside its own folders")[2]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def foreign_files(token):
    """Sources that name a protocol beside its own, `token/` and `token_*`."""
    own = re.compile(rf"(^|/){token}[/_.]|{NEIGHBOURS[token]}")
    for layer in MAY_INCLUDE:
        for path in sorted((ROOT / layer).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if own.search(name) or not (path.suffix in (".cc", ".h") or path.name == "CMakeLists.txt"):
                continue
            if token in re.sub(r"//.*", "", path.read_text()):
                yield name


@pytest.mark.parametrize("token", NEIGHBOURS)
def test_a_protocol_touches_the_listed_files_only(token):
    listed = listed_files()
    assert 0 < len(listed) <= 9
    assert set(foreign_files(token)) <= listed
