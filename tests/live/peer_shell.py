#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The shell of a suite's manifest, for a peer without ssh: runs a command on another guest, as long as the caller lives.

    peer_shell.py serve PORT             # on the peer
    peer_shell.py run HOST PORT COMMAND  # its output; ends with its exit status
"""

import os
import signal
import socket
import subprocess
import sys
import threading


def answer(connection):
    command = connection.makefile("r").readline()
    with subprocess.Popen(["/bin/sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        def watch():
            connection.recv(1)  # nothing more comes: the caller has gone
            os.killpg(process.pid, signal.SIGTERM)
        threading.Thread(target=watch, daemon=True).start()
        output = process.stdout.read()
        status = process.wait()
    try:
        connection.sendall(output + b"\n%d" % status)
    except OSError:
        pass
    connection.close()


def serve(port):
    listener = socket.create_server(("", port))
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def run(host, port, command):
    with socket.create_connection((host, port)) as connection:
        connection.sendall(command.replace("\n", " ").encode() + b"\n")
        text = connection.makefile("r").read()
    output, _, status = text.rpartition("\n")
    print(output)
    return int(status)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    sys.exit(run(sys.argv[2], int(sys.argv[3]), sys.argv[4]))
