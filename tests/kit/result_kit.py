# SPDX-License-Identifier: GPL-3.0-or-later
"""Result folders from outside, with Python's standard library only: state.nc, and runs that are killed."""

import os
import random
import signal
import stat
import struct
import subprocess
import threading
import time
from pathlib import Path

SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8}  # bytes of NetCDF's types
CODES = {3: "h", 4: "i", 5: "f", 6: "d"}


def full_device(test, path):
    """A device that takes nothing, at `path`; without the right to make one, the test is left out."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        test.skipTest("no device can be made here")


class States:
    """A NetCDF file of the classic format (CDF-1, CDF-2), as its specification has it.

    counted: records in the header; dimensions: name -> length; attributes: name -> value; variables:
    name -> (dimensions, type, place in the file)."""

    def __init__(self, file):
        self.data = Path(file).read_bytes()
        if len(self.data) < 8 or self.data[:3] != b"CDF" or self.data[3] not in (1, 2):
            raise ValueError(f"{file} is no NetCDF file of the classic format")
        self.at = 4
        self.counted = self.take("I")
        names = []
        self.dimensions = {}
        for _ in range(self.items()):
            names.append(self.text())
            self.dimensions[names[-1]] = self.take("I")
        self.attributes = self.read_attributes()
        self.variables = {}
        for _ in range(self.items()):
            name = self.text()
            over = [names[self.take("I")] for _ in range(self.take("I"))]
            self.read_attributes()
            kind = self.take("I")
            self.take("I")
            self.variables[name] = (over, kind, self.take("Q" if self.data[3] == 2 else "I"))
        records = [self.bytes_of(name) for name in self.variables if self.is_record(name)]
        self.record = sum(records)
        self.head = min(place for name, (_, _, place) in self.variables.items() if self.is_record(name))

    def take(self, code):
        value, = struct.unpack_from(">" + code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def items(self):
        self.take("I")
        return self.take("I")

    def bytes(self, size):
        value = self.data[self.at:self.at + size]
        self.at += (size + 3) // 4 * 4
        return value

    def text(self):
        return self.bytes(self.take("I")).decode()

    def read_attributes(self):
        found = {}
        for _ in range(self.items()):
            name = self.text()
            kind = self.take("I")
            count = self.take("I")
            value = self.bytes(count * SIZES[kind])
            found[name] = value.decode() if kind == 2 else struct.unpack(f">{count}{CODES[kind]}", value)
        return found

    def is_record(self, name):
        over = self.variables[name][0]
        return bool(over) and self.dimensions[over[0]] == 0

    def count(self, name):
        """Numbers of a variable, or of its part of a record."""
        over, _, _ = self.variables[name]
        product = 1
        for dimension in over[1 if self.is_record(name) else 0:]:
            product *= self.dimensions[dimension]
        return product

    def bytes_of(self, name):
        return (self.count(name) * SIZES[self.variables[name][1]] + 3) // 4 * 4

    def numbers(self, name, record=0):
        """Values of a variable, or of one of its records."""
        _, kind, place = self.variables[name]
        return struct.unpack_from(f">{self.count(name)}{CODES[kind]}", self.data,
                                  place + record * self.record * self.is_record(name))

    def texts(self, name):
        over, _, place = self.variables[name]
        length = self.dimensions[over[1]]
        return [self.data[place + i * length:place + (i + 1) * length].rstrip(b"\0").decode()
                for i in range(self.dimensions[over[0]])]

    def records(self):
        """The bytes of the records that the header counts, all of which must be there."""
        end = self.head + self.counted * self.record
        assert len(self.data) >= end, "the header counts records that are not there"
        return self.data[self.head:end]


def whole_rows(file):
    """The bytes of a CSV file up to the end of its last whole row."""
    content = Path(file).read_bytes()
    return content[:content.rfind(b"\n") + 1]


def killed(command, ready, least, most, count, seed=1):
    """Run `command` `count` times and kill it (SIGKILL) between `least` and `most` s after the file `ready` is
    there, in an empty folder at first.  Yields, with the folder as it was left, the time of each kill (time.monotonic) and what was
    on stderr up to there: pairs of time and line."""
    moment = random.Random(seed)
    for _ in range(count):
        for file in Path(ready).parent.glob("*"):
            file.unlink()
        lines = []
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            listener = threading.Thread(
                target=lambda: lines.extend((time.monotonic(), line) for line in process.stderr))
            listener.start()
            patience = time.monotonic() + 60
            while not Path(ready).exists() and process.poll() is None and time.monotonic() < patience:
                time.sleep(0.001)
            time.sleep(moment.uniform(least, most))
            at = time.monotonic()
            process.send_signal(signal.SIGKILL)
            code = process.wait()
            listener.join()
        assert code == -signal.SIGKILL, f"it ended by itself: {code} {lines}"
        yield at, lines
