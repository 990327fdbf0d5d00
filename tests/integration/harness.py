# SPDX-License-Identifier: GPL-2.0-or-later
"""What the integration tests share: the built program, tshark with the built plugins, the samples."""

import json
import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path

from started import SECONDS, Started

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FABRICSCOPE_BUILD", ROOT / "build/release"))

_home = tempfile.TemporaryDirectory(prefix="wireshark-home-")
os.chmod(_home.name, 0o755)


def _wireshark_data():
    """Wireshark's data without the dictionaries of makers and of protocols that no test looks at.

    To read them takes half the time in which tshark starts, and the tests start it two thousand times.
    """
    unread = {"enterprises.tsv", "manuf", "services", "diameter", "radius", "tpncp", "wimaxasncp"}
    folder = Path(_home.name, "wireshark-data")
    folder.mkdir()
    for path in Path("/usr/share/wireshark").iterdir():
        if path.name not in unread:
            (folder / path.name).symlink_to(path)
    return folder


_data = _wireshark_data()


def sample(name):
    """The path of samples/real/NAME.pcap or .pcapng."""
    (path,) = [p for p in ROOT.glob(f"samples/real/{name}.*") if p.suffix in (".pcap", ".pcapng")]
    return path


def samples(pattern="*"):
    """The names of the samples that match."""
    return sorted(p.name.removesuffix(".truth.txt") for p in ROOT.glob(f"samples/real/{pattern}.truth.txt"))


def truth(name):
    """What the applications of a sample, or of the capture of that path, reported, one dict each: role, conn, sent, sent_sha256,
    received, ..."""
    text = (name.with_suffix(".truth.txt") if isinstance(name, Path) else ROOT / f"samples/real/{name}.truth.txt").read_text()
    return [json.loads(line) for line in re.findall(r'^\{"role": .*\}$', text, re.MULTILINE)]


def run(command, *, status=(0,), stdin=None, env=None):
    """Run it, insist on its exit status, return what it wrote to standard output (bytes)."""
    done = subprocess.run([str(word) for word in command], input=stdin, env=env, capture_output=True, timeout=300)
    return output_of(command, status, done.returncode, done.stdout, done.stderr)


def output_of(command, expected, status, output, errors):
    assert status in expected, f"exit status {status} of: {' '.join(map(str, command))}\n{errors.decode(errors='replace')}"
    return output


def shifted(capture, seconds, out):
    """The capture, so much later."""
    run(["editcap", "-t", str(seconds), capture, out])
    return out


def open_to_all(folder):
    """Lets whoever the programs run as read and write what is in a test's own folder, and find the way to it."""
    run(["chmod", "a+rwX", *folder.parents[:2]])  # not what other tests have beside it: they make and remove it meanwhile
    run(["chmod", "-R", "a+rwX", folder])


def attempt(*arguments, **options):
    """Run the program, however it ends. `options`: of started_program()."""
    return subprocess.CompletedProcess(arguments, *started_program([BUILD / "bin/fabricscope"], arguments, **options))


def fabricscope(*arguments, status=(0, 1), stdin=None):
    """Run the program; exit status 1 says that there are findings, so it is no failure unless the test says so."""
    done = attempt(*arguments, stdin=stdin)
    return output_of(["fabricscope", *arguments], status, done.returncode, done.stdout, done.stderr)


def analyze(*arguments):
    """`fabricscope analyze --json`, parsed."""
    return json.loads(fabricscope("analyze", *arguments, "--json"))


def home_environment(build=BUILD):
    """For Wireshark's programs: nobody's preferences; no plugin but ours; a bug of a dissector ends them."""
    return {**os.environ, "FABRICSCOPE_WIRESHARK_PLUGINS": str(build / "wireshark-plugins"), "HOME": _home.name,
            "XDG_CONFIG_HOME": _home.name, "WIRESHARK_DATA_DIR": str(_data), "WIRESHARK_ABORT_ON_DISSECTOR_BUG": "1"}


_started = {}  # programs, by thread, command and environment
WITHOUT_PLUGIN = {"FABRICSCOPE_WIRESHARK_PLUGINS": f"{_home.name}/no-plugins"}


def started_program(command, arguments, *, env=None, stdin=None, folder=None, seconds=SECONDS, build=BUILD):
    """What the command does with these arguments: its exit status, what it wrote to standard output, and its errors. It is started
    once for all of them, where that can be done."""
    env = {name: value for name, value in (env or os.environ).items() if name != "PYTEST_CURRENT_TEST"}
    library = build / "lib/started.so"
    if not library.exists():
        done = subprocess.run(
            [*command, *map(str, arguments)], input=stdin, env=env, cwd=folder, capture_output=True, timeout=seconds, check=False)
        return done.returncode, done.stdout, done.stderr
    key = threading.get_ident(), *command, *sorted(env.items())
    if key not in _started:
        _started[key] = Started(command, env, library)
    return _started[key].run(arguments, stdin, folder, seconds)


def wireshark_program(program, *arguments, env=None, stdin=None, build=BUILD):
    """tshark or sharkd with the plugins: its exit status, what it wrote to standard output, and its errors. `env`: beside
    home_environment()."""
    return started_program(
        [build / "with-plugins", program], arguments, env={**home_environment(build), **(env or {})}, stdin=stdin, build=build)


def with_plugins(program, *arguments, **options):
    """What it writes to standard output; it has to end well."""
    return output_of([program, *arguments], (0,), *wireshark_program(program, *arguments, **options))


def tshark(*arguments, stdin=None):
    """tshark with the plugins and nobody's preferences; its standard output as text."""
    return with_plugins("tshark", *arguments, stdin=stdin).decode()


def followed(capture, number, *options):
    """Both directions as tshark's raw format has them: hexadecimal, the server's indented."""
    text = tshark(*options, "-q", "-r", capture, "-z", f"follow,smcr,raw,{number}")
    octets = {"client": b"", "server": b""}
    for line in re.findall(r"^\t?[0-9a-f]+$", text, re.MULTILINE):
        octets["server" if line.startswith("\t") else "client"] += bytes.fromhex(line.strip())
    return octets, text


def two_passes(*arguments):
    """The lines of tshark -2, as those of one pass: Wireshark's own TCP, from 4.2 on, adds where a PDU is put together."""
    return re.sub(r" \[TCP PDU reassembled in \d+\]", "", tshark(*arguments, "-2")).splitlines()


def without_plugin(*arguments):
    """The same tshark, started in the same way, without any of our plugins."""
    return with_plugins("tshark", *arguments, env=WITHOUT_PLUGIN).decode()


def sharkd_answers(calls, build=BUILD):
    """What sharkd answers to these requests (method, parameters), one after the other: the request's place and the result.

    What it refuses has none.
    """
    text = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n"
        for number, (method, parameters) in enumerate(calls, 1))  # it refuses 0
    answers = with_plugins("sharkd", "-", stdin=text.encode(), build=build).decode()
    for answer in (json.loads(line) for line in answers.splitlines() if line.startswith("{")):
        if "result" in answer:
            yield answer["id"] - 1, answer["result"]


def sharkd_session(calls):
    """What sharkd answers to each of these requests; None if it refuses."""
    results = dict(sharkd_answers(calls))
    return [results.get(place) for place in range(len(calls))]


def sharkd(capture, *requests):
    """What sharkd answers to these requests (method, parameters) once it has loaded the capture."""
    _, *results = sharkd_session([("load", {"file": str(capture)}), *requests])
    assert None not in results, requests
    for result in results:
        if isinstance(result, dict):
            result.pop("followers", None)  # sharkd 4.4 sets no number for TCP's streams
    return results


def frame_lists(captures, display_filter, columns, preferences):
    """Of each capture what sharkd's `frames` says of those that pass the filter. One sharkd for all: to start Wireshark takes
    longer than to read a capture."""
    settings = [("setconf", {"name": name, "value": value}) for name, value in preferences]
    # sharkd 4.0 remembers what a filter's text has found, and does not forget it with the capture.
    filters = [display_filter + " " * number for number in range(len(captures))]
    calls = [call for capture, text in zip(captures, filters, strict=True)
             for call in (("load", {"file": str(capture)}), ("frames", {"filter": text, **columns}))]
    results = sharkd_session([*settings, *calls])[len(settings):]
    assert all(loaded == {"status": "OK"} for loaded in results[::2])
    return results[1::2]


def frames_of_all(captures, display_filter="frame", preferences=()):
    """Of each capture the numbers of the frames that pass the filter."""
    return [[frame["num"] for frame in frames] for frames in frame_lists(captures, display_filter, {}, preferences)]


def fields_of_all(captures, *names, display_filter="frame", preferences=()):
    """What `fields` says of each capture with -2. No value may have a comma, unless NAME:N asks for the Nth value alone."""
    asked = {f"column{number}": name if ":" in name else f"{name}:0" for number, name in enumerate(names)}

    def row(frame):
        values = zip(names, frame["c"], strict=True)
        return {"frame": frame["num"], **{
            name: ([value] if ":" in name else value.split(",")) if value else [] for name, value in values}}

    return [[row(frame) for frame in frames] for frames in frame_lists(captures, display_filter, asked, preferences)]


def fields(capture, *names, display_filter="", options=()):
    """One dict per frame that passes the filter: field name to list of values."""
    separator, aggregator = "\t", "\x1f"
    arguments = ["-r", capture, "-T", "fields", "-E", f"separator={separator}", "-E", f"aggregator={aggregator}", *options]
    if display_filter:
        arguments += ["-Y", display_filter]
    for name in names:
        arguments += ["-e", name]
    rows = []
    flags = {"True": "1", "False": "0"}  # as tshark says from 4.2 on
    for line in tshark(*arguments).splitlines():
        values = [[flags.get(one, one) for one in value.split(aggregator)] if value else [] for value in line.split(separator)]
        rows.append(dict(zip(names, values, strict=True)))
    return rows
