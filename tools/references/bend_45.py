# SPDX-License-Identifier: GPL-3.0-or-later
"""References of the 45-degree bend with both torsion constants in use."""

from cantilever import near, write

SOURCE = (
    "K.-J. Bathe, S. Bolourchi, Int. J. Numer. Methods Eng. 14 (1979) 961-986. Published: {}. "
    "They differ by the torsion constant and by their meshes"
)


if __name__ == "__main__":
    # 8 linear elements of Simo and Vu-Quoc: their own error at this mesh is some 0.15
    write(
        "bend_45",
        "bend_45",
        SOURCE.format("(58.84, 22.33, 40.08) at 300 and (47.23, 15.79, 53.37) at 600 (Simo and Vu-Quoc 1986, 8 linear elements)"),
        check=near("bend", {0.5: (58.84, 22.33, 40.08), 1.0: (47.23, 15.79, 53.37)}, 0.15),
    )
    # 32 elements, two decimals
    write(
        "bend_45_torsion_0141",
        "bend_45",
        SOURCE.format("(46.9, 15.56, 53.6) at 600 (EXUDYN, 32 elements)"),
        check=near("bend", {1.0: (46.9, 15.56, 53.6)}, 0.01),
    )
