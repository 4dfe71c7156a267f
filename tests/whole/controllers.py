#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Controllers with memory: motions against answers that are computed apart from the engine, orders, runs that go on, and what is said about wrong
ones.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import json
import math
import unittest

from case_kit import Result, runge_kutta
from words import EPS, WordsTest


def pendulum(controllers, effort, step, duration=3, method="generalized_alpha", signals=(), **more):
    """A pendulum of 1 kg at 0.8 m, horizontal at the start, held by a motor."""
    return {"torsor": 1, "gravity": [0, 0, -9.81], "parameters": {"goal": 0.5},
            "bodies": [{"name": "rod", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0.8, 0, 0]}],
            "joints": [{"name": "pivot", "type": "revolute", "axis": [0, -1, 0], "a": "ground", "b": {"body": "rod", "position": [-0.8, 0, 0]}}],
            "controllers": controllers,
            "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "pivot.angle", "effort": effort}],
            "simulation": {"method": method, "step": step, "duration": duration}, "output": {"signals": ["pivot.angle", *signals]}, **more}


PI = [{"state": "I", "rate": "goal - pivot.angle", "initial": 0.1}]
LAW = "60*(goal - pivot.angle) + 40*I - 12*pivot.rate"


def pi_rates(t, s):
    """The pendulum's angle, rate and the integral: J = m l^2 + 0.1."""
    q, w, i = s
    return [w, (60 * (0.5 - q) + 40 * i - 12 * w - 9.81 * 0.8 * math.cos(q)) / (0.64 + 0.1), 0.5 - q]


class States(WordsTest):
    def test_pi(self):
        """A pendulum with a PI controller: the order of the method, in the mechanics and in the state, for both groups."""
        want = runge_kutta(pi_rates, [0.0, 0.0, 0.1], 0.8, 20000)[-1][1]
        for method, group, steps, power in [("generalized_alpha", "R3xSO3", [4e-3, 2e-3], 2), ("generalized_alpha", "SE3", [4e-3, 2e-3], 2),
                                            ("radau", "R3xSO3", [0.1, 0.025], 10), ("soi2", "R3xSO3", [4e-3, 2e-3], 2)]:
            errors = []
            for h in steps:
                got = Result(pendulum(PI, LAW, h, 0.8, method=method, signals=["I.value"], group=group))
                self.assertEqual(got.code, 0, got.said)
                errors.append([abs(got[name][-1] - want[k]) for name, k in [("pivot.angle", 0), ("I.value", 2)]])
            print(f"  {method} {group}: errors {errors}")
            self.assertGreater(max(errors[0]) / max(errors[1]), 0.6 * 2**power)

    def test_explicit(self):
        """Error control of both kinds keeps the state as it keeps the mechanics."""
        want = runge_kutta(pi_rates, [0.0, 0.0, 0.1], 3, 20000)[-1][1]
        for method in ["explicit", "auto"]:
            scene = pendulum(PI, LAW, 0.01, method=method, signals=["I.value"])
            scene["simulation"] = {"method": method, "duration": 3, "accuracy": {"position": 1e-9, "rotation": 1e-9}}
            scene["output"]["step"] = 0.1
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            self.near(got["pivot.angle"][-1], want[0], 1e-8, method)
            self.near(got["I.value"][-1], want[2], 1e-8, method)

    def test_energy(self):
        """States have no energy and no momentum, and the motor's work is that of its effort."""
        worst = []
        for h in [2.5e-3, 1.25e-3]:
            got = Result(pendulum(PI, LAW, h, signals=["energy", "momentum", "motor.effort"]))
            worst.append(max(abs(x) for x in got["energy.balance"]))
        self.near(worst[0] / worst[1], 4, 0.5, f"balance of {worst[0]:.2g} J falls by four")
        self.near(got["momentum.y"][-1], 0, 1e-12, "momentum")

    def test_transfer(self):
        """1/(s^2 + 2 d w s + w^2) and a lead (T s + 1)/(a T s + 1) of a step, as transfer functions and as a state space: closed forms."""
        w, d, T, a = 3, 0.2, 0.5, 0.1
        blocks = [{"name": "slow", "type": "transfer_function", "input": "1", "numerator": [w * w], "denominator": [1, 2 * d * w, w * w]},
                  {"name": "lead", "type": "transfer_function", "input": "1", "numerator": [T, 1], "denominator": [a * T, 1]},
                  {"name": "space", "type": "state_space", "inputs": ["1"], "A": [[0, 1], [-w * w, -2 * d * w]], "B": [[0], [w * w]], "C": [[1, 0]]},
                  {"name": "both", "type": "value", "value": "slow + 2*lead.value"}]
        got = Result(pendulum(blocks, "0", 0.01, duration=2, method="radau", signals=["slow.value", "lead.value", "space.value", "both.value"]))
        self.assertEqual(got.code, 0, got.said)
        damped = w * math.sqrt(1 - d * d)
        slow = 1 - math.exp(-d * w * 2) * (math.cos(damped * 2) + d * w / damped * math.sin(damped * 2))
        # order 5 with scales of 1/3 s and 1/20 s
        self.near(got["slow.value"][-1], slow, 1e-9, "slow")
        self.near(got["space.value"][-1], got["slow.value"][-1], 1e-13, "space")
        self.near(got["lead.value"][0], T / (a * T), 1e-12, "lead at once")
        self.near(got.at("lead.value", 0.1), 1 + (1 / a - 1) * math.exp(-0.1 / (a * T)), 1e-6, "lead")
        self.near(got["both.value"][-1], slow + 2, 1e-9, "both")

    def test_stiff(self):
        """A state that follows an angle within 10 us, and holds it by a stiff spring: tangents arrive, so that Newton's iteration converges."""
        got = Result(pendulum([{"state": "x", "rate": "1e5*(pivot.angle - x)"}], "-1e6*(x + 0.1*pivot.angle) - 2e4*pivot.rate", 5e-3, duration=0.5))
        self.assertEqual(got.code, 0, got.said)
        self.assertEqual(got.summary["rejected_steps"], 0)
        self.near(got.summary["newton_iterations"] / got.summary["steps"], 1.5, 1.5, "iterations in each step")

    def test_event(self):
        """An event watches a state: an integral of t reaches 0.5 at t = 1."""
        got = Result(pendulum([{"name": "x", "type": "state", "rate": "t"}], "0", 0.01, method="radau",
                              events=[{"name": "half", "when": "x - 0.5", "action": "stop"}]))
        self.near(got.summary["events"][0]["t"], 1, 1e-9, "half")

    def test_resume(self):
        """A run that goes on has the same bytes."""
        scene = pendulum(PI, LAW, 0.01, duration=2, signals=["I.value"])
        self.resumes(scene, 0.7, 2)

    def test_pid(self):
        """A continuous PID whose output stays at a limit at first: the integral follows the limit, by its own equations in Python."""
        kp, ki, kd, T, low, high, track = 60.0, 40.0, 12.0, 0.05, -9.0, 14.0, 0.4
        block = {"name": "u", "type": "continuous_pid", "input": "goal - pivot.angle", "kp": kp, "ki": ki, "kd": kd, "filter": T, "limits": [low, high],
                 "tracking": track}

        def rates(t, s):
            q, w, i, d = s
            e = 0.5 - q
            v = kp * e + i + kd * (e - d) / T
            u = max(low, min(high, v))
            return [w, (u - 9.81 * 0.8 * math.cos(q)) / (0.64 + 0.1), ki * e + (u - v) / track, (e - d) / T]

        want = runge_kutta(rates, [0.0] * 4, 1.5, 150000)[-1][1]
        for group in ["R3xSO3", "SE3"]:
            got = Result(pendulum([block], "u", 0.01, 1.5, method="radau", signals=["u.value", "u_I.value"], group=group))
            self.assertEqual(got.code, 0, got.said)
            self.assertTrue(max(got["u.value"]) == high)
            # the reference's kinks lie within steps: h^2 of its steps times the jump of a derivative
            self.near(got["pivot.angle"][-1], want[0], 1e-7, group)
            self.near(got["u_I.value"][-1], want[2], 1e-5, "integral")

    def test_switched_states(self):
        """States that events reset, stop and let go on: closed forms, in all methods; a run that goes on has the same bytes."""
        blocks = [{"state": "x", "rate": "1", "initial": 2}, {"state": "y", "rate": "-y", "initial": 1}]
        events = [{"name": "half", "when": "t - 0.5", "action": [{"reset": {"x": "x/2 + y", "y": "x.value"}}, {"off": ["y"]}]},
                  {"name": "on", "when": "t - 0.8", "action": {"on": ["y"]}}]
        for method, tolerance in [("radau", 1e-9), ("generalized_alpha", 1e-5), ("soi2", 1e-5)]:
            scene = pendulum(blocks, "0", 0.01, 1.2, method=method, signals=["x.value", "y.value"], events=events)
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            x = 2.5 / 2 + math.exp(-0.5)
            self.near(got["x.value"][-1], x + 0.7, tolerance, method)
            self.near(got.at("y.value", 0.75), 2.5, tolerance, "stays")
            self.near(got["y.value"][-1], 2.5 * math.exp(-0.4), tolerance, "goes on")
        self.resumes(scene, 0.7, 1.2)

    def test_switched_samples(self):
        """A sampled block that counts its samples, off from 0.25 to 0.58: none in between, then at its own times again; a run that goes on has the same bytes."""
        block = {"name": "n", "type": "sampled", "period": 0.1, "value": "inputs.n + 1", "initial": 0}
        events = [{"name": "off", "when": "t - 0.25", "action": {"off": ["n"]}}, {"name": "on", "when": "t - 0.58", "action": {"on": ["n"]}}]
        scene = pendulum([block], "0", 0.01, 1.05, signals=["inputs.n"], events=events)
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        for t, count in [(0.05, 1), (0.24, 3), (0.55, 3), (0.595, 3), (0.65, 4), (1.05, 8)]:
            self.near(got.at("inputs.n", t), count, 0, f"at {t}")
        self.resumes(scene, 0.4, 1.05)

    def test_wrong_switching(self):
        blocks = [{"state": "speed", "rate": "1"}, {"name": "v", "type": "value", "value": "2*speed"},
                  {"name": "late", "type": "delay", "input": "speed", "time": 0.1},
                  {"name": "n", "type": "sampled", "period": 0.1, "value": "inputs.n + 1"}]
        for action, message, hint in [({"reset": {"sped": 0}}, 'there is no state "sped"', 'did you mean "speed"?'),
                                      ({"reset": {"v": 0}}, 'there is no state "v"', ""), ({"reset": ["speed"]}, "must be values of states", ""),
                                      ({"off": ["late"]}, '"late" is a delay, which cannot be switched', ""),
                                      ({"on": ["n"], "off": ["n"]}, 'switches "n" on and off at once', ""),
                                      ({"off": ["v"]}, '"v" is a value of a controller, which cannot be switched', "multiply it by an input")]:
            scene = pendulum(blocks, "v", 0.01, events=[{"name": "e", "when": "t - 0.5", "action": action}])
            with self.subTest(message):
                self.refused(self.make().run(scene, "check"), message, hint)

    def test_rate_limit(self):
        """A step and a slow ramp through a rate limiter: at its rate, then with its lag; closed forms."""
        T = 0.05
        blocks = [{"name": "r", "type": "rate_limit", "input": "1", "rates": [-2, 0.5], "time": T},
                  {"name": "f", "type": "rate_limit", "input": "-1", "rates": [-2, 0.5], "time": T},
                  {"name": "s", "type": "rate_limit", "input": "0.3*t", "rates": [-2, 0.5], "time": T, "initial": 0}]
        got = Result(pendulum(blocks, "r + f + s", 0.01, duration=3, method="radau", signals=["r.value", "f.value", "s.value"]))
        self.assertEqual(got.code, 0, got.said)
        for name, goal, rate in [("r", 1, 0.5), ("f", -1, -2)]:
            end = (goal - rate * T) / rate
            for t in [0.2, 0.4, 1.5, 2.5]:
                want = rate * t if t < end else goal - rate * T * math.exp(-(t - end) / T)
                self.near(got.at(f"{name}.value", t), want, 1e-8, f"{name} at {t}")
        self.near(got.at("s.value", 1), 0.3 * (1 - T + T * math.exp(-1 / T)), 1e-9, "ramp")

    def test_wrong(self):
        cases = [
            ([{"name": "u", "type": "continuous_pid", "input": "1", "kd": 1}], "u", "the derivative of a continuous PID needs a filter", "seconds"),
            ([{"name": "u", "type": "continuous_pid", "input": "1", "ki": 1, "limits": [-1, 1]}], "u", "the integral follows a limit", "kp/ki"),
            ([{"name": "u", "type": "continuous_pid", "input": "1", "ki": 1, "tracking": 1}], "u", "has no limits to follow", "limits"),
            ([{"name": "u", "type": "continuous_pid", "input": "1", "limits": [1, -1]}], "u", "the lower limit 1 is not below -1", ""),
            ([{"name": "u", "type": "continuous_pid", "kp": 1}], "u", "is missing", ""),
            ([{"name": "u", "type": "continuous_pid", "input": "1", "kp": 1, "period": 0.1}], "u", "unknown key \"period\"", "kp"),
            ([{"name": "u", "type": "continuous_pid", "input": "u", "kp": 1}], "u", "algebraic loop: u -> u", ""),
            ([{"name": "r", "type": "rate_limit", "input": "1", "time": 0.1}], "r", "is missing", "[-2, 2]"),
            ([{"name": "r", "type": "rate_limit", "input": "1", "rates": [1, 2], "time": 0.1}], "r", "the rates 1 to 2 do not let it rest", ""),
            ([{"name": "r", "type": "rate_limit", "input": "1", "rates": [-1, 2]}], "r", "the lag with which it follows", "0.01"),
            ([{"name": "a", "type": "value", "value": "2*b"}, {"name": "b", "type": "value", "value": "a + 1"}], "a", "algebraic loop: a -> b -> a", "state"),
            ([{"name": "a", "type": "value", "value": "a + 1"}], "0", "algebraic loop: a -> a", ""),
            ([{"name": "f", "type": "transfer_function", "input": "f", "numerator": [1, 0], "denominator": [1, 1]}], "0", "algebraic loop: f -> f", "feedthrough"),
            ([{"name": "f", "type": "transfer_function", "input": "1", "numerator": [1, 0, 0], "denominator": [1, 1]}], "0", "has the degree 2, above", "filter"),
            ([{"name": "f", "type": "transfer_function", "input": "1", "numerator": [1], "denominator": [0, 0]}], "0", "the denominator is zero", ""),
            ([{"name": "f", "type": "transfer_function", "input": "1", "numerator": [], "denominator": [1]}], "0", "must have 1 to 64 coefficients", ""),
            ([{"name": "f", "type": "transfer_function", "numerator": [1], "denominator": [1, 1]}], "0", "is missing", ""),
            ([{"state": "x"}], "0", "is missing", ""),
            ([{"state": "goal", "rate": "1"}], "0", "\"goal\" is taken", ""),
            ([{"state": "sin", "rate": "1"}], "0", "\"sin\" is taken", ""),
            ([{"state": "x", "rate": "1"}, {"state": "x", "rate": "2"}], "0", "\"x\" is taken", ""),
            ([{"state": "rod", "rate": "1"}], "0", "rod", ""),
            ([{"state": "x", "rate": "pivot.angel"}], "0", "there is no joint coordinate \"pivot.angel\"", "pivot.angle"),
            ([{"state": "x", "rate": "y"}], "0", "there is no parameter \"y\"", ""),
            ([{"state": "x", "rate": "1", "start": 2}], "0", "unknown key \"start\"", ""),
            ([{"name": "s", "type": "state_space", "inputs": ["1"], "A": [[0, 1]], "B": [[1]], "C": [[1]]}], "0", "must be an array of 1 numbers", ""),
            ([{"name": "s", "type": "state_space", "inputs": ["1"], "A": [[0]], "B": [[1], [2]], "C": [[1]]}], "0", "must have 1 rows, but has 2", ""),
            ([{"name": "s", "type": "state_spice"}], "0", "state_spice", ""),
            ([], "60*J", "there is no parameter \"J\"", ""),
        ]
        for controllers, effort, message, hint in cases:
            with self.subTest(message):
                self.refused(self.make().run(pendulum(controllers, effort, 0.01), "check"), message, hint)


# ---- samples --------------------------------------------------------------------------------------


def rotor(controllers, effort, step=5e-3, duration=1, signals=(), method="radau", **more):
    """A rotor of 0.5 kg m^2 without friction, at rest."""
    return {"torsor": 1, "parameters": {"goal": 1}, "bodies": [{"name": "disc", "type": "rigid_body", "mass": 1, "inertia": [0.5, 0.5, 0.5]}],
            "joints": [{"name": "axle", "type": "revolute", "a": "ground", "b": "disc"}], "controllers": controllers,
            "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "axle.angle", "effort": effort}],
            "simulation": {"method": method, "step": step, "duration": duration}, "output": {"signals": ["axle.angle", "axle.rate", *signals]}, **more}


class Samples(WordsTest):
    def pid(self, kp, ki, kd, T, samples, limits=(-math.inf, math.inf), goal=1.0, J=0.5):
        """Angle, rate and effort after so many samples: between them the effort is constant."""
        q = w = total = u = 0.0
        last = 0.0
        for _ in range(samples):
            e = goal - q
            raw = kp * e + total + kd * (e - last) / T
            u = max(limits[0], min(limits[1], raw))
            if not ((raw > limits[1] and ki * e > 0) or (raw < limits[0] and ki * e < 0)):
                total += ki * T * e
            last = e
            q, w = q + w * T + u / J * T * T / 2, w + u / J * T
        return q, w, u

    def test_pid(self):
        """Between samples the motion is a parabola, which these methods integrate to rounding."""
        for limits in [None, [-3, 2.5]]:
            block = {"name": "u", "type": "pid", "period": 0.02, "input": "goal - axle.angle", "kp": 8, "ki": 6, "kd": 1.5}
            if limits:
                block["limits"] = limits
            want = self.pid(8, 6, 1.5, 0.02, 50, limits or (-math.inf, math.inf))
            for method in ["radau", "generalized_alpha", "explicit"]:
                got = Result(rotor([block], "u", method=method, signals=["inputs.u"]))
                self.assertEqual(got.code, 0, got.said)
                # 50 samples, whose roundings the loop damps; efforts of 80 N m at the start
                for name, value in zip(["axle.angle", "axle.rate", "inputs.u"], want):
                    self.near(got[name][-1], value, 50 * 80 * EPS * 50, f"{method} {limits} {name}")

    def test_difference(self):
        """A unit delay, a counter and a hold: the effort is the angle of one sample ago."""
        blocks = [{"name": "u", "type": "sampled", "period": 0.1, "value": "2 - 3*before", "states": [{"state": "before", "next": "axle.angle"},
                                                                                                 {"state": "count", "next": "count + 1", "initial": 5}]}]
        q = w = before = 0.0
        for _ in range(10):
            u, before = 2 - 3 * before, q
            q, w = q + w * 0.1 + u / 0.5 * 0.005, w + u / 0.5 * 0.1
        got = Result(rotor(blocks, "u", signals=["inputs.count"]))
        self.assertEqual(got.code, 0, got.said)
        self.near(got["axle.angle"][-1], q, 1e-12, "angle")
        self.near(got["inputs.count"][-1], 15, 0, "count")

    def test_mixed(self):
        """A sampled block that reads a state, and a state that reads a sampled value: x' = u with u = 1 - x, held for T: x_k = 1 - (1 - T)^k."""
        blocks = [{"state": "x", "rate": "u"}, {"name": "u", "type": "sampled", "period": 0.1, "value": "1 - x"}]
        got = Result(rotor(blocks, "0*u", signals=["x.value"]))
        self.assertEqual(got.code, 0, got.said)
        self.near(got["x.value"][-1], 1 - 0.9**10, 1e-13, "x")

    def test_resume(self):
        scene = rotor([{"name": "u", "type": "pid", "period": 0.03, "input": "goal - axle.angle", "kp": 8, "ki": 6, "kd": 1.5, "limits": [-3, 2.5]}], "u")
        self.resumes(scene, 0.5, 1)

    def test_wrong(self):
        good = {"name": "u", "type": "pid", "period": 0.02, "input": "goal - axle.angle"}
        cases = [
            ({**good, "period": 0}, "u", "must be greater than 0", "seconds"),
            ({key: value for key, value in good.items() if key != "period"}, "u", "is missing", "0.01"),
            ({**good, "limits": [2, -2]}, "u", "the first must be below the second", ""),
            ({**good, "limits": 2}, "u", "must be an array of 2 numbers", ""),
            ({**good, "input": "goal - axle.angel"}, "u", "axle.angel", "axle.angle"),
            ({**good, "input": "gaol - axle.angle"}, "u", "there is no parameter \"gaol\"", "goal"),
            ({**good, "kP": 3}, "u", "unknown key \"kP\"", "kp"),
            ({**good, "name": "goal"}, "u", "\"goal\" is taken", ""),
            ({**good, "name": "t"}, "1", "\"t\" is taken", ""),
            ({**good, "offset": -1}, "u", "must be 0 or greater", ""),
            ({"name": "u", "type": "sampled", "period": 1}, "u", "is missing", ""),
            ({"name": "u", "type": "sampled", "period": 1, "value": 1, "states": [{"state": "u", "next": 1}]}, "u", "already", ""),
            ({"name": "u", "type": "sampled", "period": 1, "value": 1, "states": [{"state": "x"}]}, "u", "is missing", ""),
        ]
        for block, effort, message, hint in cases:
            with self.subTest(message):
                self.refused(self.make().run(rotor([block], effort), "check"), message, hint)


# ---- events that set inputs, relays ---------------------------------------------------------------


class Sets(WordsTest):
    def test_relay(self):
        """x' = 2 - 3 u, u on above 1, off below 0.5: from 0 to 1 at 0.5, then down at 1 per second, up at 2 per second."""
        blocks = [{"state": "x", "rate": "2 - 3*u"}, {"name": "u", "type": "relay", "input": "x", "on": 1, "off": 0.5}]
        for method in ["radau", "generalized_alpha", "explicit"]:
            got = Result(rotor(blocks, "0", method=method, duration=3, signals=["x.value", "inputs.u"]))
            self.assertEqual(got.code, 0, got.said)
            times, t = [], 0.5
            while t < 3:
                times.append(t)
                t += 0.5 if len(times) % 2 else 0.25
            found = [event["t"] for event in got.summary["events"]]
            self.assertEqual([event["name"] for event in got.summary["events"][:3]], ["u.on", "u.off", "u.on"])
            self.near(max(abs(a - b) for a, b in zip(found, times)), 0, 1e-9, f"{method}: times of {len(times)} events")
            self.assertEqual(len(found), len(times))

    def test_thermostat(self):
        """Switched on where its input falls: -x' = .. of the same motion with the sign turned."""
        blocks = [{"state": "x", "rate": "3*u - 2"}, {"name": "u", "type": "relay", "input": "x", "on": -1, "off": -0.5, "values": [0, 1]}]
        got = Result(rotor(blocks, "0", duration=1.2, signals=["x.value"]))
        self.assertEqual([round(event["t"], 9) for event in got.summary["events"]], [0.5, 1.0])

    def test_set(self):
        """An event changes inputs in order: a bouncing gain, counted; x'' = k between, exact."""
        events = [{"name": "turn", "when": "axle.angle - 1", "direction": "rising", "times": 2,
                   "action": {"set": {"n": "n + 1", "k": "-2*n"}}}]
        got = Result(rotor([], "k", duration=2, signals=["inputs.n", "inputs.k"], events=events, inputs={"k": 1, "n": 0}))
        self.assertEqual(got.code, 0, got.said)
        # q = t^2 reaches 1 at t = 1 with w = 2; then q'' = -2/0.5 = -4
        self.near(got.summary["events"][0]["t"], 1, 1e-9, "first")
        self.near(got["axle.angle"][-1], 1 + 2 - 2, 1e-12, "angle")
        self.near(got["inputs.n"][-1] + got["inputs.k"][-1], -1, 0, "inputs")

    def test_resume(self):
        scene = rotor([{"name": "u", "type": "relay", "input": "axle.angle", "on": -0.1, "off": 0.1, "values": [-2, 2], "initial": True}], "u", duration=3, signals=["inputs.u"])
        self.resumes(scene, 1.1, 3)

    def test_wrong(self):
        relay = {"name": "u", "type": "relay", "input": "axle.angle", "on": 1, "off": 0}
        event = {"name": "e", "when": "axle.angle - 1"}
        cases = [
            ([{**relay, "off": 1}], [], "are both 1", "hysteresis"),
            ([{**relay, "input": "axle.angel"}], [], "axle.angel", "axle.angle"),
            ([{**relay, "values": 3}], [], "must be an array of 2 numbers", ""),
            ([{key: value for key, value in relay.items() if key != "on"}], [], "is missing", ""),
            ([{**relay, "initial": 2}], [], "true or false", ""),
            ([relay], [{**event, "action": {"set": {"v": 1}}}], "there is no input \"v\"", ""),
            ([relay], [{**event, "action": {"set": 3}}], "must be values of inputs", ""),
            ([relay], [{**event, "action": {"set": {"u": "axle"}}}], "there is no parameter \"axle\"", ""),
            ([relay], [{**event, "action": {"set": {}}}], "switches nothing", ""),
            ([relay], [{**event, "name": "u.on"}], "two events called \"u.on\"", ""),
        ]
        for blocks, events, message, hint in cases:
            with self.subTest(message):
                self.refused(self.make().run(rotor(blocks, "0", events=events), "check"), message, hint)


# ---- delays ---------------------------------------------------------------------------------------


class Delays(WordsTest):
    def test_state(self):
        """x' = -x(t - 1), x = 1 before: the method of steps gives polynomials, which are exact in the dense output of high orders."""
        blocks = [{"state": "x", "rate": "-late", "initial": 1}, {"name": "late", "type": "delay", "input": "x", "time": 1, "initial": 1}]
        want = 1 - 3 + 2 - 1 / 6
        for method, tolerance in [("radau", 1e-13), ("explicit", 1e-13)]:
            got = Result(rotor(blocks, "0", step=0.05, duration=3, method=method, signals=["x.value", "inputs.late"]))
            self.assertEqual(got.code, 0, got.said)
            self.near(got["x.value"][-1], want, tolerance, method)
            self.near(got["inputs.late"][-1], 1 - 2 + 0.5, tolerance, "late")

    def test_order(self):
        """J q'' = -3 q(t - 0.4), q' = 2 at the start: polynomials of degree 1, 3, 5 and 7 between multiples of the delay; the method's order."""
        def q(t, a=0.4, k=6.0, w=2.0):
            return sum((-k) ** n * w * max(0.0, t - n * a) ** (2 * n + 1) / math.factorial(2 * n + 1) for n in range(8))

        blocks = [{"name": "late", "type": "delay", "input": "axle.angle", "time": 0.4}]
        for method, steps, power in [("generalized_alpha", [0.02, 0.01], 2), ("radau", [0.1, 0.05], 5)]:
            errors = []
            for h in steps:
                scene = rotor(blocks, "-3*late", step=h, duration=2, method=method)
                scene["bodies"][0]["angular_velocity"] = [0, 0, 2]
                got = Result(scene)
                self.assertEqual(got.code, 0, got.said)
                errors.append(abs(got["axle.angle"][-1] - q(2)))
            print(f"  {method}: errors {errors[0]:.3g}, {errors[1]:.3g}")
            self.assertLess(errors[1], max(errors[0] / (0.75 * 2**power), 1e-12))

    def test_resume(self):
        blocks = [{"name": "late", "type": "delay", "input": "axle.angle + 0.1*axle.rate", "time": 0.37}]
        scene = rotor(blocks, "3*(1 - late)", step=0.01, duration=2, signals=["inputs.late"], method="generalized_alpha")
        self.resumes(scene, 0.8, 2)

    def test_wrong(self):
        late = {"name": "late", "type": "delay", "input": "axle.angle", "time": 0.1}
        cases = [({**late, "time": 0}, "must be greater than 0", "seconds"), ({**late, "time": -1}, "must be greater than 0", ""),
                 ({key: value for key, value in late.items() if key != "time"}, "is missing", "0.05"), ({**late, "input": "axle.angel"}, "axle.angel", "axle.angle"),
                 ({**late, "period": 1}, "unknown key \"period\"", "")]
        for block, message, hint in cases:
            with self.subTest(message):
                self.refused(self.make().run(rotor([block], "late"), "check"), message, hint)
        done = self.make().run(rotor([{**late, "time": 3}], "late", step=5e-4, duration=4))
        self.refused(done, "holds more than 4096 steps", "longer steps", code=4)


if __name__ == "__main__":
    unittest.main()
