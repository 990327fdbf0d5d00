# SPDX-License-Identifier: GPL-2.0-or-later
"""A screen that only one test sees, hands on its keyboard and mouse, and eyes that read it."""

import contextlib
import csv
import os
import re
import subprocess
import time

WIDTH, HEIGHT = 1600, 1000
SECONDS = 200  # for whatever a busy machine has to do


def wait_for(what, condition):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.3)
    raise AssertionError(f"{what} does not come within {SECONDS} s")


@contextlib.contextmanager
def stopping(process):
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)


class Screen:
    """A screen that runs already."""

    def __init__(self, display):
        self.environment = {**os.environ, "DISPLAY": display, "OMP_THREAD_LIMIT": "1"}
        self.last_read = (), b"", ""

    def run(self, *command, **options):
        done = subprocess.run(command, env=self.environment, capture_output=True, timeout=SECONDS, check=False, **options)
        return done.stdout

    def windows(self, title):
        return self.run("xdotool", "search", "--onlyvisible", "--name", title).split()

    def keys(self, *keys):
        for key in keys:
            self.run("xdotool", "key", key)
            time.sleep(0.5)

    def click(self, x, y):
        self.run("xdotool", "mousemove", str(x), str(y), "click", "1")
        time.sleep(0.5)

    def pixels(self):
        return self.run("import", "-silent", "-window", "root", "-depth", "8", "rgb:-")

    def settled(self):
        """The picture, once it has stopped to change."""
        pictures = [b""]

        def same():
            pictures.append(self.pixels())
            time.sleep(0.7)
            return pictures[-1] if pictures[-1] == pictures[-2] else None

        return wait_for("a picture that stays", same)

    def read(self, *options):
        """What tesseract makes of the screen; it is not read again as long as it stays the same."""
        pixels = self.settled()
        if (options, pixels) == self.last_read[:2]:
            return self.last_read[2]
        gray = self.run(
            "import", "-silent", "-window", "root", "-colorspace", "gray", "-resize", "200%", "-depth", "8", "gray:-")
        # Whatever colour a line has, dark letters on white are read best.
        contrast = bytes(255 if value > 140 else value for value in range(256))
        picture = f"P5 {2 * WIDTH} {2 * HEIGHT} 255\n".encode() + gray.translate(contrast)
        text = self.run("tesseract", "-", "-", "--psm", "11", *options, input=picture).decode()
        self.last_read = options, pixels, text
        return text

    def text(self):
        """What stands on the screen, as far as it can be read."""
        return self.read()

    def shows(self, *words):
        """Waits until all of these stand on the screen, words or regular expressions, and returns what does."""

        def text_with_all():
            text = self.text()
            return all(re.search(word, text) if isinstance(word, re.Pattern) else word in text for word in words) and text

        return wait_for(f"{words} on the screen", text_with_all)

    def places_of(self, *texts):
        """Where these words stand, each to be given to click()."""
        rows = list(csv.DictReader(self.read("tsv").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
        rows = [row for row in rows if row["text"].strip()]
        places = []
        for text in texts:
            words = text.split()
            starts = [i for i in range(len(rows)) if [row["text"] for row in rows[i : i + len(words)]] == words]
            assert starts, f"{text} is not on the screen"
            left, top, width, height = (int(rows[starts[0]][key]) for key in ("left", "top", "width", "height"))
            places.append(((left + width // 2) // 2, (top + height // 2) // 2))  # it was read at twice its size
        return places

    def click_on(self, text):
        """Click where these words stand."""
        self.click(*self.places_of(text)[0])


@contextlib.contextmanager
def a_screen():
    """A screen with nothing on it, without a window manager; it stays as it is when the last program has left. A test that
    fails tells what was last read on it."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp", "-ac", "-noreset"],
        pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    with stopping(server), os.fdopen(read_end) as numbers:
        screen = Screen(f":{numbers.readline().strip()}")
        try:
            yield screen
        except AssertionError:
            print("The screen said:", *screen.last_read[2].split())
            raise
