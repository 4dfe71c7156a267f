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

typedef struct bad_scene {
  const char *find, *replace; /* in the good scene; find NULL: `replace` is the whole text */
  const char *at;             /* where the first such text begins is the error's line and column;
                                 NULL: at the end of the text */
  const char *path, *message, *hint; /* path whole; the others in part; NULL = not looked at */
} bad_scene;

#endif
