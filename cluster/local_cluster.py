# SPDX-License-Identifier: GPL-2.0-or-later
"""A Dask cluster and a PostgreSQL server on this machine, for the demonstration and for tests."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

MOST_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    """Until somebody listens."""
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port}")


class Cluster:
    """A scheduler and workers of one thread each, as processes; a worker that ends is not started again."""

    def __init__(self, folder, workers):
        self.folder, self.count = Path(folder), workers
        self.address, self.scheduler, self.workers = None, None, []

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = self._start("scheduler", "dask-scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        wait_for(port)
        for _ in range(self.count):
            self.add_worker()
        return self

    def add_worker(self):
        number = len(self.workers) + 1
        self.workers.append(self._start(
            f"worker-{number}", "dask-worker", self.address, "--name", f"worker-{number}", "--nthreads", "1", "--no-nanny",
            "--no-dashboard", "--host", "127.0.0.1", "--memory-limit", "0", "--local-directory", str(self.folder)))

    def _start(self, name, *command):
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def __exit__(self, *_):
        for process in [*self.workers, self.scheduler]:
            process.terminate()
        for process in [*self.workers, self.scheduler]:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class PostgreSQL:
    """A server of its own. It does not run as root: user postgres has the folder of its data then, and must get at it, which it would not in a folder of root's."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="fabricscope-postgresql-")
        self.folder, self.port = Path(self.temporary.name), free_port()
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        self.destination = f"host=127.0.0.1 port={self.port} user=fabricscope dbname=postgres"

    def _run(self, program, *arguments):
        subprocess.run([*self.as_user, self.programs / program, *arguments], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd="/")

    def __enter__(self):
        if self.as_user:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-D", self.folder / "data", "-U", "fabricscope", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories='' -c fsync=off"
        self._run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-o", options, "start")
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")
        self.temporary.cleanup()
