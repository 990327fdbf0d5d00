# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples in which something unusual happens: test_cli_cases.py says what, so that what holds for all others need not hold for them."""

CASES = {
    "smcr_fallback_plain_server",
    "smcr_v2_asymmetric",
    "smcr_v2_close",
    "smcr_v2_lgr_netdev_down",
    "smcr_v2_midstream",
    "smcr_v2_peer_frozen",
    "smcr_v2_urgent_inline",
    "smcr_v2_urgent_stall",
}
