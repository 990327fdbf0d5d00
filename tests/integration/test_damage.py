# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged captures through the program and through tshark with the plugin: cut anywhere, with random errors, or edited.

FABRICSCOPE_THOROUGH=N in the environment tries N times as many. tests/unit/report/damage_test.cc does the same with
the library, many more times.
"""

import json
import os

import pytest

from harness import BUILD, ROOT, WITHOUT_PLUGIN, fabricscope, run, wireshark_program

THOROUGH = int(os.environ.get("FABRICSCOPE_THOROUGH", "1"))
SAMPLES = ROOT / "samples"
SMCR = ["real/smcr_v1_echo.pcap", "real/smcr_v2_echo.pcap", "real/smcr_v2_two_links.pcapng", "real/smcr_v2_close.pcap",
        "real/smcr_v20_k61_echo.pcap", "real/smcr_v2_midstream.pcap", "real/smcr_fallback_eid_mismatch.pcap",
        "real/smcr_v1_ipv6_echo.pcap"]
RDMA_CM = ["real/rdmacm_private_data.pcap", "real/rdmacm_reject_private_data.pcap", "real/rdmacm_udaddy.pcap"]
FC = ["fcvi/reliable_reception_iso.pcap", "fcvi/several_sequences_rev10.fcoe.pcap", "fcvi/connect_info.pcap",
      "fcvi/setup_in_class_2.pcap", "fc_ae_rdma/login_read_write.pcap", "fc_ae_rdma/class_2.fcoe.pcap",
      "real/fcoe_vn2vn.pcap"]
CAPTURES = [*SMCR, *RDMA_CM, *FC]
READ_TO_THE_END, FINDINGS, NOT_READ = 0, 1, 3
SURVIVED = "survived"


def outcome(capture, **options):
    """How two passes of tshark over the capture end: SURVIVED, or its last words."""
    status, output, errors = wireshark_program("tshark", "-r", capture, "-V", "-2", **options)
    said = output + errors
    healthy = status in (0, 2) and b"dissector bug" not in said.lower()  # 2: the file is damaged
    return SURVIVED if healthy and b"sanitizer" not in said.lower() else errors.splitlines()[-1:]


def survives(capture):
    """Neither program crashes, hangs or calls itself buggy."""
    json.loads(fabricscope("analyze", "--json", "--cursors", "--", capture, status=(READ_TO_THE_END, FINDINGS, NOT_READ)) or "null")
    with_plugin = outcome(capture)
    # Wireshark's own dissectors have bugs that damaged frames find; they are found without the plugin, too.
    assert with_plugin == SURVIVED or outcome(capture, env=WITHOUT_PLUGIN) == with_plugin


@pytest.mark.parametrize("seed", range(1, 1 + THOROUGH))
@pytest.mark.parametrize("name", CAPTURES)
def test_random_errors(name, seed, tmp_path):
    for probability in ("0.0005", "0.02"):
        damaged = tmp_path / "damaged.pcapng"
        run(["editcap", "-E", probability, "--seed", str(seed), SAMPLES / name, damaged])
        survives(damaged)


@pytest.mark.parametrize("part", range(1, 1 + 3 * THOROUGH))
@pytest.mark.parametrize("name", [*SMCR[:4], RDMA_CM[0], *FC[:5]])
def test_cut(name, part, tmp_path):
    whole = (SAMPLES / name).read_bytes()
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(whole[:len(whole) * part // (1 + 3 * THOROUGH)])
    survives(cut)


@pytest.mark.parametrize("snap_length", [14, 34, 42, 54, 60, 74, 90, 100])
@pytest.mark.parametrize("name", [*SMCR[1:3], RDMA_CM[0], FC[0], FC[4]])
def test_snap_length(name, snap_length, tmp_path):
    cut = tmp_path / "cut.pcapng"
    run(["editcap", "-s", str(snap_length), SAMPLES / name, cut])
    survives(cut)


@pytest.mark.parametrize("seed", range(1, 1 + 3 * THOROUGH))
def test_edits_with_right_lengths_and_checksums(seed, tmp_path):
    edited = tmp_path / "edited.pcapng"
    run([BUILD / "bin/write_edits", "50", str(seed), edited])
    survives(edited)
