# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of gripper: motions under constant forces in closed form, between jumps that follow from the momentum."""

from mpmath import mp, mpf, sqrt

from common import axes, load_scene, output_times, write_csv, write_sidecar

COLUMNS = [
    "t",
    "slide.travel",
    "slide.speed",
    *axes("box.position"),
    *axes("grip.force"),
    "brake.effort",
    *(f"energy.{name}" for name in ("kinetic", "potential", "elastic", "total", "supplied", "dissipated", "balance")),
]
G = mpf("9.81")
START = [mpf("1.1"), mpf("0.3"), mpf("-0.5")]


def legs(m, M, F):
    """Pieces (start, place, speed, mass that moves, energy lost before): up to each jump and after the last one."""
    out, t, x, v, lost = [], mpf(0), mpf(0), mpf(0), mpf(0)
    for mass, end, after in [(m, 1, lambda v: m * v / (m + M)), (m + M, 2, lambda v: v), (m, 3, lambda _: mpf(0))]:
        out.append((t, x, v, mass, lost))
        a = F / mass
        t += (sqrt(v * v + 2 * a * (end - x)) - v) / a
        v, x = sqrt(v * v + 2 * a * (end - x)), mpf(end)
        before = mass * v * v / 2
        v = after(v)
        # the box stops when it is set down, the carriage goes on
        lost += before - (m + M if end == 1 else m) * v * v / 2
    out.append((t, x, v, m, lost))
    return out


def solution(scene, times):
    p = scene["parameters"]
    m, M, F = mpf(p["m"]), mpf(p["M"]), mpf(p["F"])
    pieces, rows = legs(m, M, F), []
    for t in times:
        number = max(i for i, piece in enumerate(pieces) if piece[0] <= t)
        start, place, speed, mass, lost = pieces[number]
        held, halted = number == 1, number == 3
        a, s = mpf(0) if halted else F / mass, t - start
        x, v = place + speed * s + a * s * s / 2, speed + a * s
        box = [START[0] + (0 if number == 0 else x - 1 if held else 1), *START[1:]]
        force = [M * a, 0, M * G] if held else [0, 0, 0]
        kinetic, potential, work = mass * v * v / 2, M * G * START[2], F * x
        rows.append([t, x, v, *box, *force, -F if halted else 0, kinetic, potential, 0, kinetic + potential, work, lost, 0])
    return rows


def main():
    scene = load_scene("gripper")
    rows = solution(scene, output_times(scene))
    mp.dps = 60
    again = solution(scene, output_times(scene))
    off = max(abs(x - y) for one, other in zip(rows, again) for x, y in zip(one, other))
    assert off < mpf(10) ** -30, "40 digits are as good as 60"
    assert all(abs(row[10] + row[11] - rows[0][11] - row[14] + row[15]) < mpf(10) ** -30 for row in rows), "energy is kept"
    write_csv("gripper", COLUMNS, rows)
    basis = "rounding and the iteration's tolerance: forces are constant between the jumps, which the method follows without an error"
    signals = {
        "slide.travel": 1e-10,
        "slide.speed": 1e-10,
        "box.position": 1e-10,
        "grip.force": 1e-8,
        "brake.effort": 1e-8,
        **{name: 1e-8 for name in COLUMNS[10:]},
    }
    write_sidecar(
        "gripper",
        {
            "title": scene["title"],
            "source": "momentum and work of constant forces",
            "units": "SI",
            "method": "closed form in 40 digits, compared with 60, and its energy against the work",
            "error": {name: 1e-15 for name in signals},
            "tolerance": {name: {"value": value, "basis": basis} for name, value in signals.items()},
            "made_by": "tools/references/gripper.py",
        },
    )


if __name__ == "__main__":
    main()
