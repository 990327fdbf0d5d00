# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark on captures that lack something: no violation and no other value may come of that. tests/variants does the same
with the engine, and with many more of them."""

import functools
from collections import Counter

import pytest
from edit import records_of
from harness import ROOT, fields, run, sample
from test_tunnels import WRAPS

CAPTURES = {
    "smcr_v2_echo": sample("smcr_v2_echo"),
    "smcr_v1_ipv6_echo": sample("smcr_v1_ipv6_echo"),
    "smcr_v2_urgent": sample("smcr_v2_urgent"),
    "rdmacm_rping_v6": sample("rdmacm_rping_v6"),
    "rdmacm_udaddy": sample("rdmacm_udaddy"),
    "fcvi": ROOT / "samples/fcvi/reliable_reception_iso.fcoe.pcap",
    "fc_ae_rdma": ROOT / "samples/fc_ae_rdma/several_sequences.fcoe.pcap",
}
RULES = ("smcr.rule", "rdma_ip_cm.rule", "fcvi.rule", "fcaerdma.rule")
# Numbers that the engine gives: another capture may begin to count elsewhere, but never joins two or takes one apart.
IDS = ("smcr.connection", "smcr.link_group", "rdma_ip_cm.connection", "fcvi.connection", "fcvi.message", "fcaerdma.message")
# What the engine adds to a frame beyond its own octets.
VALUES = (
    "smcr.from", "smcr.write.length", "smcr.retransmission", "rdma_ip_cm.from", "rdma_ip_cm.outcome",
    "rdma_ip_cm.retransmission", "fcvi.iu", "fcvi.version", "fcvi.operation", "fcvi.repeated", "fcaerdma.operation",
    "fcaerdma.repeated")


def write(header, records, path):
    path.write_bytes(header + b"".join(
        seconds.to_bytes(4, "little") + fraction.to_bytes(4, "little") + len(octets).to_bytes(4, "little") * 2 + octets
        for seconds, fraction, octets in records))


def without_frame(capture, out, number):
    run(["editcap", capture, out, number])


def cut(capture, out, length):
    run(["editcap", "-s", length, capture, out])


def from_frame(capture, out, number):
    run(["editcap", "-r", capture, out, f"{number}-100000"])


def twice(capture, out, _):
    header, records = records_of(capture)
    write(header, [record for record in records for _ in range(2)], out)


def one_direction(capture, out, which):
    header, records = records_of(capture)
    senders = sorted({bytes(octets[6:12]) for _, _, octets in records})
    write(header, [record for record in records if record[2][6:12] == senders[which]], out)


def burst(capture, out, first):
    run(["editcap", capture, out, f"{first}-{first + 4}"])


def cut_after_loss(capture, out, number):
    without_frame(capture, out.with_suffix(".lost"), number)
    cut(out.with_suffix(".lost"), out, 96)


def mirrored(capture, out, tunnel):
    header, records = records_of(capture)
    write(header, [(seconds, fraction, WRAPS[tunnel](bytes(octets))) for seconds, fraction, octets in records], out)


def later(header, seconds, fraction, microseconds):
    """The time of a record, as the file counts."""
    unit = 1000 if header[:4] == bytes.fromhex("4d3cb2a1") else 1
    whole = (seconds * 1_000_000 + microseconds) * unit + fraction
    return divmod(whole, 1_000_000 * unit)


def two_taps(capture, out, microseconds):
    """The second one is on a trunk, and its clock differs."""
    header, records = records_of(capture)
    first, second = out.with_suffix(".1"), out.with_suffix(".2")
    write(header, records, first)
    write(header, [(*later(header, seconds, fraction, microseconds), WRAPS["vlan"](bytes(octets)))
                   for seconds, fraction, octets in records], second)
    run(["mergecap", "-I", "none", "-w", out, first, second])


VARIANTS = (
    [(without_frame, number) for number in (4, 9, 17, 34)] + [(cut, length) for length in (64, 90)]
    + [(from_frame, number) for number in (6, 28)] + [(one_direction, which) for which in (0, 1)] + [(twice, 0)])


# What is lacking in other ways is tried on one capture of each protocol.
OTHER_VARIANTS = [(burst, 12), (burst, 24), (cut_after_loss, 9), (cut_after_loss, 21), (mirrored, "vxlan"), (mirrored, "erspan_2"),
                  (mirrored, "vlan"), (two_taps, 50), (two_taps, -5)]
OTHERS_ON = ("smcr_v2_echo", "rdmacm_rping_v6", "fcvi", "fc_ae_rdma")


def shown(capture):
    """Violations, and what is shown of each frame by its time and how often that time was there before."""
    frames, seen, rules = {}, Counter(), Counter()
    for row in fields(capture, "frame.time_epoch", *RULES, *IDS, *VALUES, options=["-2"]):
        time = row["frame.time_epoch"][0]
        frames[time, seen[time]] = row
        seen[time] += 1
        rules.update(rule for name in RULES for rule in row[name])
    return rules, frames


@functools.cache
def of_whole(name):
    return shown(CAPTURES[name])


@pytest.mark.parametrize(
    ("name", "make", "which"),
    [(name, *variant) for name in CAPTURES for variant in VARIANTS] + [(name, *variant) for name in OTHERS_ON for variant in OTHER_VARIANTS],
    ids=lambda value: getattr(value, "__name__", str(value)))
def test_nothing_comes_of_what_is_missing(name, make, which, tmp_path):
    tmp_path.chmod(0o755)
    variant = tmp_path / "variant.pcap"
    make(CAPTURES[name], variant, which)
    rules, frames = shown(variant)
    rules_of_whole, frames_of_whole = of_whole(name)
    assert rules - rules_of_whole == Counter()
    renamed = {}
    for key, row in frames.items():
        expected = frames_of_whole.get(key)
        if expected is None:  # a copy of a frame
            assert not any(row[value] for value in VALUES if value.endswith(("retransmission", "repeated")))
            continue
        for value in VALUES:
            assert row[value] in ([], expected[value]), (key, value)
        for name_of in IDS:
            for now, before in zip(row[name_of], expected[name_of]):
                assert renamed.setdefault((name_of, now), before) == before, (key, name_of)
