# SPDX-License-Identifier: GPL-2.0-or-later
"""fabricscope, tshark and sharkd, started once for all commands of a test run: tests/preloaded/started.c."""

import atexit
import contextlib
import os
import socket
import struct
import subprocess
import tempfile
import threading

MOST_ARGUMENTS = 200
SECONDS = 300


@contextlib.contextmanager
def piped(octets):
    """The end of a pipe from which these can be read; who does not read them all does no harm."""
    read_end, write_end = os.pipe()

    def write():
        with contextlib.suppress(BrokenPipeError), os.fdopen(write_end, "wb") as pipe:
            pipe.write(octets)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield read_end
    finally:
        os.close(read_end)
        writer.join()


class Started:
    """A program that has started with these variables, and from which each command goes on in a process of its own."""

    def __init__(self, command, environment, library):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(SECONDS)  # to start
        *before, program = command
        with theirs:
            self.process = subprocess.Popen(
                [*before, "env", f"LD_PRELOAD={library}", "LD_BIND_NOW=1", program, *["-"] * MOST_ARGUMENTS], stdin=theirs,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        atexit.register(self.end)
        if not self.socket.recv(1):
            raise OSError(self.process.stderr.read().decode(errors="replace"))

    def run(self, arguments, stdin=None, folder=None, seconds=SECONDS):
        """The exit status, standard output and standard error of a command; negative: the signal that ended it."""
        self.socket.settimeout(seconds)
        texts = [folder or os.getcwd(), *map(str, arguments)]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, piped(stdin or b"") as fed:
            socket.send_fds(
                self.socket, [b"".join(os.fsencode(text) + b"\0" for text in texts)], [fed, out.fileno(), errors.fileno()])
            status = self.socket.recv(struct.calcsize("i"))
            assert status, "what had been started has ended"
            out.seek(0)
            errors.seek(0)
            return os.waitstatus_to_exitcode(*struct.unpack("i", status)), out.read(), errors.read()

    def end(self):
        self.socket.close()
        self.process.wait(SECONDS)
        self.process.stderr.close()
