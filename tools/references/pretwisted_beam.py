# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of pretwisted_beam."""

from cantilever import near, write

if __name__ == "__main__":
    # another code's element of high order, to 1e-9 of its limit
    write(
        "pretwisted_beam",
        "pretwisted_beam",
        "Q. Wang, M. A. Sprague, J. Jonkman, N. Johnson, B. Jonkman, Wind Energy 20 (2017) 1439-1462. The place of the end is within 1e-8 m of "
        "kynema-fmb's verification (8.8584740005, -1.7180533465, -3.5932132403); solid elements there give (8.865808, -1.714467, "
        "-3.58423)",
        check=near("blade", {1.0: (10 - 1.14152599953942, -1.71805334646388, -3.59321324026952)}, 1e-8),
    )
