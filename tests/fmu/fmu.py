#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FMUs: exported by the command, unpacked, and led by an importer of our own (import.c).

Environment: TORSOR, TORSOR_DATA, FMU_IMPORT (the importer).
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

TORSOR, DATA = os.environ["TORSOR"], pathlib.Path(os.environ["TORSOR_DATA"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ("2", "3")

TOP = json.loads((DATA / "scenes/heavy_top.json").read_text())
TOP["output"] = {"step": 0.01, "signals": ["top.position", "top.angular_velocity", "pivot.force", "energy.total"]}

CART = {"torsor": 1, "title": "Cart & <pole> {\"parameters\":{", "gravity": [0, 0, -9.81], "parameters": {"m": 1, "twice": "2*m"},
        "inputs": {"push": {"value": 0, "unit": "N", "doc": "force on the cart", "min": -50, "max": 20}},
        "bodies": [{"name": "cart", "type": "rigid_body", "mass": "m", "inertia": [0.1, 0.1, 0.1]},
                   {"name": "pole", "type": "rigid_body", "mass": 0.1, "inertia": [0.01, 0.01, 1e-4], "position": [0.02, 0, 0.5]}],
        "joints": [{"name": "slide", "type": "prismatic", "a": "ground", "b": "cart", "axis": [1, 0, 0]},
                   {"name": "hinge", "type": "revolute", "a": "cart", "b": {"body": "pole", "position": [-0.02, 0, -0.5]},
                    "axis": [0, 1, 0]}],
        "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "slide.travel", "effort": "push"},
                   {"name": "spring", "type": "coordinate_spring", "coordinate": "hinge.angle", "stiffness": 0.1}],
        "output": {"signals": ["slide.travel", "hinge.angle"]}, "simulation": {"step": 1e-3, "duration": 2}}

BALL = {"torsor": 1, "gravity": [0, 0, -9.81],
        "bodies": [{"name": "ball", "type": "point_mass", "mass": 1, "position": [0, 0, 1]}],
        "events": [{"name": "half", "when": "ball.position.z - 0.5"}, {"name": "floor", "when": "ball.position.z", "action": "stop"}],
        "output": {"signals": ["ball.position.z"]}, "simulation": {"step": 1e-2, "duration": 2}}


def run(*words, code=0):
    done = subprocess.run([TORSOR, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


class Fmu:
    """An FMU that was exported and unpacked."""

    def __init__(self, folder, scene, version, *words):
        self.folder, self.version = pathlib.Path(folder) / f"fmu {version}", version
        file = pathlib.Path(folder) / "scene.json"
        file.write_text(json.dumps(scene))
        self.file = pathlib.Path(folder) / f"scene{version}.fmu"
        run("fmu", file, "-o", self.file, "--fmi", version, *(words if "--bundle" in words else [*words, "--bundle", "torsor"]))
        with zipfile.ZipFile(self.file) as archive:
            assert archive.testzip() is None
            archive.extractall(self.folder)
        self.description = xml.parse(self.folder / "modelDescription.xml").getroot()
        self.token = self.description.get("instantiationToken") or self.description.get("guid")
        self.variables = {v.get("name"): v for v in self.description.find("ModelVariables")}
        self.reference = {name: v.get("valueReference") for name, v in self.variables.items()}
        self.outputs = [name for name, v in self.variables.items() if v.get("causality") == "output"]

    @property
    def library(self):
        return next(self.folder.glob("binaries/*/torsor.so"))

    def lead(self, lines, *words, token=None, code=0, environment=None, checker=()):
        """Answers of the importer: for each line the words before and after "status", and the log."""
        resources = self.folder / "resources"
        place = f"{resources}/" if self.version == "3" else "file://" + str(resources).replace(" ", "%20")
        done = subprocess.run([*checker, os.environ["FMU_IMPORT"], self.version, self.library, place, token or self.token, *words],
                              input="\n".join(lines) + "\n", capture_output=True, text=True, env=environment)
        assert done.returncode == code, done.stderr + done.stdout
        printed = done.stdout.splitlines()
        self.log = [line for line in printed if line.startswith("log")]
        return [line.split() for line in printed if "status" in line.split() and not line.startswith("log")]

    def get(self, names):
        return "get " + " ".join(self.reference[name] for name in names)

    def rows(self, lines, *words):
        """Values of all outputs after each line from an initialisation or a state on; every line succeeds."""
        script, ready = [], False
        for line in lines:
            verb = line.split()[0]
            ready = verb in ("init", "begin", "load", "other") or (ready and verb != "reset")
            script += [line, self.get(self.outputs)] if ready else [line]
        answers = self.lead(script, *words)
        assert all(answer[-1] == "0" for answer in answers), (answers, self.log)
        return [[float.fromhex(word) for word in answer[:-2]] for line, answer in zip(script, answers) if line.startswith("get")]


class FmuTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def each(self, scene, *words):
        return [Fmu(self.folder, scene, version, *words) for version in VERSIONS]

    def test_rows_are_those_of_a_run(self):
        """To the last bit, although the points of communication are sums of the step."""
        run("run", self.write(TOP), "-o", f"{self.folder}/out", "-q")
        lines = (pathlib.Path(self.folder) / "out/trajectory.csv").read_text().splitlines()
        expected = [[float(x) for x in line.split(",")] for line in lines[1:]]
        for fmu in self.each(TOP):
            t, script = 0.0, ["init 0"]
            for _ in expected[1:]:
                script.append(f"step {t:.17g} 0.01")
                t += 0.01
            rows = fmu.rows(script)
            self.assertEqual(fmu.outputs, lines[0].split(",")[1:])
            self.assertEqual(rows, [row[1:] for row in expected])

    def write(self, scene):
        file = pathlib.Path(self.folder) / "given.json"
        file.write_text(json.dumps(scene))
        return file

    def test_states_go_to_other_processes(self):
        state = f"{self.folder}/state"
        for fmu in self.each(CART, "--tunables", "spring.stiffness"):
            push, k, m = (fmu.reference[name] for name in ("push", "spring.stiffness", "m"))
            begin = [f"set {m} 1.5", "init 0", f"set {k} 0.4", f"set {push} 2", "step 0 0.025"]
            rest = [f"step {0.025 * i:.17g} 0.025" for i in range(1, 31)]
            whole = fmu.rows(begin + rest)[-30:]
            self.assertEqual(fmu.rows(begin + [f"save {state}"] + rest)[-30:], whole)
            self.assertEqual(fmu.rows([f"load {state}"] + rest)[-30:], whole)
            # Into an instance that has gone another way, and back in the same one.
            other = ["init 0", f"set {push} -3", "step 0 0.5", f"load {state}"]
            self.assertEqual(fmu.rows(other + rest)[-30:], whole)
            self.assertEqual(fmu.rows(begin + ["keep"] + rest + ["back"] + rest)[-30:], whole)
            print(f"  FMI {fmu.version}: {os.path.getsize(state)} bytes of state")
            # Bytes that are no state, one of another FMU: an error with a line in the log, and the instance goes on.
            data = pathlib.Path(state).read_bytes()
            for bad in (b"", data[:100], data[:-1], b"x" * len(data)):
                pathlib.Path(state).write_bytes(bad)
                answers = fmu.lead(["init 0", f"load {state}", "step 0 0.1"])
                self.assertEqual([a[-1] for a in answers], ["0", "3", "0"])
                self.assertIn("not one of this FMU", " ".join(fmu.log))

    def test_instances_share_nothing(self):
        for fmu in self.each(CART):
            push = fmu.reference["push"]
            one = ["init 0", f"set {push} 2", "step 0 0.1", "step 0.1 0.1"]
            two = ["init 0", f"set {push} -1", "step 0 0.1", "step 0.1 0.1"]
            mixed = [one[0], "other", two[0], "other"] + [line for a, b in zip(one[1:], two[1:]) for line in (a, "other", b, "other")]
            # The other instance has no outputs before its own initialisation.
            answers = fmu.lead([part for i, line in enumerate(mixed) for part in [line] + ([fmu.get(fmu.outputs)] if i != 1 else [])])
            rows = [[float.fromhex(word) for word in answer[:-2]] for answer in answers if answer[0].startswith(("0x", "-0x"))
                    and len(answer) == 4]
            self.assertEqual(rows[0:1] + rows[3::4], fmu.rows(one))
            self.assertEqual(rows[1:2] + rows[5::4], fmu.rows(two))

    def test_inputs(self):
        """A push from 0.5 s on is that of an event in the scene; ramps are of order 2; what is set between steps counts later."""
        pushed = json.loads(json.dumps(CART))
        pushed["forces"][0].update(effort=2, active=False)
        pushed["events"] = [{"name": "on", "when": "t - 0.5", "action": {"on": ["motor"]}}]
        pushed["output"]["step"] = 0.01
        run("run", self.write(pushed), "-o", f"{self.folder}/out", "-q", "--set", "simulation.duration=1.5")
        lines = (pathlib.Path(self.folder) / "out/trajectory.csv").read_text().splitlines()[1:]
        expected = [[float(x) for x in line.split(",")][1:] for line in lines]
        for fmu in self.each(CART):
            push = fmu.reference["push"]
            script = ["init 0"] + [line for i in range(150) for line in
                                   ([f"set {push} 2"] if i == 50 else []) + [f"step {0.01 * i:.17g} 0.01"]]
            rows = fmu.rows(script)
            self.assertEqual(rows[50], rows[51])  # the value counts from the next step on
            rows = rows[:51] + rows[52:]
            worst = max(abs(a - b) for r, e in zip(rows, expected) for a, b in zip(r, e))
            print(f"  FMI {fmu.version}: a push differs by {worst:.1e} from that of an event")
            # The event is located to 1e-12 s or so; a start of the method resolves 1e-3 s steps to about 1e-10.
            self.assertLess(worst, 1e-9)
            start = fmu.variables["push"] if fmu.version == "3" else fmu.variables["push"].find("Real")
            self.assertEqual((start.get("start"), start.get("unit")), ("0", "N"))
        # F = 3 t on a free mass of 1 kg: x = t^3/2.
        free = {"torsor": 1, "inputs": {"u": {"value": 0, "unit": "N"}},
                "bodies": [{"name": "cart", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1]}],
                "joints": [{"name": "slide", "type": "prismatic", "a": "ground", "b": "cart", "axis": [1, 0, 0]}],
                "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "slide.travel", "effort": "u"}],
                "output": {"signals": ["slide.travel"]}, "simulation": {"step": 1e-3, "duration": 1}}
        fmu = Fmu(self.folder, free, "2")
        script = ["init 0"]
        for i in range(10):
            script += [f"set 1 {0.3 * i:.17g}", "der 1 1 3", f"step {0.1 * i:.17g} 0.1"]
        self.assertLess(abs(fmu.rows(script)[-1][0] - 0.5), 1e-6)

    def test_parameters(self):
        """Set before the initialisation they are those of `--set`; numbers of elements change on the way; `reset` takes them back."""
        run("run", self.write(CART), "-o", f"{self.folder}/out", "-q", "--set", "parameters.m=3", "--set", "output.step=0.1",
            "--set", "simulation.duration=0.5")
        last = [float(x) for x in (pathlib.Path(self.folder) / "out/trajectory.csv").read_text().splitlines()[-1].split(",")][1:]
        steps = [f"step {0.1 * i:.17g} 0.1" for i in range(5)]
        for fmu in self.each(CART, "--tunables", "spring.stiffness,cart.mass"):
            m, k = fmu.reference["m"], fmu.reference["spring.stiffness"]
            self.assertNotIn("twice", fmu.reference)
            self.assertEqual(fmu.rows([f"set {m} 3", "init 0"] + steps)[-1], last)
            plain = fmu.rows(["init 0"] + steps)
            self.assertEqual(fmu.rows([f"set {m} 3", "init 0", f"set {k} 9", *steps, "reset", "init 0"] + steps)[-6:], plain)
            stiff = fmu.rows(["init 0", f"set {k} 9"] + steps)
            self.assertNotEqual(stiff[-1], plain[-1])
            answers = fmu.lead(["init 0", f"set {m} 2", f"set {k} -1", "step 0 0.1", f"set {k} nan", "set 999999 1", "get 777"])
            self.assertEqual([a[-1] for a in answers], ["0", "3", "0", "3", "3", "3", "3"])
            self.assertIn('"stiffness" of "spring" must be 0 or greater', " ".join(fmu.log))
            self.assertEqual(fmu.rows(["begin 0", f"set {m} 3", "start"] + steps)[-1], last)

    def test_events(self):
        """Steps end at events where that is agreed, and a run that an event stops says so."""
        fall = math.sqrt(2 * 0.5 / 9.81)
        fmu = Fmu(self.folder, BALL, "3")
        answers = fmu.lead(["init 0", "go", "step 0 0.5", f"step {fall} 0.1", fmu.get(fmu.outputs)], "events")
        events, terminate, early, reached = answers[2][:4]
        self.assertEqual((events, terminate, early, answers[2][-1]), ("1", "0", "1", "0"))
        at = float.fromhex(reached)
        print(f"  the event is {at - fall:.1e} s off")
        self.assertLess(abs(at - fall), 1e-9)
        self.assertIn('event "half"', " ".join(fmu.log))
        script = ["init 0", "go", "step 0 0.5", "event", "go", f"step {at:.17g} 0.6", "step 1 1"]
        answers = fmu.lead(script, "events")
        stop = [float.fromhex(answers[5][3]), *answers[5][:3]]
        self.assertLess(abs(stop[0] - math.sqrt(2 / 9.81)), 1e-9)
        self.assertEqual(stop[1:3], ["1", "1"] if stop[1] == "1" else ["0", "1"])
        # Without event mode the step goes through the first one.
        answers = fmu.lead(["init 0", "step 0 0.4", "step 0.4 0.4", "updates"])
        self.assertEqual(answers[1][:3], ["0", "0", "0"])
        self.assertEqual(answers[2][1:3], ["1", "1"])
        self.assertGreater(int(answers[3][0]), 40)
        fmu = Fmu(self.folder, BALL, "2")
        answers = fmu.lead(["init 0", "step 0 0.4", "step 0.4 0.4"])
        self.assertEqual([a[-1] for a in answers], ["0", "0", "2"])
        self.assertEqual(answers[2][1], "1")
        self.assertLess(abs(float.fromhex(answers[2][3]) - math.sqrt(2 / 9.81)), 1e-9)

    def test_wrong_order(self):
        for fmu in self.each(CART):
            push = fmu.reference["push"]
            script = ["step 0 1", "start", "end", "get 1000", "init 0", "init 0", "step 0.5 1", "step 0 -1", "step 0 0", f"set {push} inf",
                      "step 0 0.1", "end", "step 0.1 1", f"set {push} 1", "reset", "init 0", "step 0 0.1"]
            expected = "3 3 3 3 0 3 3 3 3 3 0 0 3 3 0 0 0".split()
            self.assertEqual([a[-1] for a in fmu.lead(script)], expected)
            self.assertEqual(fmu.lead(["init 0"], token="abc", code=1), [])
        fmu = Fmu(self.folder, CART, "3")
        self.assertEqual(fmu.lead(["init 0", "event"])[-1][-1], "3")
        # A shifted start: the importer's time.
        answers = fmu.lead(["init 10", "step 10 0.1", "get 0"])
        self.assertEqual(float.fromhex(answers[2][0]), 10.1)

    def test_all_functions_are_there(self):
        """Those of the standards' headers, by their names, and none besides."""
        fmu = Fmu(self.folder, CART, "3")
        shown = subprocess.run(["nm", "-D", "--defined-only", fmu.library], capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in shown.splitlines()}
        self.assertTrue(all(re.match(r"fmi[23][A-Z]", name) for name in names), names)
        self.assertEqual(sum(name.startswith("fmi3") for name in names), 75)
        common = ("GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode "
                  "ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean SetString "
                  "GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate "
                  "GetDirectionalDerivative SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus "
                  "GetIntegerStatus GetBooleanStatus GetStringStatus").split()
        self.assertEqual({name[4:] for name in names if name.startswith("fmi2")}, set(common))

    def test_description(self):
        """The description is as the schemas of the standards ask: order of the parts, attributes, references and units that exist."""
        for fmu in self.each(CART, "--tunables", "spring.stiffness"):
            root, three = fmu.description, fmu.version == "3"
            self.assertEqual(root.get("fmiVersion"), f"{fmu.version}.0")
            self.assertEqual(root.get("description"), CART["title"])
            self.assertEqual([part.tag for part in root], ["CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment",
                                                           "ModelVariables", "ModelStructure"])
            simulation = root.find("CoSimulation")
            self.assertEqual(simulation.get("modelIdentifier"), "torsor")
            self.assertEqual(simulation.get("canGetAndSetFMUState" if three else "canGetAndSetFMUstate"), "true")
            units = {unit.get("name") for unit in root.find("UnitDefinitions")}
            self.assertEqual(len(set(fmu.reference.values())), len(fmu.reference))
            for variable in root.find("ModelVariables"):
                self.assertEqual(variable.tag, "Float64" if three else "ScalarVariable")
                number = variable if three else variable.find("Real")
                self.assertIn(number.get("unit"), units | {None})
                needs = variable.get("causality") in ("input", "parameter")
                self.assertEqual(number.get("start") is not None, needs)
                self.assertRegex(variable.get("name"), r"^[A-Za-z_]\w*(\[\d+\])?(\.[A-Za-z_]\w*(\[\d+\])?)*$")
            structure = root.find("ModelStructure")
            known = [v.get("valueReference") for v in root.find("ModelVariables")]
            if three:
                named = [part.get("valueReference") for part in structure if part.tag == "Output"]
            else:
                named = [known[int(part.get("index")) - 1] for part in structure.find("Outputs")]
            self.assertEqual(named, [fmu.reference[name] for name in fmu.outputs])
            force = Fmu(self.folder + "/", CART, fmu.version, "--outputs", "motor.effort").variables["motor.effort"]
            self.assertIsNone((force if three else force.find("Real")).get("unit"))  # it is "N or N m"
            kinds = {name: (v.get("causality"), v.get("variability")) for name, v in fmu.variables.items()}
            self.assertEqual(kinds["m"], ("parameter", "fixed"))
            self.assertEqual(kinds["spring.stiffness"], ("parameter", "tunable"))
            self.assertEqual(kinds["push"], ("input", "continuous"))
            numbers = {name: v if three else v.find("Real") for name, v in fmu.variables.items()}
            self.assertEqual([(float(numbers["push"].get(k))) for k in ("min", "max")], [-50, 20])
            self.assertIsNone(numbers["m"].get("max"))

    # Elements and attributes of the two schemas that descriptions have, required ones with an exclamation mark; parts in their order.
    ALLOWED = {
        "3": {
            "fmiModelDescription": "fmiVersion! modelName! instantiationToken! description author version copyright license generationTool generationDateAndTime variableNamingConvention",
            "CoSimulation": "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess canGetAndSetFMUState canSerializeFMUState providesDirectionalDerivatives "
                            "providesAdjointDerivatives providesPerElementDependencies canHandleVariableCommunicationStepSize fixedInternalStepSize maxOutputDerivativeOrder "
                            "recommendedIntermediateInputSmoothness providesIntermediateUpdate mightReturnEarlyFromDoStep canReturnEarlyAfterIntermediateUpdate hasEventMode providesEvaluateDiscreteStates",
            "UnitDefinitions": "", "Unit": "name!", "BaseUnit": "kg m s A K mol cd rad factor offset", "LogCategories": "", "Category": "name! description",
            "DefaultExperiment": "startTime stopTime tolerance stepSize", "ModelVariables": "",
            "Float64": "name! valueReference! description causality variability canHandleMultipleSetPerTimeInstant intermediateUpdate previous clocks declaredType initial quantity unit displayUnit "
                       "relativeQuantity unbounded min max nominal start derivative reinit",
            "ModelStructure": "", "Output": "valueReference! dependencies dependenciesKind", "InitialUnknown": "valueReference! dependencies dependenciesKind"},
        "2": {
            "fmiModelDescription": "fmiVersion! modelName! guid! description author version copyright license generationTool generationDateAndTime variableNamingConvention numberOfEventIndicators",
            "CoSimulation": "modelIdentifier! needsExecutionTool canHandleVariableCommunicationStepSize canInterpolateInputs maxOutputDerivativeOrder canRunAsynchronuously "
                            "canBeInstantiatedOnlyOncePerProcess canNotUseMemoryManagementFunctions canGetAndSetFMUstate canSerializeFMUstate providesDirectionalDerivative",
            "UnitDefinitions": "", "Unit": "name!", "BaseUnit": "kg m s A K mol cd rad factor offset", "LogCategories": "", "Category": "name! description",
            "DefaultExperiment": "startTime stopTime tolerance stepSize", "ModelVariables": "",
            "ScalarVariable": "name! valueReference! description causality variability initial canHandleMultipleSetPerTimeInstant",
            "Real": "declaredType quantity unit displayUnit relativeQuantity min max nominal unbounded start derivative reinit",
            "ModelStructure": "", "Outputs": "", "InitialUnknowns": "", "Unknown": "index! dependencies dependenciesKind"}}

    def test_attributes(self):
        """Every element and attribute of a description is one of the standard's schemas, its required ones are there, booleans, numbers and
        references are such; causality, variability, initial and start go together as its tables say.  The schemas themselves are no
        package of Debian, so that this stands for them."""
        scenes = [CART, BALL] + [json.loads((DATA / f"scenes/{name}.json").read_text()) for name in ("rotating_beam", "gripper")]
        elements = 0
        for scene in scenes:
            for fmu in self.each(scene, "--tunables", "spring.stiffness") if scene is CART else self.each(scene):
                allowed = self.ALLOWED[fmu.version]
                if shutil.which("xmllint"):
                    subprocess.run(["xmllint", "--noout", fmu.folder / "modelDescription.xml"], check=True)
                for element in fmu.description.iter():
                    words = allowed[element.tag].split()
                    self.assertLessEqual(set(element.keys()), {word.rstrip("!") for word in words}, element.tag)
                    self.assertLessEqual({word[:-1] for word in words if word.endswith("!")}, set(element.keys()), element.tag)
                    self.assertFalse((element.text or "").strip())
                    elements += 1
                    for key, value in element.items():
                        if key.startswith(("can", "provides", "needs", "might", "has")):
                            self.assertIn(value, ("true", "false"), key)
                        elif key in ("valueReference", "index"):
                            self.assertRegex(value, r"^\d+$")
                        elif key in ("start", "startTime", "stopTime", "stepSize", "fixedInternalStepSize"):
                            self.assertTrue(math.isfinite(float(value)), key)
                        elif element.tag == "BaseUnit":
                            self.assertRegex(value, r"^-?\d+$")
                        else:
                            self.assertNotRegex(value, r"[\n\r\t]", key)  # normalized strings
                self.check_variables(fmu)
        print(f"  {elements} elements of {2 * len(scenes)} descriptions")

    def check_variables(self, fmu):
        """Rules that the schemas do not say."""
        three = fmu.version == "3"
        variables = list(fmu.description.find("ModelVariables"))
        self.assertEqual(len({v.get("name") for v in variables}), len(variables))
        unknown = []
        for v in variables:
            number = v if three else v.find("Real")
            causality, variability, initial, start = v.get("causality"), v.get("variability"), v.get("initial"), number.get("start")
            if causality == "independent":
                self.assertEqual((initial, start), (None, None))
            elif causality == "input":
                self.assertEqual((initial, start is not None), (None, True))
            elif causality == "parameter":
                self.assertIn(variability, ("fixed", "tunable"))
                self.assertEqual((initial in (None, "exact"), start is not None), (True, True))
            elif causality == "output":
                self.assertEqual((initial in (None, "calculated"), start), (True, None))
                unknown.append(v.get("valueReference") if three else str(variables.index(v) + 1))
            else:
                self.assertIn(causality, ("local", "calculatedParameter"))
        structure = fmu.description.find("ModelStructure")
        parts = [p.get("valueReference") for p in structure if p.tag == "InitialUnknown"] if three else [p.get("index") for p in structure.find("InitialUnknowns")]
        self.assertEqual(sorted(parts, key=int), sorted(unknown, key=int))

    def test_archives_are_the_same_bytes(self):
        first, again = (Fmu(self.folder, CART, "3").file.read_bytes() for _ in range(2))
        self.assertEqual(first, again)

    def test_libraries_come_with_it(self):
        """Every library but those of glibc and gcc comes from the FMU, whatever the importer has loaded before; rows stay the same."""
        command = pathlib.Path(TORSOR).resolve().parent.parent
        if not (command / "fmu/bundle/torsor.so").exists():
            self.skipTest("the libraries are not bundled: needs patchelf")
        whole = Fmu(self.folder, CART, "3", "--bundle", "all")
        found = subprocess.run(["ldd", whole.library], capture_output=True, text=True, check=True).stdout
        outside = {line.split()[0] for line in found.splitlines() if str(whole.folder) not in line}
        self.assertLessEqual({re.sub(r"\.so.*", "", pathlib.Path(name).name) for name in outside},
                             {"linux-vdso", "libc", "libm", "libgcc_s", "ld-linux-x86-64"})
        self.assertGreater(len(found.splitlines()), 20)
        self.assertTrue(list(whole.folder.glob("documentation/licenses/*gsl*copyright")))
        print(f"  {whole.file.stat().st_size / 1e6:.1f} MB with all libraries")
        script = ["init 0", f"set {whole.reference['push']} 1"] + [f"step {0.1 * i:.17g} 0.1" for i in range(10)]
        lead, rows = whole.lead, []
        for preloaded in "", "liblapack.so.3 libgfortran.so.5 libstdc++.so.6":
            whole.lead = lambda lines, preloaded=preloaded: lead(lines, environment={**os.environ, "LD_PRELOAD": preloaded})
            rows.append(whole.rows(script))
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0], Fmu(self.folder + "/", CART, "2").rows(script))

    def test_misuse(self):
        scene = self.write(CART)
        for words, code, said in (
                (["fmu", scene, "--fmi", "4"], 2, "2 or 3"), (["fmu", scene, "--bundle", "some"], 2, "all or torsor"),
                (["fmu", scene, "--tunables", "spring.stifness"], 2, "spring.stifness"),
                (["fmu", scene, "--outputs", "hinge.anle"], 3, "hinge.angle"), (["fmu"], 2, "argument"),
                (["fmu", scene, "-o", scene], 2, "given.json"), (["fmu", scene, "--set", "inputs.push.unit=furlong"], 3, "furlong"),
                (["fmu", DATA / "scenes/elastica.json", "-o", f"{self.folder}/x.fmu"], 3, "no simulation"),
                (["fmu", scene, "-o", f"{self.folder}/no/x.fmu"], 5, "no/x.fmu")):
            done = run(*words, code=code)
            self.assertIn(said, done.stderr)
        self.assertEqual(json.loads(scene.read_text()), CART)
        self.assertFalse(list(pathlib.Path(self.folder).glob("*.fmu")))

    def test_memory(self):
        """Nothing is leaked or read wrongly, by valgrind where that is there."""
        if not shutil.which("valgrind") or b"__asan" in pathlib.Path(os.environ["FMU_IMPORT"]).read_bytes():
            self.skipTest("needs valgrind, and no sanitizer in its place")
        fmu = Fmu(self.folder, CART, "3")
        # The loader reads the path of a library by words of 8 bytes.
        loader = pathlib.Path(self.folder) / "loader.supp"
        loader.write_text("{\n loader\n Memcheck:Addr8\n fun:strncmp\n fun:is_dst\n ...\n}\n")
        fmu.lead(["init 0", "step 0 0.01", f"save {self.folder}/s", f"load {self.folder}/s", "keep", "back", "step 0.01 0.01", "reset",
                  "init 0"], checker=("valgrind", "-q", f"--suppressions={loader}", "--error-exitcode=9", "--leak-check=full"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
