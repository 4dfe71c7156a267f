# SPDX-License-Identifier: GPL-3.0-or-later
"""References of rolling_disc and spinning_coin: Newton and Euler's equations of a disc by DOP853."""

import numpy as np

import galpha
from common import MATHS, load_scene, output_times
from mechanism import sidecar, tables
from rolling import Disc, DiscContact, Rolling, columns, initial


class Case:
    """`known`: values of columns at some times, by others."""

    def __init__(self, name, joint, known):
        self.scene = load_scene(name)
        (self.body,), (spec,) = self.scene["bodies"], self.scene["joints"]
        value = galpha.reader({**MATHS, **self.scene["parameters"]})
        self.radius, self.axis = value(spec["radius"]), spec["axis"]
        self.disc = Disc(value(self.body["mass"]), value(self.body["inertia"]), self.radius, self.axis, self.scene["gravity"])
        self.start = np.concatenate(initial(self.body, value))
        self.name, self.joint, self.known = name, joint, known
        self.columns = columns(self.body["name"], joint)

    def table(self, tolerance):
        times = output_times(self.scene)
        signals = (self.disc.row(self.body["name"], self.joint, s) for s in self.disc.solve(self.start, times, tolerance))
        return [[float(t), *(row[c] for c in self.columns[1:])] for t, row in zip(times, signals)]

    def known_error(self, rows):
        at = {round(r[0], 9): dict(zip(self.columns, r)) for r in rows}
        return max(abs(at[t][c] - value) for t, values in self.known.items() for c, value in values.items())

    def system(self, scene):
        contact = DiscContact(self.radius, self.axis)
        return Rolling(scene, self.body["name"], contact, self.disc.velocity(self.start), self.joint)

    def write(self, source, others, bound):
        rows, check = self.table(2.3e-14), self.table(1e-12)
        energy, known = max(abs(r[-1] - rows[0][-1]) for r in rows), self.known_error(rows)
        print(f"{self.name}: energy {energy:.1e}, known values {known:.1e}")
        assert energy < 1e-12 * abs(rows[0][-1]) + 1e-11 and known < bound
        sidecar(
            self.name,
            "rolling_disc.py",
            self.scene["title"],
            source,
            "Newton and Euler's equations with the contact force eliminated, DOP853 at a relative tolerance of 2.3e-14, "
            f"compared with 1e-12; energy constant within {energy:.0e} J; within {known:.0e} of {others}",
            self.columns,
            rows,
            check,
            tables(self.scene, self.system),
        )


def main():
    Case(
        "rolling_disc",
        "road",
        {
            1: {
                "road.contact.x": 0.293140710419432,
                "road.contact.y": 0.004113440297024928,
                "disc.position.z": np.cos(1.3874046021599595),
            },
            2: {
                "road.contact.x": -0.7815572602729857,
                "road.contact.y": 1.1716187309623036,
                "disc.position.z": np.cos(0.31415589876034544),
            },
        },
    ).write(
        "Jay, Reports on Computational Mathematics 181, University of Iowa, 2011, section 7.2, with the signs of a rigid body",
        "Lagrange's equations in extended precision (contact and height at t = 1 and 2 s)",
        1e-9,
    )
    Case(
        "spinning_coin",
        "table",
        {
            0.5: {
                "table.contact.x": 0.002004947020752,
                "table.contact.y": 0.002596923103611,
                "coin.position.x": 8.275291844017e-05,
                "coin.position.y": 0.00158178190051,
                "coin.position.z": 0.009760873842584,
                "table.friction_force.x": -0.807813489494,
                "table.friction_force.y": -0.634913784517,
                "table.normal_force": 9.835519806889,
            }
        },
    ).write(
        "Exudyn, test model rollingCoinTest, in its converged form",
        "another integration (contact, centre and force at t = 0.5 s)",
        1e-11,
    )


if __name__ == "__main__":
    main()
