#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wireshark.sh SUITE PACKAGE...: build the plugin with the Wireshark of a Debian SUITE, in a tree below build/, and run the
# plugin's tests there. Runs as root. The tree is made, with PACKAGEs, if it is not there; removing it starts afresh.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=$1
tree=build/debian-$suite
shift

. packaging/debian-tree.sh

make_tree "$tree" "$suite" "$@"
copy_sources "$tree"
in_tree "$tree" tshark --version | head -n 1
configure "$tree"
# With all that is refused, not only the first of it.
in_tree "$tree" cmake --build /build --target plugins fabricscope fabricscope-extcap fabricscope_vipl carry_fc edit_capture -- -k 0
in_tree "$tree" /build/with-plugins tshark -G plugins | grep '^fabricscope\.so'

# What stands on a screen is tried on this machine only.
mapfile -t tests < <(cd "$tree" && find src/tests/integration -name 'test_plugin_*.py' -not -name test_plugin_gui.py | sort)
in_tree "$tree" env FABRICSCOPE_BUILD=/build PYTHONDONTWRITEBYTECODE=1 \
    python3 -m pytest -q -p no:cacheprovider "${tests[@]/#//}"
