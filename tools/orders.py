# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/orders.md: observed orders of every method on the test problems of the papers, by `torsor converge` (the
command that $TORSOR names, default: torsor).  tests/whole/orders.py holds the page against this."""

import json
import os
import subprocess
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "orders.md"

# Observed orders are within this of the claimed ones: what the next power of h leaves at the steps of the tables.
NEAR = 0.1


@dataclass
class Method:
    """A method or variant: settings of `simulation`, the kinds of problems that it is for (all of `needs`, none of
    `refuses`), and the orders that theory claims where they are not `order`."""

    name: str
    label: str
    settings: dict
    needs: set = field(default_factory=set)
    refuses: set = field(default_factory=set)
    claims: dict = field(default_factory=dict)
    order: str = "2"
    coarse: bool = False  # with the table's coarse steps, for methods of high order
    near: float = NEAR
    picked: bool = False  # only in tables that have steps of its own for it


# Claims: 2, an order to within NEAR; 1+, at least that; x, exact; ., none.
# A start from v0 = v(0), a0 = v'(0) may cost v' and the multipliers one order near t = 0.
PLAIN_START = {"a": "1+", "Ω'": "1+", "λ": "1+", "ψ": "1+"}
HHT = {"refuses": {"singular M", "redundant"}}
INDEX3 = {"formulation": "index3"}
SOI2 = {"method": "soi2", "start": "perturbed"}
ODAE = {"method": "hht_odae", "start": "perturbed"}
INDEX3_PLAIN = INDEX3 | {"start": "plain"}
METHODS = [
    Method("default", "default: GGL, damped start, a, λ, ψ as shown", {"multipliers": "acceleration_level"}),
    Method("index3", "generalised-α, index 3", INDEX3),
    Method("index3 plain", "— plain start", INDEX3_PLAIN, claims=PLAIN_START),
    Method("ggl", "generalised-α, GGL", {"formulation": "ggl", "start": "perturbed"}),
    Method("soi2", "SOI2", SOI2),
    Method("soi2 evaluated", "— M_α evaluated", SOI2 | {"mass_alpha": "evaluated"}, needs={"M(t, q)"}),
    Method("soi2 additive", "— additive", SOI2 | {"additive": True}, needs={"holonomic"}),
    Method("soi2 plain", "— plain start", {"method": "soi2", "start": "plain"}, claims=PLAIN_START),
    Method("hht", "HHT-α for ODAEs", ODAE, **HHT),
    Method("hht explicit", "— explicit", ODAE | {"reaction": "explicit"}, needs={"holonomic"}, **HHT),
    Method("hht midpoint", "— midpoint", ODAE | {"reaction": "midpoint"}, needs={"holonomic"}, **HHT),
    Method("hht plain", "— plain start", {"method": "hht_odae", "start": "plain"}, claims=PLAIN_START, **HHT),
    Method("radau", "Radau IIA", {"method": "radau"}, order="5", coarse=True),
    # Large steps, as rounding errors and those of the references come soon: further powers of h leave more.
    Method("explicit 8", "Dormand-Prince 8(5,3)", {"method": "explicit"}, order="8", near=0.3, picked=True),
    Method("explicit 5", "Dormand-Prince 5(4)", {"method": "explicit", "order": 5}, order="5", near=0.3, picked=True),
    Method("rattle", "RATTLE", {"method": "rattle"}, needs={"conservative"}),
]


@dataclass
class Row:
    """A run of its own: other settings, times or steps.  Claims: one for each column."""

    label: str
    settings: dict
    claims: str
    arguments: tuple = ()
    steps: str = ""


@dataclass
class Table:
    title: str
    problem: str  # name of a test problem, or of a scene
    steps: str
    columns: dict  # heading: signal
    paper: str  # what it says
    kinds: set = field(default_factory=set)
    rows: list = field(default_factory=list)
    other: dict = field(default_factory=dict)  # name of a method: its claims, one for each column
    settings: dict = field(default_factory=dict)  # of all rows; of a scene: all of its simulation
    arguments: tuple = ()  # of all rows
    exact: float = 0.0  # errors below are those of rounding
    skip: set = field(default_factory=set)  # names of methods
    notes: str = ""
    coarse: int = 4  # the coarse steps are these times as large
    own: dict = field(default_factory=dict)  # name of a method: steps of its own


Q = {"y": "q", "z": "v", "a": "a"}
PLAIN = {"method": "soi2", "start": "plain"}
S3 = {"method": "hht_odae", "hht": -0.15, "reaction_weight": 0.3, "start": "plain"}
HALF = ("--parts", "1,2")

TOP = {"y": "position", "R": "rotation", "z": "velocity", "Ω": "angular_velocity", "a": "acceleration",
       "Ω'": "angular_acceleration", "λ": "lambda"}
END = ("--from", "1")

TABLES = [
    Table(
        "S0 7.1: nonholonomic, M(t, q), not linear in v and ψ",
        "jay-7.1",
        "5e-3,2.5e-3",
        Q | {"ψ": "psi"},
        "order 2 of y, z, a, ψ at t = 1 with ρ = 0.2 (theorem 6.1, figure 7.1). Its method is SOI2 without "
        "holonomic rows.",
        {"M(t, q)"},
        [
            Row("figure 7.1, M_α carried, at t = 1", PLAIN, "2 2 2 2", END),
            Row("figure 7.1, M_α evaluated, at t = 1", PLAIN | {"mass_alpha": "evaluated"}, "2 2 2 2", END),
        ],
        notes="The figure starts from a_α = a(0). The error of first order that this makes dies out like r^n, r = "
        "|α_m/(1 - α_m)|, and is "
        "gone at t = 1; over all times it is the largest one of a and ψ. HHT-α for ODAEs has one way to treat "
        "nonholonomic rows (S3 section 6).",
        # ψ of Radau IIA comes near the differences that stand for the hidden constraints, 1e-10.
        other={"radau": "5 5 5 4+"},
        coarse=10,
    ),
    Table(
        "S0 7.2: rolling disk in five coordinates",
        "rolling-disk",
        "2e-3,1e-3",
        Q | {"ψ": "psi"},
        "order 2 of y, z, ψ at t = 10 with ρ = 0.2 (figure 7.2).",
        {"M(t, q)", "singular M"},
        [Row("figure 7.2, at t = 10", PLAIN, "2+ 2+ 2+ 2+", ("--from", "10"))],
        other={name: "2+ 2+ 2+ 2+" for name in ["default", "index3", "ggl", "soi2", "soi2 evaluated"]}
        | {"explicit 8": "8+ 8+ 8+ 8+"},
        skip={"index3 plain", "soi2 plain"},
        notes="Errors fall faster than with h² before the steps are small: 2.34, 2.20, 2.11, 2.06 for y with SOI2 "
        "from 2e-3 on. The problem is "
        "that of the Lagrangian printed in S0; the printed f4 lacks I2 z5 cos(y3) in the bracket times -z3, without "
        "which energy is not kept. Its mass "
        "matrix is singular where cos(y3) = 0, at t = 1.06 and 1.86: HHT-α for ODAEs, which divides by M alone, "
        "cannot pass there.",
        own={"explicit 8": "8e-2,4e-2", "explicit 5": "2e-2,1e-2"},
    ),
    Table(
        "S1 section 8: both kinds of constraints, M(t, q), not linear in λ and ψ",
        "soi2-8",
        "2.5e-3,1.25e-3",
        Q | {"λ": "lambda", "ψ": "psi"},
        "with ρ = 0.2 and steps h/3, 2h/3 order 2 of all at t = 1 with eq. 15 and 16 (theorem 1, figure 1), order 1 "
        "of a, λ, ψ without "
        "them (figure 2).",
        {"holonomic", "M(t, q)"},
        [
            Row("constant steps, at t = 1", PLAIN, "2 2 2 2 2", END),
            Row("figure 1: h/3, 2h/3, at t = 1", PLAIN, "2 2 2 2 2", HALF + END),
            Row("figure 2: h/3, 2h/3 without eq. 15, 16, at t = 1", PLAIN | {"step_correction": False}, "2 2 1 1 1",
                HALF + END, "3.125e-4,1.5625e-4"),
            Row("h/3, 2h/3, additive, at t = 1", PLAIN | {"additive": True}, "2 2 2 2 2", HALF + END),
            Row("h/3, 2h/3, HHT-α for ODAEs, to t = 0.5", ODAE | {"duration": 0.5}, "2 2 2 2 2", HALF),
        ],
        notes="The print is damaged; the problem is f1 = e^t (y1 z2 + 2 y2 z1) + e^2t y1 λ - y1 z2 ψ - 2, f2 = e^-t "
        "(y2 z2/2 - 2 y1 z1 y2 z2 + "
        "y2 λ²) - y1 z1 ψ² + e^4t, which has the solution stated. HHT-α for ODAEs, which S3 does not define for "
        "both kinds of constraints "
        "together, needs more Newton iterations from t = 0.56 on: its errors there are a hundred times those of "
        "SOI2, and steps h/3, 2h/3, which are "
        "not halved, end.",
        # So do v' and λ here.
        other={"radau": "5 5 4+ 4+ 5"},
        coarse=40,
        own={"explicit 8": "0.5,0.25", "explicit 5": "0.1,0.05"},
    ),
    Table(
        "S3 5.1: holonomic, not linear in λ",
        "hht-5.1",
        "5e-3,2.5e-3",
        Q | {"λ": "lambda"},
        "with α = -0.15, b = 0.3 order 2 of y, z, a at t = 1 (theorem 4.5, figure 5.1), with eq. 3.5 too (figure "
        "5.2); with steps h/3, 2h/3 "
        "order 1 (figure 5.3), with eq. 2.3 order 2 again (figure 5.4).",
        {"holonomic"},
        [
            Row("figure 5.1, at t = 1", S3, "2 2 2 2", END),
            Row("figure 5.2: eq. 3.5, at t = 1", S3 | {"reaction": "explicit"}, "2 2 2 2", END),
            Row("figure 5.3: h/3, 2h/3, at t = 1", S3 | {"step_correction": False}, "1 1 1 1",
                HALF + END, "6.25e-4,3.125e-4"),
            Row("figure 5.4: h/3, 2h/3, eq. 2.3, at t = 1", S3, "2 2 2 2", HALF + END),
        ],
        other={"explicit 8": "8 8 8 8+", "explicit 5": "5+ 5+ 5+ 5+", "index3 plain": "2+ 2+ 1 1"},
        notes="From the plain start the index-3 form has smaller errors of y and z than from the perturbed one, and "
        "an order that goes to 2 late.",
        coarse=20,
        own={"explicit 8": "0.5,0.25", "explicit 5": "5e-2,2.5e-2"},
    ),
    Table(
        "S3 5.2: bar on a pin with a stiff spring and a damper",
        "hht-5.2",
        "2.5e-3,1.25e-3",
        {"y": "centre", "y_3": "angle", "z_3": "rate", "a": "a", "λ": "lambda"},
        "order 2 of y_3 and z_3 at t = 2 with b = 0 and α = 0 (figure 5.7), α = -0.3 (figure 5.8).",
        {"holonomic"},
        [
            Row(f"figure 5.{figure}: α = {a:g}, at t = 2",
                {"method": "hht_odae", "hht": a, "start": "plain", "duration": 2}, "2 2 . 2 2", ("--from", "2"))
            for figure, a in [(7, 0), (8, -0.3)]
        ],
        notes="At t = 2 the error of z_3 is close to a zero of its oscillation and a hundred times smaller than its "
        "largest one, so that it has no clear "
        "order at such steps; the largest one, below, has order 2.",
        own={"explicit 8": "0.1,0.05", "explicit 5": "1.25e-2,6.25e-3"},
        other={"explicit 8": "8+ 8+ 8+ 8+ 8+"},
    ),
    Table(
        "S2 5.1: slider-crank with a sprung mass",
        "slider_crank_spring",
        "1e-3,5e-4",
        {"θ_1": "pivot.angle", "θ_1'": "pivot.rate", "x_4": "mass.position", "x_4'": "mass.velocity", "λ": "pivot.force"},
        "order 2 of θ_1 and λ_1 at t = 1 with ρ = 0.7 (figure 3).",
        {"holonomic"},
        settings={"rho_inf": 0.7, "duration": 1},
        skip={"soi2 additive", "soi2 plain", "hht midpoint", "hht plain"},
        notes="The scene `slider_crank_spring` in rigid bodies and joints, against its reference; λ is the force in "
        "the pivot. S2 leaves inertias, gravity, the free length of the "
        "spring and the order of the constraints open. The mechanism starts at rest and without load on the joints "
        "that changes at once: the plain start is as good here.",
        coarse=5,
        own={"explicit 8": "1e-2,5e-3", "explicit 5": "2.5e-3,1.25e-3"},
        other={"explicit 8": "8+ 8+ 8+ 8+ 8+"},
    ),
    Table(
        "S2 5.2: Andrews' squeezer",
        "andrews_squeezer",
        "1e-4,5e-5",
        {"β": "O.angle", "β'": "O.rate", "Θ": "B.angle", "Θ'": "B.rate", "K4": "K4.position"},
        "order 2 of β and λ_1 at t = 0.03 with ρ = 0.7 (figure 9); λ suffers from rounding errors at very small h.",
        {"holonomic", "redundant"},
        settings={"rho_inf": 0.7, "duration": 0.03},
        notes="The scene `andrews_squeezer`, against its reference, which has no multipliers. Its joints in space "
        "have redundant rows, which "
        "HHT-α for ODAEs refuses.",
        coarse=3,
        own={"explicit 8": "3e-4,1.5e-4", "explicit 5": "1e-4,5e-5"},
        other={"explicit 8": "8+ 8+ 8+ 8+ 8+"},
    ),
    Table(
        "S2 5.2, forces in the joints",
        "andrews_squeezer",
        "1e-4,5e-5",
        {"β": "O.angle", "λ of O": "O.force", "λ of B": "B.force"},
        "as above. Reference: the scene itself at an eighth of the smaller step.",
        {"holonomic", "redundant"},
        settings={"rho_inf": 0.7, "duration": 0.03},
        arguments=("--reference", "fine", "--set", 'output.signals=["O.angle", "O.force", "B.force"]'),
        skip={"ggl", "soi2", "soi2 additive", "soi2 plain"},
        coarse=3,
        own={"explicit 8": "3e-4,1.5e-4", "explicit 5": "1e-4,5e-5"},
        other={"explicit 8": "8+ 8+ 8+"},
    ),
    Table(
        "S4 example 1: pendulum from x0 = 0",
        "pendulum",
        "1e-2,5e-3",
        Q | {"λ": "lambda"},
        "order 2 of λ from both starts: at x0 = 0 the plain one makes no first-order error (figure 1).",
        {"holonomic", "conservative"},
        other={"index3 plain": "2 2 2 2"},
        coarse=10,
        own={"explicit 8": "0.125,0.0625", "explicit 5": "2.5e-2,1.25e-2"},
    ),
    Table(
        "S4 example 1: pendulum from x0 = 0.2",
        "pendulum-0.2",
        "1e-2,5e-3",
        Q | {"λ": "lambda"},
        "order 1 of λ from the plain start, largest after some 15 steps, order 2 from the perturbed one (figure 1, "
        "section 4).",
        {"holonomic", "conservative"},
        [Row("index 3, plain start, from t = 0.9", INDEX3_PLAIN, "2 2 2 2", ("--from", "0.9"), "2.5e-3,1.25e-3")],
        other={"explicit 8": "8 8+ 8 8", "index3 plain": "2 2 1 1"},
        coarse=10,
        own={"explicit 8": "0.2,0.1", "explicit 5": "2.5e-2,1.25e-2"},
    ),
    Table(
        "S4 example 2: q = t³ forced by a constraint",
        "t3",
        "1e-2,5e-3",
        Q | {"λ": "lambda"},
        "order 1 of λ from the plain start in the index-3 form (section 4.1).",
        {"holonomic", "conservative"},
        other={name: "x x x x" for name in ["default", "ggl", "soi2", "soi2 additive", "hht", "hht explicit", "hht midpoint", "hht plain"]}
        | {"explicit 8": "x x x x", "explicit 5": "x x x x"}
        | {"rattle": "x x x x", "radau": "x x x x", "index3": "x 2 x x", "index3 plain": "x 2 1 1", "soi2 plain": "x x 1 1"},
        exact=1e-8,
        notes="Errors below 1e-8, what rounding errors of q, divided by β h² and amplified 34 times, leave of λ, "
        "are given as exact. v of the index-3 form is off "
        "the hidden constraint by O(h²), as S4 says.",
        own={"explicit 8": "0.2,0.1", "explicit 5": "0.2,0.1"},
    ),
    Table(
        "S4 section 5: heavy top on R³ × SO(3)",
        "heavy-top",
        "1e-3,5e-4",
        TOP,
        "order 2 of all (theorems 1, 2), order 1 of λ from the plain start in the index-3 form at first (figure 4), "
        "order 2 beyond "
        "the transient phase (figure 6).",
        {"holonomic", "conservative"},
        [Row("figure 6: index 3, plain start, from t = 0.5", INDEX3_PLAIN, "2 2 2 2 2 2 2", ("--from", "0.5"))],
        other={"explicit 8": "8+ 8+ 8+ 8+ 8+ 8+ 8+", "index3 plain": "2 2 2 2 1 1 1"},
        own={"explicit 8": "1e-2,5e-3", "explicit 5": "2e-3,1e-3"},
    ),
    Table(
        "S4 section 5: heavy top on SE(3)",
        "heavy-top-se3",
        "1e-3,5e-4",
        TOP,
        "theorems 1 and 2 hold on every group; its figures are those on R³ × SO(3).",
        {"holonomic", "conservative"},
        other={"explicit 8": "8 8+ 8 8 8 8 8", "index3 plain": "2 2 2 2 2 2 2"},
        skip={"soi2 additive", "soi2 plain", "hht explicit", "hht midpoint", "hht plain"},
        notes="This motion stays in a subgroup of SE(3) that every step keeps: the methods have the same errors, "
        "and the plain start costs nothing.",
        own={"explicit 8": "5e-3,2.5e-3", "explicit 5": "1e-3,5e-4"},
    ),
    Table(
        "S4 section 5: heavy top about its pivot on SO(3)",
        "heavy-top-so3",
        "1e-3,5e-4",
        {name: TOP[name] for name in ["R", "Ω", "Ω'"]},
        "nothing of this problem without constraints; the errors of R are those on SE(3).",
        {"conservative"},
        own={"explicit 8": "5e-3,2.5e-3", "explicit 5": "1e-3,5e-4"},
        other={"explicit 8": "8+ 8 8"},
    ),
]


# ---- measuring ------------------------------------------------------------------------------------------------------


@dataclass
class Cell:
    order: float
    error: float  # at the smaller step
    claim: str
    exact: float
    near: float = NEAR

    def text(self):
        if self.error <= self.exact:
            return "exact"
        return f"{self.order:.2f} ({self.error:.1e})"

    def holds(self):
        """Is the order what is claimed?"""
        if self.claim == "x" or self.error <= self.exact:
            return self.error <= self.exact
        if self.claim == ".":
            return True
        claimed = float(self.claim.rstrip("+"))
        return self.order >= claimed - self.near and (self.claim.endswith("+") or self.order <= claimed + self.near)


def subject(table, settings):
    """Arguments that choose problem and settings."""
    settings = table.settings | settings
    if settings.get("method") in [None, "soi2"]:
        settings.setdefault("multipliers", "method")
    else:
        settings.pop("rho_inf", None)
    if table.settings:
        simulation = json.dumps({"step": float(table.steps.split(",")[0])} | settings)
        scene, reference = (str(ROOT / "data" / folder / f"{table.problem}.json") for folder in ["scenes", "reference"])
        against = [] if "--reference" in table.arguments else ["--reference", reference]
        return [scene, "--set", f"simulation={simulation}", *against]
    changes = [f"simulation.{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in settings.items()]
    return ["--problem", table.problem, *(word for change in changes for word in ("--set", change))]


def converge(table, settings, steps, arguments):
    """Order and error by signal."""
    command = [os.environ.get("TORSOR", "torsor"), "converge", "-q", "--json", "--steps", steps, *table.arguments, *arguments]
    done = subprocess.run(command + subject(table, settings), capture_output=True, text=True)
    answer = json.loads(done.stdout)
    if done.returncode:
        raise RuntimeError(f"{table.title}, {settings}: {answer['error']}")
    return {s["signal"]: (s["orders"][-1] or 0, s["errors"][-1]) for s in answer["signals"]}


def lines_of(table):
    """(label, settings, arguments, steps, claims, how near) of every line of a table."""
    for row in table.rows:
        yield row.label, row.settings, row.arguments, row.steps or table.steps, row.claims.split(), NEAR
    for method in METHODS:
        if not method.needs <= table.kinds or method.refuses & table.kinds or method.name in table.skip:
            continue
        if method.picked and method.name not in table.own:
            continue
        claims = [method.claims.get(column, method.order) for column in table.columns]
        if method.name in table.other:
            claims = table.other[method.name].split()
        steps = table.steps
        if method.coarse:
            steps = ",".join(f"{float(h) * table.coarse:g}" for h in steps.split(","))
        yield method.label, method.settings, (), table.own.get(method.name, steps), claims, method.near


def measure(table):
    """[(label, [Cell])]."""
    lines = []
    for label, settings, arguments, steps, claims, near in lines_of(table):
        found = converge(table, settings, steps, arguments)
        if steps != table.steps:
            label += f" (h = {steps.split(',')[-1]})"
        cells = [
            Cell(*found[signal], claim, table.exact, near)
            for signal, claim in zip(table.columns.values(), claims, strict=True)
        ]
        lines.append((label, cells))
    return lines


# ---- page -----------------------------------------------------------------------------------------------------------

HEAD = """# Orders of convergence

Observed orders of every method on the test problems of the papers S0 to S4 ([theory.md](theory.md#9-sources)), between the
two steps named, and in brackets the error at the smaller one. Errors are the largest over all steps, in the 2-norm over the
components, of y (positions), z (velocities), a = v', λ and ψ (multipliers of holonomic and nonholonomic rows), unless a time
is given; quaternions are those of R. The papers measure a at t + α h, here it is v' at the end of the step; a, λ and ψ are those
of the method itself, and in the lines of the default, of Radau IIA, Dormand-Prince and RATTLE those of the acceleration level. "—" is a variant
of the method above it. Starts are perturbed where nothing else is said. Claimed is what theory says of each column: a number, to within 0.1 (Dormand-Prince: 0.3); + at least that; x exact; "." nothing.

`tools/orders.py` writes this page, and a test computes it again. One line is one command, for instance

    torsor converge --problem soi2-8 --parts 1,2 --from 1 --steps 2.5e-3,1.25e-3 --set simulation.method=soi2 --set simulation.start=perturbed
"""


def wrap(words):
    return textwrap.wrap(words, 120, break_long_words=False, break_on_hyphens=False)


def format_table(table, lines):
    h = " and ".join(table.steps.split(","))
    out = [f"## {table.title}", "", *wrap(f"`{table.problem}`, h = {h}. Paper: {table.paper}"), ""]
    out += ["| | " + " | ".join(table.columns) + " | claimed |", "|---" * (len(table.columns) + 2) + "|"]
    for label, cells in lines:
        out.append(f"| {label} | " + " | ".join(cell.text() for cell in cells) + f" | {' '.join(cell.claim for cell in cells)} |")
    return "\n".join(out + (["", *wrap(table.notes)] if table.notes else []))


def page(tables):
    """The page; `tables` are pairs (Table, its lines)."""
    return HEAD + "\n" + "\n\n".join(format_table(*pair) for pair in tables) + "\n"


def main():
    tables = [(table, measure(table)) for table in TABLES]
    for table, lines in tables:
        for label, cells in lines:
            for column, cell in zip(table.columns, cells):
                if not cell.holds():
                    print(f"{table.title}, {label}, {column}: {cell.text()}, claimed {cell.claim}")
    PAGE.write_text(page(tables))


if __name__ == "__main__":
    main()
