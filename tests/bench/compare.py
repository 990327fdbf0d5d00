#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabricscope beside other readers of the same generated capture, in one run, taking turns."""

import argparse
import dataclasses
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

BUILD = pathlib.Path(__file__).parents[2] / "build/release"
FABRICSCOPE = str(BUILD / "bin/fabricscope")
WITH_PLUGINS = str(BUILD / "with-plugins")
os.environ["FABRICSCOPE_WIRESHARK_PLUGINS"] = str(BUILD / "wireshark-plugins")  # and none of Wireshark's own
FIELDS = ["-T", "fields", "-e", "frame.number", "-e", "ip.src", "-e", "infiniband.bth.psn"]


@dataclasses.dataclass
class Program:
    name: str
    command: list
    reference: str = ""  # the program that it is compared with
    aim: str = ""
    slow: bool = False
    seconds: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)
    rss: int = 0  # octets, at most

    def run(self):
        start = time.perf_counter()
        process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds.append(time.perf_counter() - start)
        self.cpu.append(usage.ru_utime + usage.ru_stime)
        self.rss = max(self.rss, usage.ru_maxrss * 1024)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(self.command)} ended with {process.returncode}")


def programs(capture):
    # The same program in the same surroundings, without our plugin; with it, all protocols are switched on.
    builtin = [WITH_PLUGINS, "env", "WIRESHARK_PLUGIN_DIR=/nonexistent", "tshark", "-r", capture]
    plugin = [WITH_PLUGINS, "tshark", "-r", capture]
    return [
        Program("libpcap loop", [str(BUILD / "bin/count_packets"), capture]),
        Program("fabricscope analyze without rdma",
                [FABRICSCOPE, "analyze", "--protocol", "smcr,rdma-cm,fcvi,fc-ae-rdma", "--json", "/dev/null", capture],
                "libpcap loop", "at most 1.3"),
        Program("tcpdump -w /dev/null", ["tcpdump", "-r", capture, "-w", "/dev/null"], "libpcap loop"),
        Program("fabricscope analyze --json", [FABRICSCOPE, "analyze", "--json", "/dev/null", capture],
                "fabricscope analyze without rdma", "at most 1.25"),
        Program("tshark", builtin, "fabricscope analyze --json", "at least 40", slow=True),
        Program("tshark with plugin", plugin, "tshark", "at most 1.05", slow=True),
        Program("tshark -T fields", builtin + FIELDS, slow=True),
        Program("tshark -T fields with plugin", plugin + FIELDS, "tshark -T fields", "at most 1.10", slow=True),
        Program("the same with a field of it", plugin + FIELDS + ["-e", "smcr.connection"], "tshark -T fields",
                "at most 1.10", slow=True),
    ]


def measure(all_programs, rounds, slow_rounds):
    """Whatever else the machine does hits all programs alike: they take turns."""
    for number in range(rounds):
        for program in all_programs:
            if not program.slow or number < slow_rounds:
                program.run()


def table(all_programs):
    rows = [["", "seconds: median", "min to max", "CPU: median", "min", "memory", "ratio of medians", "of CPU",
             "of memory", "aim"]]
    by_name = {program.name: program for program in all_programs}
    for program in all_programs:
        ratio = cpu_ratio = memory_ratio = ""
        if program.reference:
            reference = by_name[program.reference]
            ratio = f"{statistics.median(program.seconds) / statistics.median(reference.seconds):.2f}"
            cpu_ratio = f"{statistics.median(program.cpu) / statistics.median(reference.cpu):.2f}"
            memory_ratio = f"{program.rss / reference.rss:.2f}"
            ratio += f" x {program.reference}"
        rows.append([
            program.name, f"{statistics.median(program.seconds):.3f}",
            f"{min(program.seconds):.3f} to {max(program.seconds):.3f}", f"{statistics.median(program.cpu):.3f}",
            f"{min(program.cpu):.3f}", f"{program.rss / 1e6:.0f} MB", ratio, cpu_ratio, memory_ratio, program.aim])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def memory(folder, frames):
    """What analyze needs for more frames, and for more connections."""
    for count, connections in ((frames, 120), (4 * frames, 120), (frames, 1_000), (frames, 100_000)):
        capture = generate(folder, count, connections)
        program = Program("", [FABRICSCOPE, "analyze", "--json", "/dev/null", capture])
        program.run()
        print(f"{count:>9,} frames, {connections:>7,} connections: {program.rss / 1e6:.1f} MB, "
              f"{program.cpu[0]:.2f} s of CPU")
        os.unlink(capture)


def cm_storm(folder, handshakes):
    """RDMA CM handshakes, half of them never answered."""
    capture = f"{folder}/cm_storm.pcap"
    subprocess.run([BUILD / "bin/generate_hostile", "cm_storm", str(handshakes), capture], check=True)
    loop = Program("", [str(BUILD / "bin/count_packets"), capture])
    program = Program("", [FABRICSCOPE, "analyze", "--json", "/dev/null", capture])
    measure([loop, program], 5, 0)
    print(f"{handshakes:>9,} handshakes, {os.path.getsize(capture):,} octets: {program.rss / 1e6:.1f} MB, "
          f"{statistics.median(program.seconds):.2f} s; the libpcap loop {statistics.median(loop.seconds):.3f} s")
    os.unlink(capture)


def fibre_channel(folder, frames, rounds, slow_rounds):
    """FC-VI and FC-AE-RDMA over FCoE, beside the same readers."""
    capture = f"{folder}/fc.pcap"
    subprocess.run([BUILD / "bin/generate_fc", capture, "--carrier", "fcoe", "--frames", str(frames)], check=True,
                   stdout=subprocess.DEVNULL)
    builtin = [WITH_PLUGINS, "env", "WIRESHARK_PLUGIN_DIR=/nonexistent", "tshark", "-r", capture]
    all_programs = [
        Program("libpcap loop", [str(BUILD / "bin/count_packets"), capture]),
        Program("fabricscope analyze --json", [FABRICSCOPE, "analyze", "--json", "/dev/null", capture],
                "libpcap loop"),
        Program("tshark", builtin, "fabricscope analyze --json", slow=True),
        Program("tshark with plugin", [WITH_PLUGINS, "tshark", "-r", capture], "tshark", "at most 1.25, memory 1.3",
                slow=True)]
    measure(all_programs, rounds, slow_rounds)
    print(f"\n{frames:,} frames of Fibre Channel, {os.path.getsize(capture):,} octets")
    print(table(all_programs))
    os.unlink(capture)


def queue_pairs(folder, frames, rounds, slow_rounds):
    """RC traffic whose set-up was not captured; what following queue pairs costs beside everything else."""
    capture = f"{folder}/rc.pcap"
    subprocess.run([BUILD / "bin/generate_rc", capture, "--frames", str(frames)], check=True, stdout=subprocess.DEVNULL)
    plugin = [WITH_PLUGINS, "tshark", "-r", capture]
    all_programs = [
        Program("libpcap loop", [str(BUILD / "bin/count_packets"), capture]),
        Program("fabricscope analyze --json", [FABRICSCOPE, "analyze", "--json", "/dev/null", capture],
                "libpcap loop", "at most 2"),
        Program("tshark with plugin but rdma", plugin + ["--disable-protocol", "rdma"], slow=True),
        Program("tshark with plugin", plugin, "tshark with plugin but rdma", "at most 1.05", slow=True)]
    measure(all_programs, rounds, slow_rounds)
    print(f"\n{frames:,} frames of plain RC traffic, {os.path.getsize(capture):,} octets")
    print(table(all_programs))
    os.unlink(capture)


def generate(folder, frames, connections):
    capture = f"{folder}/{frames}-{connections}.pcap"
    subprocess.run([BUILD / "bin/generate_smcr", capture, "--frames", str(frames), "--connections", str(connections)],
                   check=True, stdout=subprocess.DEVNULL)
    return capture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000, help="RoCEv2 frames of the capture, at least")
    parser.add_argument("--connections", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tshark-rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # tshark reads as nobody
        capture = generate(folder, options.frames, options.connections)
        print(f"{capture}: {os.path.getsize(capture):,} octets; {options.rounds} rounds, tshark {options.tshark_rounds}")
        all_programs = programs(capture)
        all_programs[0].run()  # brings the file into memory
        all_programs[0].seconds.clear()
        all_programs[0].cpu.clear()
        measure(all_programs, options.rounds, options.tshark_rounds)
        print(table(all_programs))
        os.unlink(capture)
        print("\nMemory and time of fabricscope analyze --json:")
        memory(folder, options.frames)
        print("\nThe same of an RDMA CM storm:")
        for handshakes in (100_000, 1_000_000):
            cm_storm(folder, handshakes)
        queue_pairs(folder, options.frames, options.rounds, options.tshark_rounds)
        fibre_channel(folder, options.frames, options.rounds, options.tshark_rounds)


if __name__ == "__main__":
    main()
