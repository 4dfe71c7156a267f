#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs of studies beside their samples.

    bench/studies.py [-t build/src/cli/torsor] [-m 50] [-n 80] [-r 5]

1. Two processes: the wall time of a study of n samples of m milliseconds with one process and with two, in turn; and with two studies
   of half the samples each side by side, which share nothing: that is what two cores of this machine give at that moment.
2. Book-keeping: 10,000 samples of one step, less what a sample of itself costs (a run without rows, timed inside); memory of the
   process that hands them out; the size of its files.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

PENDULUM = {"torsor": 1, "gravity": [0, 0, -10], "parameters": {"k": 1, "steps": 1000},
            "bodies": [{"name": "rod", "type": "rigid_body", "mass": 2, "inertia": [0.2, 0.2, 0.002], "position": [0.5, 0, 0]}],
            "joints": [{"name": "hinge", "type": "revolute", "a": "ground", "b": {"body": "rod", "position": [-0.5, 0, 0]}, "axis": [0, 1, 0]}],
            "forces": [{"name": "spring", "type": "coordinate_spring", "coordinate": "hinge.angle", "stiffness": "k"}],
            "simulation": {"step": 1e-4, "duration": "1e-4*steps"}, "output": {"step": 1}}


def study(samples, steps, first=0.0):
    return {"torsor_study": 1, "scene": "scene.json", "set": {"parameters.steps": steps},
            "vary": {"k": {"path": "parameters.k", "from": first, "to": first + 1, "count": samples}}, "outputs": {"a": {"final": "hinge.angle"}}}


def begin(torsor, folder, name, jobs):
    return subprocess.Popen([torsor, "sweep", folder / f"{name}.json", "-o", folder / "out" / name, "--new", "-q", "-j", str(jobs)])


def wall(torsor, folder, jobs, *names):
    begun = time.perf_counter()
    for process in [begin(torsor, folder, name, jobs) for name in names]:
        assert process.wait() == 0
    return time.perf_counter() - begun


def write(folder, name, content):
    (folder / f"{name}.json").write_text(json.dumps(content))


def cpu_of(folder, name):
    return json.loads((folder / "out" / name / "summary.json").read_text())["cpu_seconds"]


def two_cores(torsor, folder, milliseconds, samples, repeats):
    write(folder, "probe", study(1, 20000))
    wall(torsor, folder, 1, "probe")
    steps = max(1, round(20000 * milliseconds / (1e3 * cpu_of(folder, "probe"))))
    write(folder, "all", study(samples, steps))
    write(folder, "left", study(samples // 2, steps))
    write(folder, "right", study(samples // 2, steps, 1))
    found = {"of one": [], "of apart": []}
    for _ in range(repeats):
        one, two, apart = wall(torsor, folder, 1, "all"), wall(torsor, folder, 2, "all"), wall(torsor, folder, 1, "left", "right")
        found["of one"].append(one / (2 * two))
        found["of apart"].append(apart / two)
    per_sample = 1e3 * cpu_of(folder, "all") / samples
    print(f"{samples} samples of {per_sample:.1f} ms, {repeats} times: two processes {statistics.median(found['of one']):.3f} "
          f"({min(found['of one']):.3f} to {max(found['of one']):.3f}) of twice as fast as one, {statistics.median(found['of apart']):.3f} "
          f"({min(found['of apart']):.3f} to {max(found['of apart']):.3f}) as fast as two studies apart")


def book_keeping(torsor, folder, samples):
    write(folder, "many", study(samples, 1))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall(torsor, folder, 1, "many")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(f.stat().st_size for f in (folder / "out/many").rglob("*") if f.is_file())
    print(f"{samples} samples: {1e6 * (used - cpu_of(folder, 'many')) / samples:.1f} us each beside {1e6 * cpu_of(folder, 'many') / samples:.0f} us of its own, "
          f"{size / samples:.0f} bytes of files each")
    done = subprocess.run([torsor, "sweep", folder / "many.json", "-o", folder / "out/many", "--resume", "-q", "-j", "1"], check=True)
    assert done.returncode == 0
    process = begin(torsor, folder, "many", 1)
    most = 0
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        most = max([most] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
        time.sleep(0.05)
    print(f"memory of the process that hands {samples} samples out: {most / 1024:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-t", "--torsor", default="build/src/cli/torsor")
    parser.add_argument("-m", "--milliseconds", type=float, default=50)
    parser.add_argument("-n", "--samples", type=int, default=80)
    parser.add_argument("-r", "--repeats", type=int, default=5)
    parser.add_argument("-b", "--book-keeping", type=int, default=10000)
    options = parser.parse_args()
    torsor = os.path.abspath(options.torsor)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write(folder, "scene", PENDULUM)
        two_cores(torsor, folder, options.milliseconds, options.samples, options.repeats)
        for samples in options.book_keeping // 10, options.book_keeping:
            book_keeping(torsor, folder, samples)


if __name__ == "__main__":
    main()
