/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <torsor/integrator.h>

#include "cli/session.h"
#include "cli/words.h"
#include "problems/problem.h"

/* The answer: table rows or JSON objects. */
typedef struct listing {
  const cli *common;
  session session;
  text answer;
  int entries;
} listing;

static void begin_entry(listing *l) {
  text_append(&l->answer, l->entries++ ? ",\n {" : "{");
}

/* ---- types and methods -------------------------------------------------------------------- */

static void list_types(listing *l, bool all, torsor_kind kind) {
  const int count = torsor_registry_count(l->session.registry);
  for (int i = 0; i < count; ++i) {
    const torsor_element_type *type = torsor_registry_at(l->session.registry, i);
    if (!all && type->kind != kind) continue;
    if (!l->common->json) {
      text_printf(&l->answer, "%s\t%s\t%s%s\n", type->name, word_kind(type->kind), type->title,
                  type->tangents.numeric ? " (numeric tangents)" : "");
      continue;
    }
    begin_entry(l);
    json_text(&l->answer, "type", type->name);
    json_text(&l->answer, "kind", word_kind(type->kind));
    json_text(&l->answer, "title", type->title);
    json_bool(&l->answer, "numeric_tangent", type->tangents.numeric);
    text_append(&l->answer, "}");
  }
}

static void add_entry(listing *l, const char *name, const char *kind, const char *title) {
  if (!l->common->json) {
    text_printf(&l->answer, "%s\t%s\t%s\n", name, kind, title);
    return;
  }
  begin_entry(l);
  json_text(&l->answer, "type", name);
  json_text(&l->answer, "kind", kind);
  json_text(&l->answer, "title", title);
  text_append(&l->answer, "}");
}

static void list_methods(listing *l) {
  for (int i = 0; torsor_method_name(i); ++i)
    add_entry(l, torsor_method_name(i), "method", torsor_method_title(i));
}

static void list_problems(listing *l) {
  const problem *p;
  for (int i = 0; (p = problem_at(i)); ++i) add_entry(l, p->name, "problem", p->title);
}

/* ---- signals ------------------------------------------------------------------------------ */

/* Columns under `name`; `shown` stands for the first `skip` letters of their names.  A name without
 * signals, such as that of a force that has none, adds nothing. */
static torsor_status list_columns(listing *l, const torsor_model *model, const char *name,
                                  const char *shown, size_t skip, torsor_error *error) {
  torsor_signals *signals = NULL;
  const torsor_status status = torsor_signals_create(&signals, model, &name, 1, NULL, NULL);
  if (status == TORSOR_MEMORY) return torsor_fail(error, status, "out of memory");
  const int count = status == TORSOR_OK ? torsor_signals_count(signals) : 0;
  for (int j = 0; j < count; ++j) {
    const char *column = torsor_signals_name(signals, j), *unit = torsor_signals_unit(signals, j);
    const char *rest = column + skip;
    if (!l->common->json) {
      text_printf(&l->answer, "%s%s\t%s\t\n", shown, rest, unit);
      continue;
    }
    begin_entry(l);
    char signal[256];
    snprintf(signal, sizeof signal, "%s%s", shown, rest);
    json_text(&l->answer, "signal", signal);
    json_text(&l->answer, "unit", unit);
    text_append(&l->answer, "}");
  }
  torsor_signals_destroy(signals);
  return TORSOR_OK;
}

/* Signals of the model as a whole. */
static torsor_status list_totals(listing *l, const torsor_model *model, torsor_error *error) {
  static const char *const names[] = {"energy",          "momentum", "angular_momentum", "impulse",
                                      "angular_impulse", "inputs",   "signals"};
  enum { COUNT = sizeof names / sizeof *names };
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < COUNT && status == TORSOR_OK; ++i)
    status = list_columns(l, model, names[i], "", 0, error);
  return status;
}

static torsor_status list_scene_signals(listing *l, const char *file, torsor_error *error) {
  torsor_status status = session_open_scene(&l->session, l->common, file, error);
  if (status != TORSOR_OK) return status;
  const torsor_model *model = l->session.model;
  const int count = torsor_model_count(model).elements;
  for (int i = 0; i < count && status == TORSOR_OK; ++i)
    status = list_columns(l, model, torsor_model_element_name(model, i), "", 0, error);
  return status == TORSOR_OK ? list_totals(l, model, error) : status;
}

/* The signals of the first element of a part, which are called after the composite element. */
static torsor_status list_part_signals(listing *l, const torsor_element_type *type,
                                       const torsor_element_type *part, torsor_error *error) {
  const torsor_model *model = l->session.model;
  const int count = torsor_model_count(model).elements;
  int first = 0;
  while (first < count - 1 && torsor_model_element_type(model, first) != part) ++first;
  const char *name = torsor_model_element_name(model, first);
  const size_t own = strcspn(name, ".["); /* "wing" of "wing[0]" and "wing.element[0]" */
  char shown[96];
  snprintf(shown, sizeof shown, "<%s>", type->name);
  if (!part->outputs.list && !part->outputs.places)
    return list_columns(l, model, name, shown, own, error);
  torsor_status status = TORSOR_OK;
  char signal[160];
  for (const torsor_output *o = part->outputs.list; o && o->name && status == TORSOR_OK; ++o) {
    snprintf(signal, sizeof signal, "%.*s.%s[0]", (int)own, name, o->name);
    status = list_columns(l, model, signal, shown, own, error);
  }
  if (!part->outputs.places || status != TORSOR_OK) return status;
  snprintf(signal, sizeof signal, "%.*s.%s[0]", (int)own, name, part->outputs.places->name);
  return list_columns(l, model, signal, shown, own, error);
}

/* The signals of a type are those of the element of this type in the type's example. */
static torsor_status list_type_signals(listing *l, const torsor_element_type *type, bool totals,
                                       torsor_error *error) {
  session *s = &l->session;
  torsor_status status = torsor_scene_parse(&s->scene, type->example, strlen(type->example),
                                            type->name, s->registry, NULL, 0, error);
  if (status == TORSOR_OK) status = torsor_scene_model(&s->model, s->scene, error);
  if (status != TORSOR_OK) return status;
  const int count = torsor_model_count(s->model).elements;
  for (int i = 0; i < count; ++i) {
    if (torsor_model_element_type(s->model, i) != type) continue;
    const char *name = torsor_model_element_name(s->model, i);
    char shown[96];
    snprintf(shown, sizeof shown, "<%s>", type->name);
    status = list_columns(l, s->model, name, shown, strlen(name), error);
    break;
  }
  for (int k = 0; type->composite.expand && type->composite.parts[k] && status == TORSOR_OK; ++k)
    if (!word_outputs_again(type, k))
      status = list_part_signals(l, type, type->composite.parts[k], error);
  if (totals && status == TORSOR_OK) status = list_totals(l, s->model, error);
  session_close_scene(s);
  return status;
}

static torsor_status list_all_signals(listing *l, torsor_error *error) {
  const int count = torsor_registry_count(l->session.registry);
  torsor_status status = TORSOR_OK;
  bool totals = true; /* once, from the first example */
  for (int i = 0; i < count && status == TORSOR_OK; ++i) {
    const torsor_element_type *type = torsor_registry_at(l->session.registry, i);
    if (!type->example) continue;
    status = list_type_signals(l, type, totals, error);
    totals = false;
  }
  return status;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static torsor_status fill(listing *l, torsor_error *error) {
  static const char *const topics[] = {"bodies",  "joints",  "forces",
                                       "methods", "signals", "problems"};
  enum { METHODS = 3, SIGNALS, PROBLEMS, TOPICS };
  const cli *common = l->common;
  const char *topic = common->argument_count > 0 ? common->argument[0] : NULL;
  const char *scene = common->argument_count > 1 ? common->argument[1] : NULL;
  int k = 0;
  while (topic && k < TOPICS && strcmp(topic, topics[k]) != 0) ++k;
  if (k == TOPICS) {
    torsor_fail(error, TORSOR_ARGUMENT, "there is no list of \"%s\"", topic);
    torsor_hint(error, "joints, bodies, forces, methods, signals, problems");
    return TORSOR_ARGUMENT;
  }
  if (scene && k != SIGNALS)
    return torsor_fail(error, TORSOR_ARGUMENT, "only \"list signals\" takes a scene");
  if (!topic) list_types(l, true, TORSOR_BODY);
  if (!topic || k == METHODS) list_methods(l);
  if (topic && k == PROBLEMS) list_problems(l);
  if (topic && k < METHODS) {
    static const torsor_kind kinds[] = {TORSOR_BODY, TORSOR_JOINT, TORSOR_FORCE};
    list_types(l, false, kinds[k]);
  }
  if (!topic || k != SIGNALS) return TORSOR_OK;
  return scene ? list_scene_signals(l, scene, error) : list_all_signals(l, error);
}

static torsor_status list(listing *l, torsor_error *error) {
  torsor_status status = session_open_types(&l->session, l->common, error);
  if (status != TORSOR_OK) return status;
  if (l->common->json) text_append(&l->answer, "[");
  status = fill(l, error);
  if (status != TORSOR_OK) return status;
  if (!l->common->json) return cli_print_columns(&l->answer, "lll", error);
  text_append(&l->answer, "]\n");
  return cli_print(&l->answer, error);
}

static const struct argp argp = {.args_doc =
                                     "[joints|bodies|forces|methods|problems|signals [SCENE]]",
                                 .doc = "List element types and methods, the test problems of "
                                        "`torsor converge`, or the signals of "
                                        "the types or of a scene's model.",
                                 .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 0, 2, &error);
  listing l = {.common = &common};
  if (status == TORSOR_OK) status = list(&l, &error);
  session_close(&l.session);
  text_release(&l.answer);
  return cli_finish(&common, status, &error);
}

const cli_verb verb_list = {.name = "list",
                            .arguments = "[joints|bodies|forces|methods|signals [SCENE]]",
                            .title = "what there is",
                            .words = "joints bodies forces methods problems signals",
                            .argp = &argp,
                            .act = act};
