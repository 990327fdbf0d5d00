# SPDX-License-Identifier: GPL-2.0-or-later
"""What a Fibre Channel capture tells: its messages in order, and what came of them, without what its ports chose freely."""

import re

from harness import analyze, fields

#: Client and server of the samples, and of scenarios.
SIDES = {"01.02.03": "client", "04.05.06": "server", "01.01.00": "client", "01.02.00": "server"}

#: N_Port_IDs, addresses, handles, ids of connections and what Immediate Data say.
FREE = [
    (r" [\d.]+#\S+ → [\d.]+#\S+, handle 0x\w+,", ""),
    (r" (to|from) 0x\w+, handle 0x\w+", ""),
    (r"(immediate data) 0x\w+", r"\1"),
    (r" fcvi-(\d+)", r" \1"),
    (r" fc-ae-rdma-(\d+)", r" \1"),
]


def messages(capture):
    """(Exchange, who says what) of each frame, as the plugins have it."""
    names = ["fc.s_id", "fc.ox_id", "fc.fctl.exchange_responder", "_ws.col.Protocol", "_ws.col.Info", "fcels.rjt.reason",
             "fcels.rjt.detail"]
    result = []
    for row in fields(capture, *names, display_filter="fc"):
        (protocol,), (info,) = row["_ws.col.Protocol"], row["_ws.col.Info"]
        for pattern, replacement in FREE:
            info = re.sub(pattern, replacement, info)
        side = SIDES.get(row["fc.s_id"][0], "fabric")
        originated = row["fc.fctl.exchange_responder"][0] in ("0", "False")
        exchange = row["fc.ox_id"][0], side == "client" if originated else side != "client"
        result.append((exchange, " ".join([side, protocol, info, *row["fcels.rjt.reason"], *row["fcels.rjt.detail"]])))
    return result


def story(capture, *options, by_exchange=False):
    """Line by line who says what, and what `analyze` makes of it. Each port's own login with the Fabric is left out: at a host only
    one is seen. With `by_exchange` Exchanges come in the order in which they begin, each as a whole."""
    said = messages(capture)
    if by_exchange:
        begin = {exchange: place for place, (exchange, _) in reversed(list(enumerate(said)))}
        said.sort(key=lambda message: begin[message[0]])
    lines = [line for _, line in said if "FLOGI" not in line]
    result = analyze(capture, *options)
    lines.append("tells: " + (of_fcvi(result) or of_fc_ae_rdma(result)))
    return lines + [f"finds: {rule}" for rule in sorted({finding["rule"] for finding in result["findings"]})]


def of_fcvi(result):
    """What `analyze` tells: every connection with its Messages."""
    connections = []
    for c in result["fcvi"]["connections"]:
        text = c["outcome"]
        if c["outcome"] == "rejected":
            text += f" ({c['reject']['name']})"
        if c["close"] in ("half", "closed"):
            text += f", {c['close']}"
        told = [
            f"{m['from']} {m['operation']} {m['bytes']}" + ("" if m["state"] == "complete" else f" {m['state']}")
            for m in result["fcvi"]["messages"] if m["connection"] == c["id"]]
        connections.append(text + (": " + "; ".join(told) if told else ""))
    return " / ".join(connections)


def of_fc_ae_rdma(result):
    told = []
    for m in result["fc_ae_rdma"]["messages"]:
        text = f"{m['operation']} {m['bytes']}" + ("" if m["bytes"] == m["length"] else f" of {m['length']}")
        if m["status"]:
            text += f", {m['status_name'] or m['status']}"
        told.append(text)
    return "; ".join(told)
