#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# try.sh SUITE FOLDER [PACKAGE...]: install, use and remove the packages in FOLDER in a clean Debian SUITE, below build/.
# With PACKAGEs, which the build needs, they are built there first, and FOLDER is filled. Runs as root.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian-tree.sh

suite=$1 folder=$2
shift 2
clean=build/packages-$suite
building=build/debian-$suite

here() { in_tree "$clean" "$@"; }

step() { printf '\n== %s\n' "$*"; }

if [ $# -gt 0 ]; then
    step "build on $suite"
    make_tree "$building" "$suite" "$@"
    copy_sources "$building"
    configure "$building"
    in_tree "$building" cmake --build /build --target \
        fabricscope plugins fabricscope-extcap fabricscope_vipl fabricscope-viewer documentation
    in_tree "$building" cpack --config /build/CPackConfig.cmake
    in_tree "$building" sh -c 'lintian --allow-root --fail-on error /build/packages/*.deb'
    mkdir -p "$folder"
    cp "$building"/build/packages/*.deb "$folder"
fi

step "a clean $suite"
rm -rf --one-file-system "$clean"
make_tree "$clean" "$suite"
mkdir "$clean/packages"
cp "$folder"/*.deb "$clean/packages"
before=$(here dpkg-query -W)

step "install"
# Packages that ours need, and none that they recommend; tshark, as somebody who has the plugin has it.
here sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends /packages/*.deb tshark gcc libc6-dev pkg-config'

step "use"
html=/usr/share/doc/fabricscope-doc/html
here fabricscope --version
here fabricscope analyze "$html/samples/real/smcr_v2_echo.pcap" || [ $? -eq 1 ]
here fabricscope analyze "$html/samples/synth/rc_rnr.pcapng" | grep 'RDMA-O-receiver-not-ready'
here tshark -G plugins | grep '^fabricscope\.so'
here tshark -r "$html/samples/real/smcr_v2_echo.pcap" -Y smcr.cdc | grep 'CDC' | head -n 3
here fabricscope-viewer --version
here fabricscope-cluster --help | grep -q scheduler
for page in man1/fabricscope.1 man1/fabricscope-cluster.1 man1/fabricscope-viewer.1 man3/libfabricscope-vipl.3; do
    here test -s "/usr/share/man/$page.gz"
done
here test -s "$html/docs/wireshark.html"
here sh -c "cc -std=c99 $html/samples/vipl/pingpong.c $html/samples/vipl/endpoint.c \$(pkg-config --cflags --libs fabricscope-vipl) -o /pingpong"
here /pingpong emulated:fcvi_send_rd 192.0.2.20 10 1000 fabricscope/echo

step "remove"
ours=$(for package in "$clean"/packages/*.deb; do dpkg-deb -f "$package" Package; done)
# shellcheck disable=SC2086
here apt-get purge -q -y $ours
left=$(find "$clean"/{etc,usr,var} -name '*fabricscope*' -not -path '*/var/cache/*' -not -path '*/var/log/*')
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
# What others only recommend or suggest (apt: ca-certificates, libc6: libidn2-0) goes, too, if it came with ours.
here apt-get autoremove -q -y --purge -o APT::AutoRemove::RecommendsImportant=false \
    -o APT::AutoRemove::SuggestsImportant=false tshark gcc libc6-dev pkg-config >/dev/null
after=$(here dpkg-query -W)
[ "$before" = "$after" ] || { diff <(echo "$before") <(echo "$after") >&2; exit 1; }
step "as before on $suite"
