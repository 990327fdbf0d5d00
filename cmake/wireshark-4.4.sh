#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wireshark-4.4.sh TREE PACKAGE...: build the plugin in a Debian 13 tree, whose Wireshark is 4.4, and have
# its tshark load them. Runs as root. TREE is made if it is not there; removing it starts afresh.
set -euo pipefail
cd "$(dirname "$0")/.."

tree=$1
shift

. packaging/debian-tree.sh

# show PROTOCOL SAMPLE: the protocol's own lines, of which there must be some
show() {
    echo
    in_tree "$tree" /build/with-plugins tshark -r "/src/samples/$2" -Y "$1" | grep . || {
        echo "tshark shows no $1 in samples/$2" >&2
        exit 1
    }
}

make_tree "$tree" trixie "$@"
copy_sources "$tree"

in_tree "$tree" cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF
in_tree "$tree" cmake --build /build --target plugins

echo
in_tree "$tree" tshark --version | head -n 1
loaded=$(in_tree "$tree" /build/with-plugins tshark -G plugins | grep '^fabricscope\.so') || {
    echo "tshark did not load the plugin" >&2
    exit 1
}
echo "$loaded"
show smcr real/smcr_v2_echo.pcap
show rdma_ip_cm real/rdmacm_reject_no_listener.pcap
show fcvi fcvi/client_server_iso.pcap
show fcaerdma fc_ae_rdma/beside_plain_fcp.fcoe.pcap
