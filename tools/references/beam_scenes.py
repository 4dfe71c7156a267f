# SPDX-License-Identifier: GPL-3.0-or-later
"""References of the scenes with moving beams: the scene's own mesh, solved in time apart from the engine (flexible.py)."""

import sys

from common import axes
from flexible_time import benchmark

SIMO = "J. C. Simo, L. Vu-Quoc, "
BAUCHAU = "O. A. Bauchau et al., Validation of flexible multibody dynamics beam formulations using benchmark problems, Multibody System Dynamics 37 (2016) 29-48: "
ENERGY = ["energy.kinetic", "energy.elastic"]

# name: (vectors, numbers, steps of the coarser reference between outputs, times at which loads have kinks, source)
SCENES = {
    "spaghetti_3d": (
        ["rope.start.position", "rope.end.position"], ["energy.total"], 25, (2.5,),
        SIMO + "Comput. Methods Appl. Mech. Eng. 66 (1988) 125-161: flying spaghetti in space; section inertia 10, 10, 10",
    ),
    "spaghetti_2d": (
        ["rope.start.position", "rope.end.position"], ["energy.total"], 20, (),
        SIMO + "J. Appl. Mech. 53 (1986) 855-863: flying spaghetti; with a little damping",
    ),
    "four_bar_misaligned": (
        ["bar_2.end.position", "bar_1.section_moment[0]", "A.moment"], ["energy.elastic"], 40, (),
        BAUCHAU + "four-bar mechanism; with a little damping",
    ),
    "four_bar_misaligned_2": (
        ["bar_2.end.position", "bar_1.section_moment[0]", "A.moment"], ["energy.elastic"], 40, (),
        BAUCHAU + "four-bar mechanism; with a little damping",
    ),
    "right_angle_cantilever": (
        ["leg_2.end.position", "leg_1.end.position", "root.moment"], ENERGY, 10, (1.0, 2.0),
        SIMO + "Comput. Methods Appl. Mech. Eng. 66 (1988) 125-161: right-angle cantilever; with a little damping",
    ),
    "flexible_slider_crank": (
        ["rod.end.position", "crank[2].position", "rod[4].position", "crank.section_moment[0]", "pivot.force"], ENERGY, 8, (5.0, 5.25),
        "data of P. Tiso in V. Sonneville's examples, 2021; the crank is stopped within 0.25 s, with a little damping",
    ),
    "rotating_beam": (
        ["arm.end.position", "hub.force", "arm.section_moment[0]"], ENERGY, 20, (15.0,),
        "T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guid. Control Dyn. 10 (1987) 139-151; " + SIMO + "J. Appl. Mech. 53 (1986) 855-863",
    ),
    "composite_cantilever_step": (
        ["beam.end.position", "beam.end.quaternion", "root.moment", "beam.section_moment[0]"], ENERGY, 10, (),
        "section of Q. Wang et al., Wind Energy 20 (2017) 1439-1462",
    ),
    "lateral_buckling": (
        ["blade[4].position", "blade.end.position", "root.moment"], ENERGY, 8, (),
        BAUCHAU + "lateral buckling of a thin beam; with a little damping",
    ),
    "rotating_shaft": (
        ["shaft[4].position", "left.force", "right.force"], ENERGY, 10, (0.5, 1.0, 1.25),
        BAUCHAU + "rotating shaft; with a little damping",
    ),
    "blades": (
        ["blade0.end.position", "hub.angular_velocity", "root0.moment"], ENERGY, 8, (1.0,),
        "Torsor's own case",
    ),
}


def main(names):
    for name in names:
        vectors, numbers, parts, kinks, source = SCENES[name]
        columns = ["t"]
        for vector in vectors:
            columns += axes(vector, "wxyz" if vector.endswith("quaternion") else "xyz")
        benchmark(name, columns + numbers, parts, {"source": source, "made_by": "tools/references/beam_scenes.py"}, kinks)


if __name__ == "__main__":
    main(sys.argv[1:] or SCENES)
