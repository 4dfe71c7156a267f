# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of helix."""

import math

from cantilever import write

# moments about x and y at the clamp for the twentieths of the load, to start Newton's method from: the path to the tenth coil is long
STARTS = (
    (15.71, -1.779),
    (0.2689, -2.051),
    (15.9, -0.5405),
    (0.08362, -1.151),
    (15.91, -0.322),
    (0.03891, -0.786),
    (15.91, -0.2296),
    (0.02225, -0.5947),
    (15.91, -0.1784),
    (0.01435, -0.4777),
    (15.91, -0.1459),
    (0.01001, -0.399),
    (15.91, -0.1234),
    (0.007372, -0.3425),
    (15.91, -0.1069),
    (0.005654, -0.2999),
    (15.91, -0.09436),
    (0.004472, -0.2668),
    (15.92, -0.08442),
    (0.003625, -0.2402),
)


def starts(part):
    x, y = STARTS[round(20 * part) - 1]
    return x, y, 200 * math.pi * part


def check(columns, rows):
    """The end at the whole load as another shooting has it, which followed the path in 446 steps."""
    at = columns.index("rod.end.position.x")
    off = max(abs(a - b) for a, b in zip(rows[-1][at : at + 3], (0.004803249659950545, 7.249684689602685e-05, -0.07644174173328488)))
    print(f"{off:.3g} m from the place at the end of a path of small steps")
    assert off < 1e-9


if __name__ == "__main__":
    write(
        "helix",
        "helix",
        "A. Ibrahimbegovic, Comput. Methods Appl. Mech. Eng. 149 (1997) 49-71: a cantilever bent to a helical form",
        check=check,
        starts=starts,
    )
