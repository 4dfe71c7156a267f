#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of a step and of reading its values from Python over that from C, for the heavy top.

usage: python_cost.py LIBRARY [SCENE]      LIBRARY is libtorsor.so; PYTHONPATH leads to the package

A loop in a program, built here, and the same loop in Python take turns; the least of the rounds counts, as other programs of the
machine only add."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <torsor/torsor.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
int main(int argc, char **argv) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
  torsor_run *run;
  double values[64];
  const long n = atol(argv[2]);
  const torsor_run_options options = {.size = sizeof options, .open_end = true};
  if (argc != 3 || torsor_scene_load(&scene, argv[1], types, NULL, 0, &error) || torsor_scene_model(&model, scene, &error) ||
      torsor_signals_create(&signals, model, NULL, 0, NULL, &error) ||
      torsor_run_create(&run, model, torsor_scene_simulation(scene), &options, &error))
    return 1;
  double start = now();
  for (long i = 0; i < n; ++i)
    if (torsor_run_step(run, &error)) return 1;
  const double step = (now() - start) / (double)n;
  start = now();
  for (long i = 0; i < n; ++i)
    if (torsor_run_values(run, signals, values, &error)) return 1;
  printf("%.9e %.9e\n", step, (now() - start) / (double)n);
  return 0;
}
"""
STEPS, ROUNDS = 5_000, 12


def in_python(scene):
    """Return times of a step, of values, and of q, s."""
    with scene.run(open_end=True, signals=[]) as run:
        clock = time.process_time
        start = clock()
        for _ in range(STEPS):
            run.step()
        step = clock() - start
        start = clock()
        for _ in range(STEPS):
            run.values
        values = clock() - start
        start = clock()
        for _ in range(STEPS):
            run.q
        return step / STEPS, values / STEPS, (clock() - start) / STEPS


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    library = os.path.abspath(sys.argv[1])
    scene_file = sys.argv[2] if len(sys.argv) == 3 else str(ROOT / "data" / "scenes" / "heavy_top.json")
    os.environ["TORSOR_LIBRARY"] = library
    import torsor
    scene = torsor.load(scene_file)
    c, python = [], []
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "loop.c"), os.path.join(folder, "loop")
        Path(source).write_text(PROGRAM)
        subprocess.run(["cc", "-std=gnu17", "-O2", f"-I{ROOT / 'include'}", "-o", program, source, library,
                        f"-Wl,-rpath,{os.path.dirname(library)}", "-lm"], check=True)
        for _ in range(ROUNDS):
            done = subprocess.run([program, scene_file, str(STEPS)], capture_output=True, text=True, check=True)
            c.append([float(word) for word in done.stdout.split()])
            python.append(in_python(scene))
    step, values = (min(p[i] for p in python) - min(r[i] for r in c) for i in (0, 1))
    q = min(p[2] for p in python)
    print(f"step {1e6 * min(r[0] for r in c):.2f} us in C, {1e6 * step:.2f} us more in Python; values {1e6 * min(r[1] for r in c):.2f} us "
          f"and {1e6 * values:.2f} us more; q {1e6 * q:.3f} us")


if __name__ == "__main__":
    main()
