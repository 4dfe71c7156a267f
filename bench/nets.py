#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times and memory of large frames and nets.

usage: nets.py [NAME...]        $TORSOR names the command (default: torsor)

The cases are `frames` (equilibria of 1,950 to 10,560 beam elements in space), `loops` (set-up of nets of rods with 361 to 10,000
loops), `chains` (20,000 and 100,000 bodies on ball joints), `flat` (a net at a dead centre), `singular` (nodes that are singular
by themselves, blocks and KLU), `far` (a flat net far from its equilibrium) and `modes` (20 of a frame).  CPU times are printed
beside those of the small frame of the same run."""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TORSOR", "torsor")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "whole"))
from net_scenes import ball_chain, cantilever_net, rod_net, run, singular_net, space_frame  # noqa: E402


def row(name, size, time, memory, ratio, of):
    print(f"{name:<22}{size:>8}{time:>10.3f} s{memory:>8.0f} MB{ratio:>10.2f}  {of}", flush=True)


def frames(folder):
    base = None
    for bays, floors in ((4, 6), (6, 10), (7, 12)):
        what, count = space_frame(bays, floors, 5)
        time, memory, _ = run("statics", what, folder)
        base = base or time / count
        row("frame", count, time, memory, time / count / base, "of the first, an element")


def loops(folder):
    base = None
    for fields in (19, 55, 100):
        _, memory, summary = run("run", rod_net(fields, steps=1), folder)
        time = summary["setup_seconds"]
        base = base or time / fields ** 2
        row("set-up of loops", fields ** 2, time, memory, time / fields ** 2 / base, "of the first, a loop")


def chains(folder):
    """The second run goes on for ten steps more, by which the time of a step is found."""
    base = None
    for links in (20000, 100000):
        _, memory, first = run("run", ball_chain(links, 5), folder, "--checkpoint", "0")
        _, _, longer = run("run", ball_chain(links, 15), folder, "--checkpoint", "0")
        time = first["setup_seconds"]
        base = base or time / links
        step = (longer["cpu_seconds"] - first["cpu_seconds"]) / (longer["steps"] - first["steps"])
        row("set-up of a chain", links, time, memory, time / links / base, f"of the first, a link; {1e3 * step:.0f} ms a step")


def flat(folder):
    base = None
    for gravity, height, of in ((9.81, None, "of itself"), (0.01, 0.0, "of the bulging net")):
        time, memory, _ = run("run", rod_net(20, "index3", height=height, gravity=gravity), folder)
        base = base or time
        row("net" if height is None else "flat net", 400, time, memory, time / base, of)


def singular(folder):
    base = None
    for solver in ("klu", "block"):
        time, memory, _ = run("statics", singular_net(19, solver), folder)
        base = base or time
        row("singular nodes, " + solver, 361, time, memory, time / base, "of KLU")


def far(folder):
    frame, _ = space_frame(4, 6, 5)
    base, _, _ = run("statics", frame, folder)
    net, count = cantilever_net(30)
    time, memory, summary = run("statics", net, folder)
    row("far net", count, time, memory, time / base, f"of the small frame, {summary['newton_iterations']} iterations")


def modes(folder):
    frame, count = space_frame(4, 6, 5)
    base, _, _ = run("statics", frame, folder)
    time, memory, _ = run("modes", frame, folder, "-n", "20", "--about", "equilibrium")
    row("20 modes", count, time, memory, time / base, "of its equilibrium")


CASES = {"frames": frames, "loops": loops, "chains": chains, "flat": flat, "singular": singular, "far": far, "modes": modes}


def main():
    names = sys.argv[1:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(__doc__ if unknown[0].startswith("-") else f"nets.py: no case {unknown[0]}; there are {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            CASES[name](folder)


if __name__ == "__main__":
    main()
