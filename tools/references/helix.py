# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of helix."""

from cantilever import write

if __name__ == "__main__":
    write(
        "helix",
        "helix",
        "A. Ibrahimbegovic, Comput. Methods Appl. Mech. Eng. 149 (1997) 49-71: a cantilever bent to a helical form",
        between=12,
    )
