/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_BAD_SCENES_H
#define TORSOR_TESTS_BAD_SCENES_H

/** Bad scenes: what is changed in a good one, and what must be said about it. */

/** A good scene that uses most of what there is. */
static const char good_scene[] =
    "{\n"
    "  \"torsor\": 1,\n"
    "  \"title\": \"good\",\n"
    "  \"parameters\": {\"m\": 2, \"L\": \"m/4\"},\n"
    "  \"gravity\": [0, 0, -9.81],\n"
    "  \"group\": \"R3xSO3\",\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"top\", \"type\": \"rigid_body\", \"mass\": \"m\", \"inertia\": [1, 2, 2.5],\n"
    "     \"position\": [0, 1, 0], \"orientation\": {\"quaternion\": [1, 0, 0, 0]},\n"
    "     \"angular_velocity\": [0, 150, 0]},\n"
    "    {\"name\": \"bob\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [0, 1, 3]}\n"
    "  ],\n"
    "  \"joints\": [\n"
    "    {\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\",\n"
    "     \"b\": {\"body\": \"top\", \"position\": [0, \"-2*L\", 0]}},\n"
    "    {\"name\": \"rod\", \"type\": \"distance\", \"a\": \"bob\", \"b\": {\"body\": \"top\"}}\n"
    "  ],\n"
    "  \"simulation\": {\"method\": \"generalized_alpha\", \"formulation\": \"index3\", "
    "\"rho_inf\": 0.9,\n"
    "                 \"step\": 1e-3, \"duration\": 1, \"start\": \"perturbed\"},\n"
    "  \"output\": {\"every\": 10, \"signals\": [\"top.position\", \"energy\"]}\n"
    "}\n";

/** A good scene with functions and repeated elements. */
static const char chain_scene[] =
    "{\n"
    "  \"torsor\": 1,\n"
    "  \"parameters\": {\"n\": 3, \"L\": 0.1, \"w\": \"30 deg\"},\n"
    "  \"functions\": {\"lift\": \"w*t^2\", \"still\": 3,\n"
    "    \"pulse\": {\"table\": [[0, 0], [\"L\", 1], [1, 0]], \"interpolation\": \"cubic\"},\n"
    "    \"turn\": {\"value\": \"sin(w*t)\", \"rate\": \"w*cos(w*t)\", "
    "\"second\": \"-w^2*sin(w*t)\"}},\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"link${i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": 1,\n"
    "     \"inertia\": [1, 1, 1], \"position\": [\"(i + 0.5)*L\", 0, 0]}\n"
    "  ],\n"
    "  \"joints\": [\n"
    "    {\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\",\n"
    "     \"b\": {\"body\": \"link0\", \"position\": [\"-L/2\", 0, 0]}},\n"
    "    {\"name\": \"joint${k}\", \"repeat\": \"n - 1\", \"index\": \"k\", "
    "\"type\": \"spherical\",\n"
    "     \"a\": {\"body\": \"link${k}\", \"position\": [\"L/2\", 0, 0]},\n"
    "     \"b\": {\"body\": \"link${k + 1}\", \"position\": [\"-L/2\", 0, 0]}},\n"
    "    {\"name\": \"eye\", \"type\": \"sensor\", \"a\": \"link0\", \"b\": \"link1\"}\n"
    "  ],\n"
    "  \"forces\": [\n"
    "    {\"name\": \"strut\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"link2\",\n"
    "     \"force\": {\"table\": [[-1, -5], [0, 0], [\"L\", 9]]}, \"damping_force\": "
    "\"v*abs(v)\"},\n"
    "    {\"name\": \"hold\", \"type\": \"force\", \"at\": \"link1\", \"force\": [0, 1, 0],\n"
    "     \"scale\": \"-w*eye.y - L*eye.y_speed\"},\n"
    "    {\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"link1\", \"b\": \"link2\",\n"
    "     \"stiffness\": [1, 0, 0], \"damping_matrix\": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0],\n"
    "       [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}\n"
    "  ],\n"
    "  \"output\": {\"signals\": [\"link${n - 1}.position\", \"energy\"]}\n"
    "}\n";

typedef struct bad_scene {
  const char *find, *replace; /* in the good scene; find NULL: `replace` is the whole text */
  const char *at;             /* where the first such text begins is the error's line and column;
                                 NULL: at the end of the text */
  const char *path, *message, *hint; /* path whole; the others in part; NULL = not looked at */
} bad_scene;

#endif
