# SPDX-License-Identifier: GPL-2.0-or-later
"""A root of its own for this run's temporary folders, which `open_to_all` can open to other users.

By default all runs share /tmp/pytest-of-USER, and each closes it to others when it begins: tests that have given up their
privileges would lose the way to their files.
"""
import os
import shutil
import tempfile

ROOT = "PYTEST_DEBUG_TEMPROOT"  # what pytest calls it


def pytest_configure():
    root = tempfile.mkdtemp(prefix="fabricscope-", dir=os.environ.get(ROOT))
    os.chmod(root, 0o755)
    os.environ[ROOT] = root


def pytest_sessionfinish(exitstatus):
    """What failed can be looked at."""
    if exitstatus == 0:
        shutil.rmtree(os.environ[ROOT], ignore_errors=True)
