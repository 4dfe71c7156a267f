/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <torsor/torsor.h>

#include "bad_scenes/bad_scenes.h"

/* Parts of scenes other than bodies and elements: settings, changes from outside, canonical text,
 * schema. */

static torsor_registry *registry;
static torsor_error error;

static int open_registry(void **state) {
  (void)state;
  registry = torsor_registry_create(&error);
  return registry ? 0 : -1;
}

static int close_registry(void **state) {
  (void)state;
  torsor_registry_destroy(registry);
  return 0;
}

static torsor_status parse(torsor_scene **scene, const char *text, const char *set) {
  error = (torsor_error){0};
  return torsor_scene_parse(scene, text, strlen(text), "dir/good.json", registry, &set, set != NULL,
                            &error);
}

/* The good scene after a change; NULL when it is refused. */
static torsor_scene *changed(const char *set) {
  torsor_scene *scene = NULL;
  if (parse(&scene, good_scene, set) == TORSOR_OK) return scene;
  return NULL;
}

/* ---- settings ------------------------------------------------------------------------------ */

static void settings(void **state) {
  (void)state;
  torsor_scene *scene = changed(NULL);
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  const torsor_alpha alpha = torsor_alpha_chung_hulbert(0.9);
  int count;
  const char *const *signals = torsor_scene_signals(scene, &count);
  CHECK_STR(torsor_scene_name(scene), "good");
  CHECK_STR(torsor_scene_title(scene), "good");
  CHECK_STR(simulation->settings.method, "generalized_alpha");
  CHECK_INT(simulation->settings.formulation, TORSOR_INDEX3);
  CHECK_INT(simulation->settings.start, TORSOR_START_PERTURBED);
  CHECK_NEAR(simulation->settings.alpha.alpha_m, alpha.alpha_m, 0);
  CHECK_NEAR(simulation->settings.step, 1e-3, 0);
  CHECK_NEAR(simulation->duration, 1, 0);
  CHECK_STR(simulation->linear_solver, "block");
  CHECK_INT(simulation->every, 10);
  CHECK_INT(count, 2);
  CHECK_STR(signals[1], "energy");
  torsor_scene_destroy(scene);
}

static void settings_left_out(void **state) {
  (void)state;
  torsor_scene *scene = NULL;
  CHECK_INT(parse(&scene, "{\"torsor\": 1}", NULL), TORSOR_OK);
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  const torsor_settings usual = torsor_settings_default();
  int count = -1;
  torsor_scene_signals(scene, &count);
  CHECK_INT(count, 0);
  CHECK_STR(simulation->settings.method, usual.method);
  CHECK_NEAR(simulation->settings.step, usual.step, 0);
  CHECK_NEAR(simulation->duration, 0, 0);
  CHECK_INT(simulation->every, 1);
  CHECK_STR(torsor_scene_title(scene), "");
  torsor_scene_destroy(scene);
}

static torsor_settings settings_of(const char *simulation) {
  torsor_scene *scene = changed(simulation);
  torsor_settings s = torsor_settings_chosen(&torsor_scene_simulation(scene)->settings);
  s.method = NULL; /* of the scene */
  torsor_scene_destroy(scene);
  return s;
}

/* The defaults apply where a scene does not choose a method. */
static void default_method(void **state) {
  (void)state;
#define TIMES "\"step\": 0.1, \"duration\": 1}"
  static const struct {
    const char *simulation;
    torsor_formulation formulation;
    torsor_start start;
    double rho;
  } cases[] = {
      {"simulation={" TIMES, TORSOR_GGL, TORSOR_START_DAMPED, 0.8},
      {"simulation={\"formulation\": \"ggl\", " TIMES, TORSOR_GGL, TORSOR_START_DAMPED, 0.8},
      {"simulation={\"formulation\": \"index3\", " TIMES, TORSOR_INDEX3, TORSOR_START_PERTURBED,
       0.9},
      {"simulation={\"method\": \"soi2\", " TIMES, TORSOR_FORMULATION_USUAL, TORSOR_START_DAMPED,
       0.9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const torsor_settings s = settings_of(cases[i].simulation);
    const torsor_alpha alpha = torsor_alpha_chung_hulbert(cases[i].rho);
    CHECK_INT(s.formulation, cases[i].formulation);
    CHECK_INT(s.start, cases[i].start);
    CHECK_INT(s.multipliers, TORSOR_MULTIPLIERS_ACCELERATION);
    CHECK_INT(memcmp(&s.alpha, &alpha, sizeof alpha), 0);
  }
  const torsor_settings damped =
      settings_of("simulation={\"formulation\": \"index3\", \"start\": \"damped\", "
                  "\"multipliers\": \"method\", " TIMES);
  CHECK_INT(damped.start, TORSOR_START_DAMPED);
  CHECK_INT(damped.multipliers, TORSOR_MULTIPLIERS_METHOD);
}

static void all_settings(void **state) {
  (void)state;
  torsor_scene *scene =
      changed("simulation={\"formulation\": \"ggl\", \"start\": \"plain\", \"hht\": -0.1, "
              "\"step\": \"1/3\", \"duration\": 1, \"atol\": 1e-9, \"rtol\": 1e-6, "
              "\"max_iterations\": 5, \"max_halvings\": 0, \"linear_solver\": \"umfpack\"}");
  const torsor_simulation *s = torsor_scene_simulation(scene);
  CHECK_INT(s->settings.formulation, TORSOR_GGL);
  CHECK_INT(s->settings.start, TORSOR_START_PLAIN);
  CHECK_NEAR(s->settings.alpha.alpha_f, 0.1, 0);
  CHECK_NEAR(s->settings.atol, 1e-9, 0);
  CHECK_NEAR(s->settings.rtol, 1e-6, 0);
  CHECK_INT(s->settings.max_iterations, 5);
  CHECK_INT(s->settings.max_halvings, 0);
  CHECK_STR(s->linear_solver, "umfpack");
  torsor_scene_destroy(scene);
}

static void weighted_settings(void **state) {
  (void)state;
  torsor_scene *scene =
      changed("simulation={\"method\": \"soi2\", \"step\": 0.1, \"duration\": 1}");
  const torsor_settings *s = &torsor_scene_simulation(scene)->settings;
  CHECK_STR(s->method, "soi2");
  CHECK_INT(s->mass_alpha, TORSOR_MASS_CARRIED);
  CHECK_FALSE(s->additive);
  CHECK_FALSE(s->uncorrected);
  torsor_scene_destroy(scene);
  scene = changed("simulation={\"method\": \"soi2\", \"step\": 0.1, \"duration\": 1, "
                  "\"mass_alpha\": \"evaluated\", \"additive\": true, \"step_correction\": false}");
  s = &torsor_scene_simulation(scene)->settings;
  CHECK_INT(s->mass_alpha, TORSOR_MASS_EVALUATED);
  CHECK_TRUE(s->additive);
  CHECK_TRUE(s->uncorrected);
  torsor_scene_destroy(scene);
}

static void reaction_settings(void **state) {
  (void)state;
  torsor_scene *scene =
      changed("simulation={\"method\": \"hht_odae\", \"step\": 0.1, \"duration\": 1}");
  const torsor_settings *s = &torsor_scene_simulation(scene)->settings;
  CHECK_STR(s->method, "hht_odae");
  CHECK_NEAR(s->alpha.alpha_f, 0.1, 0);
  CHECK_INT(s->reaction, TORSOR_REACTION_END);
  CHECK_NEAR(s->reaction_weight, 0, 0);
  torsor_scene_destroy(scene);
  scene = changed(
      "simulation={\"method\": \"hht_odae\", \"step\": 0.1, \"duration\": 1, \"hht\": -0.3, "
      "\"reaction\": \"explicit\", \"reaction_weight\": 0.3}");
  s = &torsor_scene_simulation(scene)->settings;
  CHECK_NEAR(s->alpha.alpha_f, 0.3, 0);
  CHECK_INT(s->reaction, TORSOR_REACTION_EXPLICIT);
  CHECK_NEAR(s->reaction_weight, 0.3, 0);
  torsor_scene_destroy(scene);
}

static void parameters_of_the_method(void **state) {
  (void)state;
  static const char *const forms[] = {
      "\"newmark\": {\"beta\": 0.3025, \"gamma\": 0.5}",
      "\"alpha\": {\"alpha_m\": 0, \"alpha_f\": 0.1, \"beta\": 0.3025, \"gamma\": 0.6}",
      "\"hht\": -0.1",
      "\"rho_inf\": 0.5",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    char set[256];
    snprintf(set, sizeof set, "simulation={\"step\": 0.1, \"duration\": 1, %s}", forms[i]);
    torsor_scene *scene = changed(set);
    CHECK_TRUE(scene != NULL);
    const double gamma = torsor_scene_simulation(scene)->settings.alpha.gamma;
    const double expected[] = {0.5, 0.6, 0.6, torsor_alpha_chung_hulbert(0.5).gamma};
    CHECK_NEAR(gamma, expected[i], CHECK_EPS);
    torsor_scene_destroy(scene);
  }
}

static void durations(void **state) {
  (void)state;
  static const struct {
    const char *step, *duration;
    bool good;
  } cases[] = {
      {"1e-3", "1", true},         {"0.1", "0.3", true},
      {"1e-6", "100", true},       {"1e-9", "999", true},
      {"1e-3", "0", true},         {"0.1", "0.35", false},
      {"3", "1", false},           {"1e-12", "2", false},
      {"1e-300", "1e300", false},  {"\"1/3\"", "\"7/3\"", true},
      {"1e-3", "1.000001", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char set[128];
    snprintf(set, sizeof set, "simulation={\"step\": %s, \"duration\": %s}", cases[i].step,
             cases[i].duration);
    torsor_scene *scene = changed(set);
    CHECK_INT(scene != NULL, cases[i].good);
    torsor_scene_destroy(scene);
  }
}

/* ---- changes from outside ------------------------------------------------------------------- */

static void changes(void **state) {
  (void)state;
  static const struct {
    const char *set, *part;
  } cases[] = {
      {"simulation.step=1e-4", "\"step\":0.0001"},
      {"bodies[0].mass=3", "\"mass\":3"},
      {"bodies.top.mass=3", "\"mass\":3"},
      {"bodies.bob.position[2]=7", "[0,1,7]"},
      {"bodies.top.mass=2*m", "\"mass\":\"2*m\""},
      {"title=two words", "\"title\":\"two words\""},
      {"title=\"quoted\"", "\"title\":\"quoted\""},
      {"title=", "\"title\":\"\""},
      {"title=a=b", "\"title\":\"a=b\""},
      {"parameters.k=[1, 2]", NULL},
      {"parameters.k=\"m\"", "\"k\":\"m\""},
      {"simulation.atol=1e-9", "\"atol\":1.0000000000000001e-09"},
      {"output={\"every\": 2}", "\"output\":{\"every\":2}"},
      {"joints.rod.b={\"body\": \"top\", \"position\": [0, 0, 1]}", "[0,0,1]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    torsor_scene *scene = changed(cases[i].set);
    CHECK_INT(scene != NULL, cases[i].part != NULL);
    if (scene) CHECK_CONTAINS(torsor_scene_canonical(scene), cases[i].part);
    if (!scene) CHECK_CONTAINS(error.file, "--set parameters.k=[1, 2]");
    torsor_scene_destroy(scene);
  }
}

static void bad_changes(void **state) {
  (void)state;
  static const struct {
    const char *set, *path, *message, *hint;
  } cases[] = {
      {"simulation.step", "simulation.step", "PATH=VALUE", "simulation.step"},
      {"=3", "", "PATH=VALUE", NULL},
      {"", "", "PATH=VALUE", NULL},
      {".a=3", ".a", "cannot be read", "bodies[0].mass"},
      {"bodies[0=3", "bodies[0", "cannot be read", NULL},
      {"bodies[x]=3", "bodies[x]", "cannot be read", NULL},
      {"bodies[-1]=3", "bodies[-1]", "cannot be read", NULL},
      {"bodies]=3", "bodies]", "cannot be read", NULL},
      {"bodies[0]mass=3", "bodies[0]mass", "cannot be read", NULL},
      {"bodies..mass=3", "bodies..mass", "cannot be read", NULL},
      {"bodies.=3", "bodies.", "cannot be read", NULL},
      {"bodies[2]=3", "bodies[2]", "bodies has no part [2]", "its last part is [1]"},
      {"bodies[99999999999999999999]=3", NULL, "cannot be read", NULL},
      {"bodies.tpo.mass=3", "bodies.tpo.mass", "bodies has no part \"tpo\"", "\"top\""},
      {"simulatio.step=3", "simulatio.step", "the scene has no part \"simulatio\"",
       "\"simulation\""},
      {"simulation.a.b=3", "simulation.a.b", "simulation has no part \"a\"", NULL},
      {"simulation[0]=3", "simulation[0]", "simulation has no part [0]: it is an object", NULL},
      {"title.x=3", "title.x", "title has no parts: it is \"good\"", NULL},
      {"[0]=3", "[0]", "the scene has no part [0]", NULL},
      {"title=[1", "title", "ends inside the array", "]"},
      {"title={\"a\" 1}", "title", "a colon is missing", NULL},
      {"title=\"abc", "title", "is not closed", NULL},
      {"title=\xff", "title", "PATH=VALUE", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    torsor_scene *scene = NULL;
    char file[128];
    snprintf(file, sizeof file, "--set %s", cases[i].set);
    CHECK_INT(parse(&scene, good_scene, cases[i].set), TORSOR_ARGUMENT);
    CHECK_TRUE(scene == NULL);
    CHECK_STR(error.file, file);
    if (cases[i].path) CHECK_STR(error.path, cases[i].path);
    CHECK_CONTAINS(error.message, cases[i].message);
    if (cases[i].hint) CHECK_CONTAINS(error.hint, cases[i].hint);
  }
}

static void bad_values_from_outside(void **state) {
  (void)state;
  static const struct {
    const char *set, *path;
  } cases[] = {
      {"bodies.top.mass=-3", "bodies[0].mass"},
      {"bodies[0].masss=3", "bodies[0].masss"},
      {"bodies[1]={\"name\": \"bob\"}", "bodies[1].type"},
      {"joints.pivot.b.position[1]=x", "joints[0].b.position[1]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    torsor_scene *scene = changed(cases[i].set);
    torsor_model *model = NULL;
    char file[128];
    snprintf(file, sizeof file, "--set %s", cases[i].set);
    CHECK_TRUE(scene != NULL);
    CHECK_INT(torsor_scene_model(&model, scene, &error), TORSOR_SCENE);
    CHECK_STR(error.file, file);
    CHECK_STR(error.path, cases[i].path);
    CHECK_INT(error.line, 0);
    torsor_scene_destroy(scene);
  }
}

static void later_changes_see_earlier_ones(void **state) {
  (void)state;
  const char *const set[] = {"parameters={\"m\": 1, \"L\": 1}", "parameters.m=-7"};
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  CHECK_INT(
      torsor_scene_parse(&scene, good_scene, strlen(good_scene), "x", registry, set, 2, &error),
      TORSOR_OK);
  CHECK_CONTAINS(torsor_scene_canonical(scene), "\"m\":-7");
  CHECK_INT(torsor_scene_model(&model, scene, &error), TORSOR_SCENE);
  CHECK_STR(error.file, "x"); /* the mass is the file's, though the parameter is not */
  CHECK_STR(error.path, "bodies[0].mass");
  torsor_scene_destroy(scene);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void places(void **state) {
  (void)state;
  torsor_scene *scene = changed(NULL);
  error = (torsor_error){.status = TORSOR_SCENE, .message = "kept", .hint = "kept"};
  torsor_scene_locate_signal(scene, 1, &error);
  CHECK_STR(error.path, "output.signals[1]");
  CHECK_STR(error.file, "dir/good.json");
  CHECK_STR(error.message, "kept");
  CHECK_INT(error.line, 20);
  CHECK_INT(error.column, 55);
  error = (torsor_error){.status = TORSOR_SINGULAR, .element = "rod"};
  torsor_scene_locate(scene, &error);
  CHECK_STR(error.path, "joints[1]");
  CHECK_INT(error.line, 16);
  CHECK_INT(error.column, 5);
  CHECK_INT(error.status, TORSOR_SINGULAR);
  error = (torsor_error){.element = "nothing"};
  torsor_scene_locate(scene, &error);
  CHECK_STR(error.file, "");
  error = (torsor_error){.path = "gravity"};
  torsor_scene_locate(scene, &error);
  CHECK_STR(error.path, "gravity");
  CHECK_STR(error.file, "dir/good.json");
  error = (torsor_error){.file = "other", .path = "kept"};
  torsor_scene_locate(scene, &error);
  CHECK_STR(error.path, "kept");
  torsor_scene_locate(scene, NULL);
  torsor_scene_locate_signal(scene, 0, NULL);
  torsor_scene_destroy(scene);
}

/* ---- canonical text and hash ----------------------------------------------------------------- */

static void canonical(void **state) {
  (void)state;
  static const char *const same[] = {
      "{\"torsor\": 1, \"title\": \"a\\u00e9/\\n\", \"gravity\": [0.1, -0.0, 1e3]}",
      "\xef\xbb\xbf{ \"gravity\":[1e-1,-0,1000.0],\r\n\"title\":\"a\xc3\xa9\\/\\u000a\","
      "\"torsor\":1.0,\"comment\":{\"x\":1},\"_y\":2,\"$schema\":\"s\"}",
  };
  for (int i = 0; i < 2; ++i) {
    torsor_scene *scene = NULL;
    CHECK_INT(parse(&scene, same[i], NULL), TORSOR_OK);
    CHECK_STR(torsor_scene_canonical(scene), "{\"gravity\":[0.10000000000000001,-0,1000],"
                                             "\"title\":\"a\xc3\xa9/\\n\",\"torsor\":1}");
    CHECK_INT(strlen(torsor_scene_hash(scene)), 32);
    torsor_scene_destroy(scene);
  }
}

static void hash(void **state) {
  (void)state;
  torsor_scene *scene = NULL;
  CHECK_INT(parse(&scene, "{\"torsor\": 1}", NULL), TORSOR_OK);
  CHECK_STR(torsor_scene_canonical(scene), "{\"torsor\":1}");
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits("{\"torsor\":1}", 12));
  char digits[33];
  for (int i = 0; i < 16; ++i) snprintf(digits + 2 * i, 3, "%02x", bytes.digest[i]);
  CHECK_STR(torsor_scene_hash(scene), digits);
  torsor_scene_destroy(scene);
}

static void hash_sees_what_matters(void **state) {
  (void)state;
  torsor_scene *plain = changed(NULL), *same = changed("comment=x"), *other = changed("title=x");
  CHECK_STR(torsor_scene_hash(plain), torsor_scene_hash(same));
  CHECK_TRUE(strcmp(torsor_scene_hash(plain), torsor_scene_hash(other)) != 0);
  /* The canonical text is itself a scene, with the same canonical text. */
  torsor_scene *again = NULL;
  CHECK_INT(parse(&again, torsor_scene_canonical(plain), NULL), TORSOR_OK);
  CHECK_STR(torsor_scene_canonical(again), torsor_scene_canonical(plain));
  torsor_scene_destroy(plain);
  torsor_scene_destroy(same);
  torsor_scene_destroy(other);
  torsor_scene_destroy(again);
}

/* ---- schema ---------------------------------------------------------------------------------- */

/* A file of the data folder; NULL when it cannot be read. */
static char *read_data(const char *name) {
  char path[1024];
  const char *folder = getenv("TORSOR_DATA");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "data", name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *bytes = calloc(1, 1 << 20);
  const size_t count = bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
  fclose(file);
  CHECK_TRUE(count > 0);
  return bytes;
}

static void schema_is_current(void **state) {
  (void)state;
  char *made = NULL;
  CHECK_INT(torsor_schema_text(&made, registry, &error), TORSOR_OK);
  char *stored = read_data("schema/torsor-scene.json");
  if (!stored || strcmp(stored, made) != 0)
    print_error("data/schema/torsor-scene.json is not that of the element types: "
                "./torsor.sh renew\n");
  CHECK_TRUE(stored && strcmp(stored, made) == 0);
  torsor_text_free(made);
  free(stored);
}

static void schema_has_every_parameter(void **state) {
  (void)state;
  char *made = NULL;
  CHECK_INT(torsor_schema_text(&made, registry, &error), TORSOR_OK);
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    char word[128];
    snprintf(word, sizeof word, "    \"type_%s\": {", type->name);
    const char *definition = strstr(made, word);
    CHECK_TRUE(definition != NULL);
    for (const torsor_param *param = type->params; param->key; ++param) {
      snprintf(word, sizeof word, "\n        \"%s\": {", param->key);
      CHECK_TRUE(strstr(definition, word) != NULL);
    }
  }
  torsor_text_free(made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings),
      cmocka_unit_test(settings_left_out),
      cmocka_unit_test(default_method),
      cmocka_unit_test(all_settings),
      cmocka_unit_test(weighted_settings),
      cmocka_unit_test(reaction_settings),
      cmocka_unit_test(parameters_of_the_method),
      cmocka_unit_test(durations),
      cmocka_unit_test(changes),
      cmocka_unit_test(bad_changes),
      cmocka_unit_test(bad_values_from_outside),
      cmocka_unit_test(later_changes_see_earlier_ones),
      cmocka_unit_test(places),
      cmocka_unit_test(canonical),
      cmocka_unit_test(hash),
      cmocka_unit_test(hash_sees_what_matters),
      cmocka_unit_test(schema_is_current),
      cmocka_unit_test(schema_has_every_parameter),
  };
  return cmocka_run_group_tests(tests, open_registry, close_registry);
}
