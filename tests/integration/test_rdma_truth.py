# SPDX-License-Identifier: GPL-2.0-or-later
"""Streams on bad networks against what both kernels counted, and against what the tools were told to do.

The captures are taken behind A's queue discipline: what was lost by netem is not in them (`sent_pkts` of one kernel less
`rcvd_pkts` of the other), what was lost behind the tap is. Linux counts as duplicates what comes again although it had
arrived; where nothing on the wire shows that, fewer are told, never more."""

import json
import re
import subprocess

import pytest
from harness import BUILD, ROOT, analyze, fabricscope, sample, samples

PROGRAM = BUILD / "bin/fabricscope"
KERNELS = samples("roce_*")
WITH_CM = samples("rdmacm_lossy_*")
SIDES = {"A": "192.0.2.10", "B": "192.0.2.20"}
# Duplicates, or losses, that no packet shows: an acknowledgment was lost behind the tap, or nothing came behind a loss.
FEWER_DUPLICATES = {"roce_three_queue_pairs", "roce_write_behind_tap", *WITH_CM}
ALL_LOSSES = {"roce_write_loss", "roce_read_request_loss", "roce_send_rnr", "roce_send_reorder", "roce_send_early_timer"}
CAUSES_KNOWN = {"roce_write_loss", "roce_read_loss", "roce_read_request_loss", "roce_send_rnr", "roce_atomic_loss",
                "roce_three_queue_pairs", "roce_write_behind_tap", "roce_send_reorder", *WITH_CM}

_analyses = {}


def analysis(name):
    if name not in _analyses:
        _analyses[name] = analyze(sample(name))
    return _analyses[name]


def truth(name):
    return (ROOT / f"samples/real/{name}.truth.txt").read_text()


def of_kernels(name):
    return json.loads(re.search(r"^COUNTERS (.*)$", truth(name), re.MULTILINE)[1])


def counters(name, side, counter):
    return of_kernels(name)[side].get(counter, 0)


def behind_tap(name):
    return "one in" in re.search(r"^of RoCE packets.*$", truth(name), re.MULTILINE)[0]


def sent_by(name, side):
    """Of all streams."""
    return [stream["a_to_b" if stream["a"] == SIDES[side] else "b_to_a"] for stream in analysis(name)["rdma"]["streams"]]


def total(name, side, *path):
    def of(direction):
        for key in path:
            if direction[key] is None:  # of who sends nothing on an unreliable connection nothing is known
                return 0
            direction = direction[key]
        return direction
    return sum(of(direction) for direction in sent_by(name, side))


def pairs(names):
    return [(name, side, other) for name in names for side, other in ("AB", "BA")]


@pytest.mark.parametrize("name,sender,receiver", pairs(KERNELS))
def test_packets(name, sender, receiver):
    counted = counters(name, sender, "sent_pkts") if behind_tap(name) else counters(name, receiver, "rcvd_pkts")
    assert total(name, sender, "packets") == counted


@pytest.mark.parametrize("name,requester,responder", pairs(KERNELS + WITH_CM))
def test_duplicates(name, requester, responder):
    told, counted = total(name, requester, "duplicate_requests"), counters(name, responder, "duplicate_request")
    assert told <= counted if name in FEWER_DUPLICATES else told == counted


@pytest.mark.parametrize("name,requester,responder", pairs(KERNELS + WITH_CM))
def test_refusals(name, requester, responder):
    naks = total(name, requester, "naks")
    # The requester counts only those that take it forward.
    assert counters(name, requester, "rcvd_seq_err") <= naks <= counters(name, responder, "out_of_seq_request")
    rnr_naks = total(name, requester, "rnr_naks")
    assert rnr_naks == counters(name, requester, "rcvd_rnr_err") == counters(name, responder, "send_rnr_err")


@pytest.mark.parametrize("name,sender,receiver", pairs(KERNELS + WITH_CM))
def test_losses(name, sender, receiver):
    told = total(name, sender, "lost")
    lost = counters(name, sender, "sent_pkts") - counters(name, receiver, "rcvd_pkts")
    assert told == lost if name in ALL_LOSSES else told <= lost


@pytest.mark.parametrize("name,sender,receiver", pairs(KERNELS + WITH_CM))
def test_place_of_losses(name, sender, receiver):
    netem = re.search(rf"netem on {sender}: ([^;\n]*)", truth(name))[1]
    dropped = re.search(rf"dropped behind the tap:.*at {receiver} ([^,\n]*)", truth(name))[1]
    if "loss" not in netem:
        assert total(name, sender, "lost_before") == 0
    if dropped == "none":
        assert total(name, sender, "lost_behind") == 0


@pytest.mark.parametrize("name,requester,responder", pairs(KERNELS + WITH_CM))
def test_retries(name, requester, responder):
    again = {cause: total(name, requester, "retransmitted", cause) for cause in ("packets", "nak", "timeout", "rnr", "implied")}
    if counters(name, requester, "completer_retry_err") == 0 and total(name, requester, "bytes") != 0:
        assert again["packets"] == 0
    assert total(name, requester, "timeouts") <= counters(name, requester, "completer_retry_err")
    known = again["nak"] + again["timeout"] + again["rnr"] + again["implied"]
    assert known == again["packets"] if name in CAUSES_KNOWN else known <= again["packets"]


def perftest(name):
    """What it was told: kind, operations, bytes of each, sides that ask."""
    tool, options = re.search(r"^client on A: ib_(\w+)_\w+ (.*)$", truth(name), re.MULTILINE).groups()
    option = lambda letter, default: int((re.findall(rf"-{letter} (\d+)", options) or [default])[0])
    return tool, option("n", 0) * option("q", 1), option("s", 8), "AB" if " -b" in options else "A"


@pytest.mark.parametrize("name", KERNELS)
def test_operations(name):
    kind, count, size, sides = perftest(name)
    for side in sides:
        assert total(name, side, "operations", kind, "count") == count
        told = total(name, side, "operations", kind, "bytes")
        # Of an unreliable connection nothing comes again.
        assert told == count * size if name != "roce_uc_loss" else 0.9 * count * size < told < count * size
        assert total(name, side, "bytes") == told
    own = re.split("^server on B", truth(name), flags=re.MULTILINE)[0]
    assert len(analysis(name)["rdma"]["streams"]) == len(re.findall("^ local address:", own, re.MULTILINE))


def test_operations_of_rping():
    name = "rdmacm_lossy_rping"  # 30 times 3,000 bytes: the server READs and WRITEs what the client offers by SENDs of 16
    assert (total(name, "B", "operations", "read", "bytes"), total(name, "B", "operations", "write", "bytes")) == (90000, 90000)
    assert (total(name, "B", "operations", "read", "count"), total(name, "B", "operations", "write", "count")) == (30, 30)
    for side in "AB":
        assert (total(name, side, "operations", "send", "count"), total(name, side, "operations", "send", "bytes")) == (60, 960)


def test_operations_of_rsocket():
    for side in "AB":  # 3 times 8 times 2,000 bytes each way, and 32 for credits
        assert total("rdmacm_lossy_rsocket", side, "operations", "write", "bytes") == 3 * 8 * 2000 + 32


def test_operations_of_nvme():
    """The kernels count SENDs, among them those of the CM."""
    mads = {"A": 6, "B": 4}
    for side, other in ("AB", "BA"):
        assert total("rdmacm_nvme", side, "operations", "send", "count") == counters("rdmacm_nvme", side, "rdma_sends") - mads[side]
        assert total("rdmacm_nvme", side, "packets") == counters("rdmacm_nvme", other, "rcvd_pkts") - mads[side]
    # 32 KiB are written in the commands' own capsules, and read back by WRITEs of the target.
    assert total("rdmacm_nvme", "B", "operations", "write", "bytes") >= 32768


@pytest.mark.parametrize("name", KERNELS + WITH_CM + ["rdmacm_nvme"])
def test_counters_that_are_told_are_those_of_the_kernels(name, tmp_path):
    options = []
    for side, host in SIDES.items():
        (tmp_path / side).write_text(json.dumps([{"ifname": "rxe0", "port": 1, "rcvd_pkts": 0} | of_kernels(name)[side]]))
        options += ["--counters-of", f"{host}={tmp_path / side}"]
    told = {(c["host"], c["counter"]): c for c in analyze(sample(name), *options)["counters"]}
    assert {c["adapter"] for c in told.values()} == {"rxe"}
    assert {host for host, _ in told} == set(SIDES.values())
    # A packet of the CM is none of the counters' if it was sent before the first reading, or behind the last one.
    differs = [key for key, c in told.items() if not c["agrees"] and abs(c["read"] - c["expected"]) > (4 if name in WITH_CM else 0)]
    assert differs == []
    assert told[SIDES["A"], "sent_pkts"]["expected"] > 0


def test_what_counters_do_not_agree_with_is_told(tmp_path):
    (tmp_path / "before").write_text("link rxe0/1 sent_pkts 1000 rcvd_pkts 7")
    (tmp_path / "after").write_text("link rxe0/1 sent_pkts 1100 rcvd_pkts 49")
    of = f"192.0.2.10={tmp_path}/before,{tmp_path}/after"
    text = fabricscope("analyze", sample("roce_write_loss"), "--counters-of", of).decode()
    assert re.search(r"sent_pkts +at least 327 +100 +differs\n +rcvd_pkts +at most 42 +42\n", text), text
    assert "What differs was counted before, behind or beside the capture" in text
    assert re.search(r"192.0.2.20 +rxe +sent_pkts +at least 42 +-\n", text), text


def test_counters_only_where_they_are_asked_for():
    assert "counters" not in analysis("roce_write_loss")
    counters = analyze(sample("roce_write_loss"), "--counters")["counters"]
    assert {c["adapter"] for c in counters} == {"rxe", "mlx5"} and {c["read"] for c in counters} == {None}


@pytest.mark.parametrize("value,words", [
    ("192.0.2.10", "HOST=FILE or HOST=BEFORE,AFTER is expected"),
    ("192.0.2.10=", "HOST=FILE"),
    ("192.0.2.10=/no/such", "/no/such: cannot be read"),
    ("192.0.2.10=/dev/null", "/dev/null: holds no counters"),
    ("192.0.2.10={0}/after,{0}/before", "a counter went down"),
])
def test_files_that_are_no_counters(value, words, tmp_path):
    (tmp_path / "before").write_text("sent_pkts 1")
    (tmp_path / "after").write_text("sent_pkts 2")
    done = subprocess.run([PROGRAM, "analyze", sample("roce_write_loss"), "--counters-of", value.format(tmp_path)],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr


@pytest.mark.parametrize("name", KERNELS + WITH_CM + ["rdmacm_nvme"])
def test_no_rule_is_broken(name):
    assert analysis(name)["findings"] == []
