# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of composite_cantilever."""

from cantilever import near, write

if __name__ == "__main__":
    # another code's element of order 9, to 1e-10 of its limit, and another shooting
    write(
        "composite_cantilever",
        "composite_cantilever",
        "Q. Wang, M. A. Sprague, J. Jonkman, N. Johnson, B. Jonkman, Wind Energy 20 (2017) 1439-1462. The place of the end is within 1e-9 of "
        "kynema-fmb's verification (9.9097273372434, -0.0647488486259, 1.2297364829237)",
        check=near("box", {1.0: (10 - 0.0902726627566299, -0.0647488486259036, 1.22973648292371)}, 1e-9),
    )
