# SPDX-License-Identifier: GPL-2.0-or-later
"""A root of its own for this run's temporary folders, which `open_to_all` can open to other users.

By default all runs share /tmp/pytest-of-USER, and each closes it to others when it begins: tests that have given up their
privileges would lose the way to their files. Whoever wants to look at what tests leave sets PYTEST_DEBUG_TEMPROOT.
"""
import os
import tempfile

ROOT = "PYTEST_DEBUG_TEMPROOT"  # what pytest calls it

if ROOT not in os.environ:
    _root = tempfile.TemporaryDirectory(prefix="fs-")
    os.chmod(_root.name, 0o755)
    os.environ[ROOT] = _root.name
