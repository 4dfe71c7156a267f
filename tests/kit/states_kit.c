/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "states_kit.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
char states_path[96];

int states_make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/torsor-states-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(states_path, sizeof states_path, "%s/state.nc", folder);
  return 0;
}

int states_drop_folder(void **state) {
  (void)state;
  unlink(states_path);
  return rmdir(folder);
}

double states_file_bytes(void) {
  struct stat status;
  CHECK_INT(stat(states_path, &status), 0);
  return (double)status.st_size;
}

const torsor_recording states_everything = {
    .full = true, .every = 1, .fields = TORSOR_FIELDS_ALL, .sync = 1e9};

const char states_rotor[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\", \"mass\": 1, "
    "\"inertia\": [1, 2, 3], \"position\": [0, 0, 0], \"velocity\": [1, 0, 0], "
    "\"angular_velocity\": [0, 1, 0.1]}], \"simulation\": {\"step\": 0.01, \"duration\": 0.1}}";

torsor_result_info states_info(const support_world *world, bool statics) {
  return (torsor_result_info){.scene = torsor_scene_name(world->scene),
                              .title = torsor_scene_title(world->scene),
                              .hash = torsor_scene_hash(world->scene),
                              .canonical = torsor_scene_canonical(world->scene),
                              .simulation = torsor_scene_simulation(world->scene),
                              .statics = statics ? torsor_scene_statics(world->scene) : NULL};
}
