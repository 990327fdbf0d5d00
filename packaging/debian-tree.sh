# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian in a folder, for scripts that source this. Runs as root.

# in_tree TREE COMMAND...: in the tree, with nothing of the environment but apt's proxy
in_tree() {
    local tree=$1
    shift
    # Programs look for themselves in /proc. It is gone with the command.
    # shellcheck disable=SC2016
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$@"' "$tree" "$tree" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} "$@"
}

# make_tree TREE SUITE [PACKAGE...]: if it is not there; removing it starts afresh. PACKAGEs that it lacks are installed.
make_tree() {
    local tree=$1 suite=$2 mirror
    shift 2
    eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    export http_proxy=${http_proxy:-}
    if [ ! -e "$tree/made" ]; then
        # From where this machine gets its own packages.
        # shellcheck disable=SC2016
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
        rm -rf --one-file-system "$tree"
        debootstrap --variant=minbase "$suite" "$tree" "$mirror"
    elif [ "$(cat "$tree/made")" != "$*" ]; then
        in_tree "$tree" apt-get update -q
    fi
    [ $# -eq 0 ] || in_tree "$tree" apt-get install -q -y --no-install-recommends "$@"
    echo "$*" >"$tree/made"
}

# configure TREE: /src, to be built in /build
configure() {
    in_tree "$1" cmake -S /src -B /build -G Ninja -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
}

# copy_sources TREE: what git knows of the project, to /src
copy_sources() {
    rm -rf "$1/src"
    mkdir "$1/src"
    git ls-files -z --cached --others --exclude-standard --deduplicate |
        tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory="$1/src" --no-same-owner
}
