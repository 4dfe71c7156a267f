/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No allocation of ours inside steps, and every allocation on the way to a result may fail.  Linked
 * with --wrap for malloc, calloc, realloc, aligned_alloc, free, arena_take and arena_string;
 * SuiteSparse allocates through its own hooks. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <SuiteSparse_config.h>

#include "assembly/model/model.h"
#include "support.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *old);
void *__real_arena_take(arena *a, size_t count, size_t size);
char *__real_arena_string(arena *a, const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *old);
void *__wrap_arena_take(arena *a, size_t count, size_t size);
char *__wrap_arena_string(arena *a, const char *text);

static char state_file[] = "/tmp/torsor-memory-XXXXXX"; /* of full states */

static long own, foreign; /* calls of ours and of SuiteSparse */
static long live;         /* blocks of ours that are not freed yet */
static long countdown;    /* n: the n-th call from now fails; 0: none */
static bool from_then_on; /* and all after it */
static bool failed, ours; /* one has failed; one of ours has */

static bool fails(long *calls) {
  ++*calls;
  if (!(failed && from_then_on) && (countdown == 0 || --countdown > 0)) return false;
  failed = true;
  ours |= calls == &own;
  return true;
}

static void *counted(void *block) {
  live += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) {
  return fails(&own) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails(&own) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
  if (fails(&own)) return NULL;
  return old ? __real_realloc(old, size) : counted(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails(&own) ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *old) {
  live -= old != NULL;
  __real_free(old);
}

void *__wrap_arena_take(arena *a, size_t count, size_t size) {
  return fails(&own) ? NULL : __real_arena_take(a, count, size);
}

char *__wrap_arena_string(arena *a, const char *text) {
  return fails(&own) ? NULL : __real_arena_string(a, text);
}

static void *foreign_malloc(size_t size) {
  return fails(&foreign) ? NULL : __real_malloc(size);
}

static void *foreign_calloc(size_t count, size_t size) {
  return fails(&foreign) ? NULL : __real_calloc(count, size);
}

static void *foreign_realloc(void *old, size_t size) {
  return fails(&foreign) ? NULL : __real_realloc(old, size);
}

static int hook_suitesparse(void **state) {
  (void)state;
  const int file = mkstemp(state_file);
  if (file < 0) return -1;
  close(file);
#if SUITESPARSE_MAIN_VERSION >= 6
  SuiteSparse_config_malloc_func_set(foreign_malloc);
  SuiteSparse_config_calloc_func_set(foreign_calloc);
  SuiteSparse_config_realloc_func_set(foreign_realloc);
#else
  SuiteSparse_config.malloc_func = foreign_malloc;
  SuiteSparse_config.calloc_func = foreign_calloc;
  SuiteSparse_config.realloc_func = foreign_realloc;
#endif
  return 0;
}

static int drop_file(void **state) {
  (void)state;
  return unlink(state_file);
}

/* Forget what was counted; the n-th call from now fails. */
static void set_countdown(long n, bool all_after) {
  countdown = n;
  from_then_on = all_after;
  failed = ours = false;
}

/* ---- inside steps
 * --------------------------------------------------------------------------------- */

static long own_at_start, foreign_at_start;

static torsor_status first_row(void *data, double t, const double *values, int count) {
  (void)data;
  (void)values;
  (void)count;
  if (t > 0) return TORSOR_OK;
  own_at_start = own;
  foreign_at_start = foreign;
  return TORSOR_OK;
}

/* All that is taken until the last row; what is reported of the whole run after that is text. */
static long own_at_last;

static torsor_status write_frame(void *data, const torsor_frame *frame) {
  own_at_last = own;
  return torsor_netcdf_write(data, frame);
}

/* A writer of full states that nobody will read. */
static torsor_status open_states(torsor_netcdf **out, const char *file, const support_world *of,
                                 const torsor_recording *recording, torsor_error *error) {
  const torsor_result_info info = {
      .scene = "scene", .title = "", .hash = "", .simulation = torsor_scene_simulation(of->scene)};
  torsor_layout layout;
  torsor_status status = torsor_layout_create(&layout, of->model, TORSOR_FIELDS_ALL, error);
  if (status) return status;
  status = torsor_netcdf_create(out, file, &layout, recording, &info, error);
  torsor_layout_destroy(&layout);
  return status;
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  static const char *const scenes[] = {"heavy_top",      "heavy_top_se3", "triple_pendulum",
                                       "pendulum_x0_02", "cart_pendulum", "press",
                                       "hover",          "engine_mount",  "latch"};
  static const char *const formulations[] = {"simulation.formulation=index3",
                                             "simulation.formulation=ggl"};
  for (int k = 0; k < 18; ++k) {
    support_world world;
    support_load(&world, scenes[k / 2], (const char *const[]){formulations[k % 2], NULL});
    torsor_netcdf *netcdf;
    torsor_recording recording = torsor_recording_default();
    recording.fields = TORSOR_FIELDS_ALL;
    CHECK_INT(open_states(&netcdf, state_file, &world, &recording, NULL), TORSOR_OK);
    const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                                .data = netcdf,
                                .record = first_row,
                                .frame = write_frame,
                                .recording = recording};
    torsor_signals *signals;
    torsor_summary summary;
    CHECK_INT(torsor_signals_create(&signals, world.model, NULL, 0, NULL, NULL), TORSOR_OK);
    CHECK_INT(torsor_simulate(&summary, world.model, torsor_scene_simulation(world.scene), signals,
                              &hooks, NULL),
              TORSOR_OK);
    print_message("  %s, %s: %ld of ours in %ld steps, %.2f of SuiteSparse per factorisation\n",
                  scenes[k / 2], formulations[k % 2], own_at_last - own_at_start,
                  summary.counters.steps,
                  (double)(foreign - foreign_at_start) / (double)summary.counters.factorizations);
    CHECK_INT(own_at_last - own_at_start, 0);
    /* and of the library's: KLU keeps its factors unless it has to pivot anew, which is rare */
    CHECK_LE((double)(foreign - foreign_at_start), 0.1 * (double)summary.counters.steps);
    CHECK_INT(torsor_netcdf_close(netcdf, NULL), TORSOR_OK);
    torsor_signals_destroy(signals);
    support_close(&world);
  }
}

/* A run that a caller steps, looks at and saves takes no memory either. */
static void runs_allocate_nothing(void **state) {
  (void)state;
  static const char *const scenes[] = {"heavy_top", "triple_pendulum", "cart_pendulum", "latch"};
  for (int k = 0; k < 4; ++k) {
    support_world world;
    torsor_signals *signals;
    torsor_run *run;
    size_t size;
    support_load(&world, scenes[k], NULL);
    CHECK_INT(torsor_signals_create(&signals, world.model, NULL, 0, NULL, NULL), TORSOR_OK);
    CHECK_INT(
        torsor_run_create(&run, world.model, torsor_scene_simulation(world.scene), NULL, NULL),
        TORSOR_OK);
    double *values = __real_calloc((size_t)torsor_signals_count(signals), sizeof *values);
    CHECK_INT(torsor_run_save(run, NULL, 0, &size, NULL), TORSOR_OK);
    size_t room = 2 * size;
    void *bytes = __real_malloc(room);
    torsor_run_q(run);
    torsor_run_lambda(run);
    const long before = own, live_before = live;
    for (int i = 1; i <= 100; ++i) {
      const double end = torsor_run_step_end(run);
      CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
      CHECK_INT(torsor_run_advance(run, end + 0.3 * (torsor_run_step_end(run) - end), NULL),
                TORSOR_OK);
      CHECK_INT(torsor_run_values(run, signals, values, NULL), TORSOR_OK);
      CHECK_INT(torsor_run_save(run, bytes, room, &size, NULL), TORSOR_OK);
      if (i % 10 == 0) CHECK_INT(torsor_run_restore(run, bytes, size, NULL), TORSOR_OK);
    }
    print_message("  %s: %ld of ours in 100 steps of a run\n", scenes[k], own - before);
    CHECK_INT(own - before, 0);
    CHECK_INT(live, live_before);
    torsor_run_destroy(run);
    __real_free(bytes);
    __real_free(values);
    torsor_signals_destroy(signals);
    support_close(&world);
  }
}

/* ---- every allocation fails once
 * --------------------------------------------------------------------- */

static const char scene_text[] =
    "{\"torsor\": 1, \"bodies\": ["
    "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5],"
    " \"position\": [0.5, 0, 0], \"angular_velocity\": [0, 0, 3]},"
    "{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5],"
    " \"position\": [1.5, 0, 0]},"
    "{\"name\": \"loose\", \"type\": \"point_mass\", \"mass\": 1}], \"joints\": ["
    "{\"name\": \"j\", \"type\": \"revolute\", \"a\": \"ground\","
    " \"b\": {\"body\": \"a\", \"position\": [-0.5, 0, 0]}},"
    "{\"name\": \"k\", \"type\": \"spherical\", \"a\": {\"body\": \"a\", \"position\": [0.5, 0, "
    "0]},"
    " \"b\": {\"body\": \"b\", \"position\": [-0.5, 0, 0]}}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 3e-3}}";

/* The same with the first joint twice: rank lists to be made. */
static const char redundant_text[] =
    "{\"torsor\": 1, \"bodies\": ["
    "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]}],"
    " \"joints\": [{\"name\": \"j\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"a\"},"
    " {\"name\": \"k\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"a\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 3e-3}}";

static support_world world;
static int expected_rank;

static torsor_status make_registry(torsor_error *error) {
  torsor_registry *registry = torsor_registry_create(error);
  torsor_registry_destroy(registry);
  return registry ? TORSOR_OK : error->status;
}

static torsor_status make_model(torsor_error *error) {
  torsor_model *model = NULL;
  const torsor_status status = torsor_scene_model(&model, world.scene, error);
  CHECK_TRUE(!status == (model != NULL));
  torsor_model_destroy(model);
  return status;
}

static torsor_status make_signals(torsor_error *error) {
  static const char *const names[] = {"a", "energy.total", "j.angle"};
  torsor_signals *signals = NULL;
  torsor_status status = torsor_signals_create(&signals, world.model, names, 3, NULL, error);
  CHECK_TRUE(!status == (signals != NULL));
  torsor_signals_destroy(signals);
  return status;
}

static torsor_status write_states(torsor_error *error) {
  const torsor_recording recording = torsor_recording_default();
  torsor_netcdf *netcdf = NULL;
  const torsor_status status = open_states(&netcdf, state_file, &world, &recording, error);
  CHECK_TRUE(!status == (netcdf != NULL));
  torsor_netcdf_close(netcdf, NULL);
  return status;
}

static torsor_status read_states(torsor_error *error) {
  torsor_states *states = NULL;
  const torsor_status status = torsor_states_open(&states, state_file, error);
  CHECK_TRUE(!status == (states != NULL));
  torsor_states_close(states);
  return status;
}

static torsor_status check(torsor_error *error) {
  torsor_check answer;
  const torsor_status status = torsor_check_model(&answer, world.model, error);
  if (!status) {
    CHECK_INT(answer.rank, expected_rank);
    CHECK_INT(answer.redundant_count, world.model->nl - expected_rank);
  }
  if (!status) torsor_check_destroy(&answer);
  return status;
}

static torsor_simulation simulation;

static torsor_status simulate(torsor_error *error) {
  torsor_summary summary;
  const torsor_status status =
      torsor_simulate(&summary, world.model, &simulation, NULL, NULL, error);
  CHECK_INT(summary.status, status);
  return status;
}

static torsor_status make_run(torsor_error *error) {
  torsor_run *run = NULL;
  torsor_status status = torsor_run_create(&run, world.model, &simulation, NULL, error);
  CHECK_TRUE(!status == (run != NULL));
  if (!status) status = torsor_run_step(run, error);
  torsor_run_destroy(run);
  return status;
}

/* Every allocation of `work` fails, alone or with all after it: MEMORY with a message and nothing
 * left behind, until there are no more of them. */
static void exhaust(const char *name, torsor_status (*work)(torsor_error *error)) {
  for (int all_after = 0; all_after < 2; ++all_after) {
    long n = 1, forgiven = 0;
    for (bool reached = true; reached; ++n) {
      const long before = live;
      torsor_error error = {0};
      set_countdown(n, all_after);
      const torsor_status status = work(&error);
      reached = failed;
      forgiven += reached && !status;
      if (ours && status != TORSOR_MEMORY)
        print_error("%s, allocation %ld: %s\n", name, n, error.message);
      if (!reached) CHECK_INT(status, TORSOR_OK);
      if (ours) CHECK_INT(status, TORSOR_MEMORY);
      if (status) CHECK_TRUE(error.status == TORSOR_MEMORY && error.message[0]);
      set_countdown(0, false);
      CHECK_INT(live, before);
      CHECK_TRUE(n < 100000);
    }
    print_message("  %s: %ld allocations, each failed %s; SuiteSparse did without %ld\n", name,
                  n - 2, all_after ? "with all after it" : "alone", forgiven);
  }
}

static void open_world(const char *text, const char *const *set) {
  torsor_error error = {0};
  const torsor_status status = support_open(&world, text, set, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  simulation = *torsor_scene_simulation(world.scene);
}

static void cold_paths(void **state) {
  (void)state;
  open_world(scene_text, NULL);
  exhaust("registry", make_registry);
  exhaust("model", make_model);
  exhaust("signals", make_signals);
  exhaust("full states", write_states);
  exhaust("full states read", read_states);
  expected_rank = 8;
  exhaust("check", check);
  exhaust("run", make_run);
  support_close(&world);
  open_world(redundant_text, NULL);
  expected_rank = 6;
  exhaust("check, redundant", check);
  exhaust("run, redundant", make_run);
  support_close(&world);
}

static void simulations(void **state) {
  (void)state;
  static const char *const solvers[] = {"klu", "umfpack"};
  open_world(scene_text, NULL);
  for (int k = 0; k < 4; ++k) {
    char name[40];
    simulation.linear_solver = solvers[k % 2];
    simulation.settings.formulation = k / 2 ? TORSOR_GGL : TORSOR_INDEX3;
    snprintf(name, sizeof name, "simulate, %s, %s", solvers[k % 2], k / 2 ? "ggl" : "index3");
    exhaust(name, simulate);
  }
  support_close(&world);
  open_world(scene_text,
             (const char *const[]){"events=[{\"name\": \"swing\", \"when\": \"j.angle - j.rate\"}]",
                                   NULL});
  exhaust("simulate with an event", simulate);
  support_close(&world);
}

/* ---- modes
 * ----------------------------------------------------------------------------------------- */

/* A stretched blade, and a hub without velocities at first. */
static const char blade_text[] =
    "{\"torsor\": 1, \"parameters\": {\"W\": 20}, \"sections\": {\"blade\": {\"stiffness\": [1e5, "
    "1e5, "
    "1e5, 100, 100, 100], \"inertia\": [1, 1, 1, 2e-3, 1e-3, 1e-3]}}, \"bodies\": [{\"name\": "
    "\"blade\", \"type\": \"beam\", \"section\": \"blade\", \"elements\": 1, \"length\": 1, "
    "\"angular_velocity\": [0, 0, \"W\"]}], \"joints\": [{\"name\": \"hub\", \"type\": "
    "\"revolute\", "
    "\"a\": \"ground\", \"b\": \"blade.start\"}, {\"name\": \"motor\", \"type\": \"drive\", "
    "\"coordinate\": \"hub.angle\", \"motion\": \"W*t\"}], \"simulation\": {\"step\": 1e-3, "
    "\"duration\": 2e-3, \"initial\": \"steady\"}}";

static torsor_modes_settings modes_settings;

static torsor_status find_modes(torsor_error *error) {
  torsor_modes *modes = NULL;
  const torsor_status status = torsor_modes_find(&modes, world.model, &modes_settings, NULL, error);
  CHECK_TRUE(!status == (modes != NULL));
  if (modes) CHECK_INT(modes->count, 2);
  torsor_modes_destroy(modes);
  return status;
}

static torsor_modes *matched;

static torsor_status match_modes(torsor_error *error) {
  const int which[] = {1, 0};
  torsor_mode_match match[2];
  const torsor_status status = torsor_modes_match(match, matched, which, 2, matched, error);
  if (!status) CHECK_TRUE(match[0].mode == 1 && match[1].mode == 0);
  return status;
}

static void modes(void **state) {
  (void)state;
  static const char *const solvers[] = {"dense", "sparse"};
  static const char *const abouts[] = {"initial", "equilibrium", "steady"};
  for (int about = 0; about < 3; ++about) {
    const char *const set[] = {about < 2 ? "parameters.W=0" : "parameters.W=20", NULL};
    open_world(blade_text, set);
    for (int k = 0; k < 2; ++k) {
      char name[60];
      modes_settings =
          (torsor_modes_settings){.size = sizeof(torsor_modes_settings),
                                  .count = 2,
                                  .about = (torsor_about)about,
                                  .solver = k ? TORSOR_MODES_SPARSE : TORSOR_MODES_DENSE,
                                  .matrices = true};
      snprintf(name, sizeof name, "modes, %s, %s", abouts[about], solvers[k]);
      exhaust(name, find_modes);
    }
    if (about == TORSOR_ABOUT_STEADY) exhaust("simulate from a steady motion", simulate);
    CHECK_INT(torsor_modes_find(&matched, world.model, &modes_settings, NULL, NULL), TORSOR_OK);
    exhaust("modes matched", match_modes);
    torsor_modes_destroy(matched);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(runs_allocate_nothing),
      cmocka_unit_test(cold_paths),
      cmocka_unit_test(simulations),
      cmocka_unit_test(modes),
  };
  return cmocka_run_group_tests(tests, hook_suitesparse, drop_file);
}
