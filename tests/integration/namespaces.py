# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces for tests that need hosts and wires between them. Need root."""

import contextlib
import os
import shutil
import subprocess


def why_not():
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    name = f"fstest{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode != 0:
        return "network namespaces are not permitted here"
    subprocess.run(["ip", "netns", "del", name], check=False)
    return None


REASON = why_not()


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def namespaces():
    """The names of two namespaces, which exist as long as the context."""
    names = [f"fs{role}{os.getpid()}" for role in ("a", "b")]
    try:
        for name in names:
            ip("netns", "add", name)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
