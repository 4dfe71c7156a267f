# SPDX-License-Identifier: GPL-3.0-or-later
# Made from the element types by `python -m torsor.stubs`.
from .draft import Item
from .values import Marker, Value, Vector

class Types:
    def actuator(self, name: str, /, *, coordinate: str, target: Value, kp: float | str, kd: float | str | None = None, limit: float | str | None = None, **more: Value) -> Item:
        """Actuator that pulls a joint coordinate to a target (PD law)."""
    def angle_sensor(self, name: str, /, *, a: str | Marker, b: str | Marker, axis: Vector | None = None, **more: Value) -> Item:
        """Measures how far marker b is turned against marker a about an axis; constrains nothing."""
    def attraction(self, name: str, /, *, a: str | Marker, b: str | Marker, strength: float | str, **more: Value) -> Item:
        """Two points attract each other with the inverse square of their distance."""
    def axis_sensor(self, name: str, /, *, a: str | Marker, b: str | Marker, axis_a: Vector | None = None, axis_b: Vector | None = None, **more: Value) -> Item:
        """Measures the angle between a direction of marker a and one of marker b; constrains nothing."""
    def beam(self, name: str, /, *, section: Value, elements: int | str, section_end: Value = None, order: int | str | None = None, position: Vector | None = None, end: Vector | None = None, length: float | str | None = None, orientation: Value = None, curvature: Vector | None = None, curve: Value = None, twist: float | str | None = None, stations: Value = None, damping_factor: float | str | None = None, damping_ratio: float | str | None = None, damping_frequency: float | str | None = None, inextensible: bool | None = None, shear_rigid: bool | None = None, inertia: str | None = None, velocity: Vector | None = None, angular_velocity: Value = None, group: str | None = None, **more: Value) -> Item:
        """Flexible beam: geometrically exact elements."""
    def beam_load(self, name: str, /, *, on: str, force: Vector | None = None, moment: Vector | None = None, axes: str | None = None, to: float | str | None = None, profile: Value = None, scale: Value = None, **more: Value) -> Item:
        """Distributed force and moment along a beam or cable."""
    def bushing(self, name: str, /, *, a: str | Marker, b: str | Marker, stiffness: Vector | None = None, damping: Vector | None = None, rotational_stiffness: Vector | None = None, rotational_damping: Vector | None = None, stiffness_matrix: Value = None, damping_matrix: Value = None, preload: Vector | None = None, rotational_preload: Vector | None = None, **more: Value) -> Item:
        """Elastic bearing: springs and dampers along and about three axes, also coupled."""
    def cable(self, name: str, /, *, stiffness: float | str, density: float | str, elements: int | str, position: Vector | None = None, end: Vector | None = None, curve: Value = None, length: float | str | None = None, stations: Value = None, compression: bool | None = None, damping_factor: float | str | None = None, velocity: Vector | None = None, **more: Value) -> Item:
        """Cable or string: no bending, tension only or both."""
    def carriage(self, name: str, /, *, on: str, b: str | Marker, holds: str | None = None, ends: str | None = None, speed: float | str | None = None, **more: Value) -> Item:
        """A marker slides along a beam or cable: bead, trolley, moving load."""
    def changing_mass(self, name: str, /, *, at: str | Marker, mass: Value, gyration: Vector | None = None, velocity: Vector | None = None, axes: str | None = None, **more: Value) -> Item:
        """Mass that changes in time: fuel, a bunker."""
    def clamp(self, name: str, /, *, a: str | Marker, b: str | Marker, keeps: str | None = None, **more: Value) -> Item:
        """Clamp: two markers keep the pose in which they are."""
    def constant_orientation(self, name: str, /, *, a: str | Marker, b: str | Marker, **more: Value) -> Item:
        """B does not turn against a, translation is free."""
    def constant_velocity(self, name: str, /, *, a: str | Marker, b: str | Marker, axis: Vector | None = None, axis_b: Vector | None = None, **more: Value) -> Item:
        """Homokinetic joint: two points coincide, two shafts bend freely and turn alike."""
    def contact(self, name: str, /, *, a: str | Marker, b: str | Marker, stiffness: float | str, radius: float | str | None = None, normal: Vector | None = None, exponent: float | str | None = None, dissipation: float | str | None = None, friction: float | str | None = None, speed_width: float | str | None = None, restitution: float | str | None = None, restitution_speed: float | str | None = None, restitution_at: str | None = None, rest_speed: float | str | None = None, static_friction: float | str | None = None, tangential_stiffness: float | str | None = None, tangential_damping: float | str | None = None, **more: Value) -> Item:
        """Contact of a sphere or point on b with a plane on a: elastic, dissipation, friction."""
    def contact_group(self, name: str, /, *, between: Value = None, against: Value = None, plane: str | Marker | None = None, stiffness: float | str | None = None, exponent: float | str | None = None, face_stiffness: float | str | None = None, dissipation: float | str | None = None, friction: float | str | None = None, restitution: float | str | None = None, restitution_speed: float | str | None = None, restitution_at: str | None = None, rest_speed: float | str | None = None, static_friction: float | str | None = None, tangential_stiffness: float | str | None = None, tangential_damping: float | str | None = None, rounding: float | str | None = None, joined: bool | None = None, coupled: bool | None = None, max_pairs: int | str | None = None, margin: float | str | None = None, **more: Value) -> Item:
        """Contacts among the shapes of many bodies, and with a plane."""
    def coordinate_force(self, name: str, /, *, coordinate: str, effort: Value, **more: Value) -> Item:
        """Given force or moment along a joint coordinate, as a function of t and coordinates."""
    def coordinate_spring(self, name: str, /, *, coordinate: str, stiffness: float | str | None = None, damping: float | str | None = None, force: Value = None, damping_force: Value = None, rest: float | str | None = None, **more: Value) -> Item:
        """Spring and damper on a joint coordinate, torsional or linear."""
    def coupling(self, name: str, /, *, first: str, second: str, ratio: float | str, value: float | str | None = None, **more: Value) -> Item:
        """Linear relation of two joint coordinates: gear pair, rack and pinion, belt, screw."""
    def cylindrical(self, name: str, /, *, a: str | Marker, b: str | Marker, axis: Vector | None = None, axis_b: Vector | None = None, **more: Value) -> Item:
        """Piston: sliding along and turning about one axis are free."""
    def distance(self, name: str, /, *, a: str | Marker, b: str | Marker, length: float | str | None = None, form: str | None = None, **more: Value) -> Item:
        """Massless rod: two points keep their distance."""
    def drag(self, name: str, /, *, at: str | Marker, coefficient: float | str, area: float | str, density: float | str | None = None, wind: Vector | None = None, **more: Value) -> Item:
        """Drag of a fluid on a body, quadratic in the speed."""
    def drive(self, name: str, /, *, coordinate: str, motion: Value, **more: Value) -> Item:
        """Drive: a joint coordinate is a given function of t."""
    def edge(self, name: str, /, *, on: str, to: str | Marker | None = None, to_edge: str | None = None, holds: str | None = None, direction: Vector | None = None, ends: bool | None = None, **more: Value) -> Item:
        """Holds the nodes along an edge of a shell, or along a beam."""
    def edge_load(self, name: str, /, *, on: str, force: Vector | None = None, moment: Vector | None = None, axes: str | None = None, profile: Value = None, scale: Value = None, **more: Value) -> Item:
        """Distributed force and moment along an edge of a shell."""
    def force(self, name: str, /, *, at: str | Marker, force: Vector | None = None, moment: Vector | None = None, axes: str | None = None, scale: Value = None, **more: Value) -> Item:
        """Given force and moment on a body, as a function of t and coordinates."""
    def friction(self, name: str, /, *, coordinate: str, coulomb: float | str | None = None, static: float | str | None = None, coefficient: float | str | None = None, static_coefficient: float | str | None = None, radius: float | str | None = None, stribeck_rate: float | str | None = None, viscous: float | str | None = None, rate_width: float | str | None = None, stick_stiffness: float | str | None = None, stick_damping: float | str | None = None, **more: Value) -> Item:
        """Friction of a joint coordinate: Coulomb, Stribeck and viscous, made smooth."""
    def knife_edge(self, name: str, /, *, a: str | Marker, b: str | Marker, across: Vector | None = None, **more: Value) -> Item:
        """Skate or blade: a point of b does not move across the blade, seen from a."""
    def lock(self, name: str, /, *, coordinate: str, **more: Value) -> Item:
        """Lock: a joint coordinate stays where it is."""
    def motion(self, name: str, /, *, a: str | Marker, b: str | Marker, x: Value = None, y: Value = None, z: Value = None, angle: Value = None, axis: Vector | None = None, **more: Value) -> Item:
        """Prescribed motion of a marker against another: position and rotation about an axis."""
    def orientation_sensor(self, name: str, /, *, a: str | Marker, b: str | Marker, sequence: str | None = None, **more: Value) -> Item:
        """Measures the orientation of marker b against marker a by three angles; constrains nothing."""
    def planar(self, name: str, /, *, a: str | Marker, b: str | Marker, normal: Vector | None = None, normal_b: Vector | None = None, **more: Value) -> Item:
        """Sliding in a plane and turning about its normal are free."""
    def point_mass(self, name: str, /, *, mass: float | str, position: Vector | None = None, velocity: Vector | None = None, placement: str | None = None, **more: Value) -> Item:
        """Mass at a point, three translations."""
    def point_on_curve(self, name: str, /, *, a: str | Marker, b: str | Marker, curve: Value, **more: Value) -> Item:
        """A point of b stays on a smooth curve of a: bead on a wire, cam, rail."""
    def point_on_line(self, name: str, /, *, a: str | Marker, b: str | Marker, axis: Vector | None = None, **more: Value) -> Item:
        """A point of b stays on a line of a."""
    def point_on_plane(self, name: str, /, *, a: str | Marker, b: str | Marker, normal: Vector | None = None, height: float | str | None = None, **more: Value) -> Item:
        """A point of b stays on a plane of a."""
    def prismatic(self, name: str, /, *, a: str | Marker, b: str | Marker, axis: Vector | None = None, **more: Value) -> Item:
        """Slider: sliding along one axis is free, nothing turns."""
    def revolute(self, name: str, /, *, a: str | Marker, b: str | Marker, axis: Vector | None = None, axis_b: Vector | None = None, **more: Value) -> Item:
        """Hinge: two points and one axis coincide, rotation about the axis is free."""
    def rigid_body(self, name: str, /, *, mass: float | str, inertia: Value, center_of_mass: Vector | None = None, position: Vector | None = None, orientation: Value = None, velocity: Vector | None = None, angular_velocity: Value = None, group: str | None = None, placement: str | None = None, **more: Value) -> Item:
        """Rigid body: mass, inertia and weight."""
    def rolling_disc(self, name: str, /, *, a: str | Marker, b: str | Marker, radius: float | str, tube: float | str | None = None, normal: Vector | None = None, axis: Vector | None = None, **more: Value) -> Item:
        """Disc or wheel on b rolls without slipping on a plane of a."""
    def rolling_sphere(self, name: str, /, *, a: str | Marker, b: str | Marker, radius: float | str, normal: Vector | None = None, pivoting: bool | None = None, **more: Value) -> Item:
        """Sphere on b rolls without slipping on a plane of a, which may move."""
    def rope(self, name: str, /, *, path: Value, EA: float | str, damping_time: float | str | None = None, slack: bool | None = None, unstrained: float | str | None = None, tension: float | str | None = None, pay_in: Value = None, **more: Value) -> Item:
        """Rope over sheaves, with friction and a winch."""
    def screw(self, name: str, /, *, a: str | Marker, b: str | Marker, pitch: float | str, axis: Vector | None = None, axis_b: Vector | None = None, **more: Value) -> Item:
        """Screw: turning about one axis drives sliding along it."""
    def sensor(self, name: str, /, *, a: str | Marker, b: str | Marker, **more: Value) -> Item:
        """Measures where marker b is as seen from marker a; constrains nothing."""
    def shape_contact(self, name: str, /, *, a: str | Marker, b: str | Marker, plane: bool | None = None, shape_a: int | str | None = None, shape_b: int | str | None = None, rounding: float | str | None = None, stiffness: float | str | None = None, exponent: float | str | None = None, face_stiffness: float | str | None = None, dissipation: float | str | None = None, friction: float | str | None = None, restitution: float | str | None = None, restitution_speed: float | str | None = None, restitution_at: str | None = None, rest_speed: float | str | None = None, static_friction: float | str | None = None, tangential_stiffness: float | str | None = None, tangential_damping: float | str | None = None, **more: Value) -> Item:
        """Contact of the shapes of two bodies: elastic, restitution, friction that sticks."""
    def shell(self, name: str, /, *, elements: Value, surface: str | None = None, length: float | str | None = None, width: float | str | None = None, radius: float | str | None = None, radius_end: float | str | None = None, angle: float | str | None = None, slit: bool | None = None, latitude: Value = None, curve: Value = None, curve_end: Value = None, position: Vector | None = None, orientation: Value = None, thickness: float | str | None = None, E: float | str | None = None, nu: float | str | None = None, density: float | str | None = None, layers: Value = None, offset: float | str | None = None, inertia: str | None = None, velocity: Vector | None = None, angular_velocity: Value = None, group: str | None = None, **more: Value) -> Item:
        """Plate or shell: geometrically exact elements of four nodes."""
    def shell_load(self, name: str, /, *, on: str, pressure: float | str | None = None, force: Vector | None = None, scale: Value = None, **more: Value) -> Item:
        """Pressure and distributed force on a shell."""
    def shell_mesh(self, name: str, /, *, mesh: Value, position: Vector | None = None, orientation: Value = None, direction: Vector | None = None, thickness: float | str | None = None, E: float | str | None = None, nu: float | str | None = None, density: float | str | None = None, layers: Value = None, offset: float | str | None = None, inertia: str | None = None, velocity: Vector | None = None, angular_velocity: Value = None, group: str | None = None, **more: Value) -> Item:
        """Plate or shell from a mesh of Gmsh, Abaqus or CalculiX."""
    def spherical(self, name: str, /, *, a: str | Marker, b: str | Marker, **more: Value) -> Item:
        """Ball joint: two points coincide, rotation is free."""
    def spring_damper(self, name: str, /, *, a: str | Marker, b: str | Marker, stiffness: float | str | None = None, damping: float | str | None = None, force: Value = None, damping_force: Value = None, length: float | str | None = None, preload: float | str | None = None, **more: Value) -> Item:
        """Spring and damper along the line between two markers."""
    def stop(self, name: str, /, *, coordinate: str, stiffness: float | str, lower: float | str | None = None, upper: float | str | None = None, exponent: float | str | None = None, dissipation: float | str | None = None, **more: Value) -> Item:
        """Limits of a joint coordinate: elastic stops with dissipation."""
    def superelement(self, name: str, /, *, file: Value = None, interfaces: Value = None, stiffness: Value = None, mass: Value = None, damping: Value = None, gyroscopic: Value = None, centrifugal: Value = None, stiffening: Value = None, stress_points: Value = None, stress: Value = None, frame: str | None = None, frame_interface: int | str | None = None, damping_factor: float | str | None = None, position: Vector | None = None, orientation: Value = None, velocity: Vector | None = None, angular_velocity: Value = None, group: str | None = None, **more: Value) -> Item:
        """Flexible body reduced to its interfaces, by mass and stiffness matrices."""
    def universal(self, name: str, /, *, a: str | Marker, b: str | Marker, axis_a: Vector | None = None, axis_b: Vector | None = None, **more: Value) -> Item:
        """Cardan joint: two points coincide, rotation about the two arms of a cross is free."""
    def velocity_constraint(self, name: str, /, *, a: str | Marker, b: str | Marker, linear: Vector | None = None, angular: Vector | None = None, axes: str | None = None, rate: Value = None, **more: Value) -> Item:
        """A linear combination of relative velocities is a given function of t."""
    def velocity_coupling(self, name: str, /, *, first: str, second: str, ratio: Value, rate: Value = None, **more: Value) -> Item:
        """Linear relation of the rates of two joint coordinates: variable gear."""
    def velocity_drive(self, name: str, /, *, coordinate: str, rate: Value, **more: Value) -> Item:
        """Velocity drive: the rate of a joint coordinate is a given function of t."""
    def weld(self, name: str, /, *, a: str | Marker, b: str | Marker, **more: Value) -> Item:
        """Two markers coincide: no relative motion."""
