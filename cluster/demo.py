#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster of three workers and a PostgreSQL server on this machine analyse all samples; findings are those of one analyze.

usage: demo.py BUILD
"""

import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg2
from local_cluster import Cluster, PostgreSQL

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PARTS = 6
COLUMNS = "rule, session, text"


def line_of(row):
    return "\t".join(value or "-" for value in row)


def findings_of_one_analyze(program, captures, folder):
    database = folder / "one.sqlite"
    subprocess.run([program, "analyze", *captures, "--sqlite", database], stderr=subprocess.DEVNULL, check=False)
    return [line_of(row) for row in sqlite3.connect(database).execute(f"SELECT {COLUMNS} FROM findings ORDER BY id")]


def findings_of_the_cluster(destination):
    with psycopg2.connect(destination) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM fabricscope.findings ORDER BY id")
        return [line_of(row) for row in cursor.fetchall()]


def main():
    program = Path(sys.argv[1]).resolve() / "bin/fabricscope"
    # Captures that are years apart are not analyzed together.
    captures = sorted(path for path in ROOT.glob("samples/*/*.pcap*") if path.parent.name in ("fcvi", "fc_ae_rdma"))
    with tempfile.TemporaryDirectory(prefix="fabricscope-cluster-") as name:
        folder = Path(name)
        with Cluster(folder / "dask", workers=3) as cluster, PostgreSQL() as server:
            done = subprocess.run(
                [HERE / "fabricscope-cluster", "--scheduler", cluster.address, "--folder", folder / "shared", "--into", str(PARTS),
                 "--program", program, "--postgresql", server.destination, *captures], check=False)
            if done.returncode not in (0, 1, 3):
                return done.returncode
            found = findings_of_the_cluster(server.destination)
        print("\n".join(found))
        same = found == findings_of_one_analyze(program, captures, folder)
    print(f"\n{len(found)} findings in {len(captures)} captures, {PARTS} parts: "
          f"{'the same' if same else 'OTHERS'} as those of one analyze", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
