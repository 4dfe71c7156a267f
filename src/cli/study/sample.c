/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include <torsor/run.h>

#include "cli/study/respond.h"
#include "cli/study/slopes.h"
#include "cli/study/still.h"
#include "cli/study/study_read.h"
#include "cli/study/watch.h"

const char *const row_statuses[ROW_STATUSES] = {"ok",      "nan",     "failed",
                                                "timeout", "crashed", "begun"};

static double cpu_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the scene ---------------------------------------------------------------------------------
 */

const char *const *sampler_changes(const sampler *s, const double *value, int *count) {
  const study *of = s->study;
  int changes = 0;
  *count = 0;
  for (int i = 0; i < of->sets; ++i) s->set[(*count)++] = of->set[i];
  for (int i = 0; i < s->common->set_count; ++i) s->set[(*count)++] = s->common->set[i];
  for (int i = 0; i < of->variables && value; ++i)
    for (int k = 0; k < of->variable[i].paths; ++k) {
      text *change = &s->change[changes++];
      change->length = 0;
      text_printf(change, "%s=", of->variable[i].path[k]);
      text_json_number(change, value[i]);
      if (change->failed) return NULL;
      s->set[(*count)++] = change->data;
    }
  return s->set;
}

/* Can the model of another sample be used again?  Only inputs may vary: runs begin with their
 * values, and nothing of the model follows from them. */
static bool can_reuse(const sampler *s) {
  bool inputs = s->session.model && !s->study->rebuilds;
  for (int i = 0; i < s->study->variables; ++i) inputs = inputs && s->study->variable[i].input;
  return inputs;
}

/* Loads the scene with these values, or without them where there are none, and with one more change
 * unless it is NULL. */
static torsor_status load(sampler *s, const double *value, const char *more, torsor_error *error) {
  cli with = *s->common;
  if (value && s->loaded && !more && can_reuse(s)) {
    watch_begin_with(s->session.model, s->study, value);
    return TORSOR_OK;
  }
  if (!sampler_changes(s, value, &with.set_count)) return study_memory_short(error);
  if (more) s->set[with.set_count++] = more;
  with.set = s->set;
  const torsor_status status = session_open_scene(&s->session, &with, s->study->scene, error);
  s->loaded = !status && value && !more;
  return status;
}

static bool make_room(sampler *s) {
  const study *of = s->study;
  for (int i = 0; i < of->variables; ++i) s->changes += of->variable[i].paths;
  s->set = calloc((size_t)(of->sets + s->common->set_count + s->changes) + 2, sizeof *s->set);
  s->change = calloc((size_t)s->changes + 1, sizeof *s->change);
  return s->set && s->change;
}

/* ---- checks ------------------------------------------------------------------------------------
 */

/* Names of members of an object, of which there are `count`. */
static const char **list_names(const cJSON *object, int *count) {
  const char **names = calloc((size_t)cJSON_GetArraySize(object) + 1, sizeof *names);
  const cJSON *item;
  *count = 0;
  cJSON_ArrayForEach(item, object) if (names) names[(*count)++] = item->string;
  return names;
}

/* A path below an object with names of its own must be there: nothing else would notice a new name
 * that no other value uses. */
static torsor_status check_path(const sampler *s, const cJSON *root, int i, const char *path,
                                torsor_error *error) {
  static const char *const named[] = {"parameters", "inputs"};
  for (size_t k = 0; k < sizeof named / sizeof *named; ++k) {
    const size_t length = strlen(named[k]);
    if (strncmp(path, named[k], length) != 0 || path[length] != '.') continue;
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(root, named[k]);
    char *name = strndup(path + length + 1, strcspn(path + length + 1, ".["));
    if (!name) return study_memory_short(error);
    torsor_status status = TORSOR_OK;
    if (!cJSON_GetObjectItemCaseSensitive(object, name)) {
      int count;
      const char **names = list_names(object, &count);
      const char *near = names ? torsor_near_name(name, names, count) : NULL;
      status = torsor_fail(error, TORSOR_SCENE, "the scene has no %.*s called \"%.60s\"",
                           (int)length - 1, named[k], name);
      if (near) torsor_hint(error, "did you mean \"%s.%s\"?", named[k], near);
      snprintf(error->file, sizeof error->file, "--set %.200s=", s->study->variable[i].path[0]);
      status = study_locate(s->study, status, error);
      free(names);
    }
    free(name);
    return status;
  }
  return TORSOR_OK;
}

static torsor_status check_paths(const sampler *s, torsor_error *error) {
  cJSON *root = cJSON_Parse(torsor_scene_canonical(s->session.scene));
  torsor_status status = root ? TORSOR_OK : study_memory_short(error);
  for (int i = 0; i < s->study->variables && !status; ++i)
    for (int k = 0; k < s->study->variable[i].paths && !status; ++k)
      status = check_path(s, root, i, s->study->variable[i].path[k], error);
  cJSON_Delete(root);
  return status;
}

static void add_word(XXH3_state_t *sum, const char *word) {
  if (word) XXH3_64bits_update(sum, word, strlen(word) + 1);
}

/* Everything that rows depend on, but for the varied values. */
static torsor_status find_hash(sampler *s, torsor_error *error) {
  const study *of = s->study;
  XXH3_state_t *sum = XXH3_createState();
  if (!sum || XXH3_64bits_reset(sum) != XXH_OK) {
    XXH3_freeState(sum);
    return study_memory_short(error);
  }
  add_word(sum, torsor_version());
  add_word(sum, torsor_scene_canonical(s->session.scene));
  for (int i = 0; i < of->variables; ++i)
    for (int k = 0; k < of->variable[i].paths; ++k) add_word(sum, of->variable[i].path[k]);
  for (int i = 0; i < of->outputs; ++i) {
    const study_output *o = &of->output[i];
    const double numbers[6] = {o->band[0],       o->band[1],           o->within,
                               (double)o->which, (double)o->direction, o->parabola};
    add_word(sum, o->name);
    add_word(sum, study_reductions[o->reduction]);
    add_word(sum, o->text);
    add_word(sum, o->from ? o->from : "-");
    add_word(sum, o->to ? o->to : "-");
    add_word(sum, o->at ? o->at : "-");
    XXH3_64bits_update(sum, numbers, sizeof numbers);
  }
  for (int i = 0; i < of->variables; ++i) add_word(sum, of->variable[i].name);
  for (int i = 0; i < of->measured; ++i) {
    add_word(sum, of->series[i].text);
    XXH3_64bits_update(sum, &of->series[i].sigma, sizeof of->series[i].sigma);
  }
  for (int i = 0; i < of->data; ++i) {
    const double numbers[3] = {of->datum[i].t, of->datum[i].value, of->datum[i].series};
    XXH3_64bits_update(sum, numbers, sizeof numbers);
  }
  add_word(sum, study_analyses[of->analysis]);
  s->hash = XXH3_64bits_digest(sum);
  XXH3_freeState(sum);
  return TORSOR_OK;
}

uint64_t sampler_hash(const sampler *s, const double *value) {
  return XXH3_64bits_withSeed(value, (size_t)s->study->variables * sizeof *value, s->hash);
}

uint64_t sampler_hash_slope(const sampler *s, const double *value, int j) {
  const uint64_t word[2] = {sampler_hash(s, value), (uint64_t)j};
  return XXH3_64bits(word, sizeof word);
}

static torsor_status open_reductions(sampler *s, torsor_error *error) {
  enum { MOST_EVENTS = 200 };
  const char *event[MOST_EVENTS];
  int events = 0;
  const torsor_event *e;
  while (events < MOST_EVENTS && (e = torsor_model_event(s->session.model, events)) && !e->kink)
    event[events++] = e->name;
  const torsor_status status = reductions_open(&s->reductions, s->study, event, events, error);
  if (status) return status;
  s->row = calloc((size_t)s->reductions.signals + 1, sizeof *s->row);
  return s->row ? TORSOR_OK : study_memory_short(error);
}

/* Every signal must be one number that the model has. */
static torsor_status check_signals(const sampler *s, torsor_error *error) {
  const reductions *r = &s->reductions;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < r->signals && !status; ++i) {
    torsor_signals *one = NULL;
    status = torsor_signals_create(&one, s->session.model, &r->signal[i], 1, NULL, error);
    if (!status && torsor_signals_count(one) != 1) {
      status = torsor_fail(error, TORSOR_SCENE, "\"%s\" is %d numbers, not one", r->signal[i],
                           torsor_signals_count(one));
      torsor_hint(error, "for example \"%s\"", torsor_signals_name(one, 0));
    }
    torsor_signals_destroy(one);
    if (status == TORSOR_MEMORY) return status;
    if (status) {
      const int owner = r->owner[i], outputs = s->study->outputs;
      if (owner < outputs)
        study_locate_output(s->study, owner, study_reductions[s->study->output[owner].reduction],
                            error);
      else
        study_locate_series(s->study, owner - outputs, error);
      error->status = status = TORSOR_SCENE;
    }
  }
  return status;
}

torsor_status sampler_open(sampler *out, const study *s, const cli *common, const double *value,
                           torsor_error *error) {
  *out = (sampler){.study = s, .common = common};
  torsor_status status = make_room(out) ? TORSOR_OK : study_memory_short(error);
  if (!status) status = session_open_types(&out->session, common, error);
  if (!status) status = load(out, NULL, NULL, error);
  if (!status) status = check_paths(out, error);
  if (!status) status = find_hash(out, error);
  if (!status) status = load(out, value, NULL, error);
  if (status) status = study_locate(s, status, error);
  if (!status && s->analysis == STUDY_RUN && torsor_scene_is_static(out->session.scene))
    status =
        torsor_fail(error, TORSOR_SCENE, "the scene \"%s\" has no simulation to run", s->scene);
  if (!status && s->analysis == STUDY_RESPONSE) status = respond_check(out->session.scene, error);
  if (!status) status = open_reductions(out, error);
  return status ? status : check_signals(out, error);
}

void sampler_close(sampler *s) {
  reductions_close(&s->reductions);
  for (int i = 0; i < s->changes && s->change; ++i) text_release(&s->change[i]);
  free(s->change);
  free(s->set);
  free(s->row);
  session_close(&s->session);
  *s = (sampler){0};
}

/* ---- a run -------------------------------------------------------------------------------------
 */

/* The signals of the outputs, NULL where they have none; with derivatives where those are asked
 * for. */
static torsor_status open_signals(torsor_signals **out, sampler *s, torsor_error *error) {
  const reductions *r = &s->reductions;
  session *at = &s->session;
  *out = NULL;
  torsor_status status = TORSOR_OK;
  if (r->signals)
    status = torsor_signals_create(out, at->model, r->signal, r->signals, NULL, error);
  if (!status && *out && torsor_signals_count(*out) != r->signals)
    status = torsor_fail(error, TORSOR_SCENE, "a signal is not one number in this sample");
  if (status || !r->slopes) return status;
  if (*out) status = torsor_scene_sensitivities(&at->sensitivities, at->scene, at->model, error);
  if (!status && *out) status = torsor_signals_differentiate(*out, at->sensitivities, error);
  return status ? status : slopes_begin(r->slopes, *out, error);
}

static torsor_status run(sampler *s, sample_result *out, torsor_error *error) {
  torsor_signals *signals = NULL;
  torsor_run *run = NULL;
  reductions *r = &s->reductions;
  torsor_status status = open_signals(&signals, s, error);
  torsor_run_options options = TORSOR_RUN_OPTIONS_INIT;
  options.threads = s->common->threads;
  options.signals = signals;
  if (!status)
    status = torsor_run_create(&run, s->session.model, torsor_scene_simulation(s->session.scene),
                               &options, error);
  if (!status) status = watch_run(run, signals, r, s->row, error);
  if (run) out->t = torsor_run_time(run);
  if (!status) status = reductions_end(r, torsor_run_summary(run), out->output, error);
  torsor_run_destroy(run);
  torsor_signals_destroy(signals);
  return status;
}

/* `more`: another change of the scene, or NULL. */
static torsor_status analyse(sampler *s, const double *value, const char *more, sample_result *out,
                             torsor_error *error) {
  torsor_status status = load(s, value, more, error);
  if (!status) status = reductions_begin(&s->reductions, value, error);
  if (status) return status;
  if (s->study->analysis == STUDY_RUN)
    return session_locate(&s->session, run(s, out, error), error);
  const torsor_scene *scene = s->session.scene;
  const torsor_model *model = s->session.model;
  status = s->study->analysis == STUDY_STATICS ? still_path(&s->reductions, scene, model, error)
           : s->study->analysis == STUDY_MODES
               ? still_modes(&s->reductions, scene, model, error)
               : respond(&s->reductions, scene, model, s->row, error);
  return status ? session_locate(&s->session, status, error)
                : reductions_end(&s->reductions, NULL, out->output, error);
}

static void put_failure(sample_result *out, const study *s, const torsor_error *error) {
  out->status = ROW_FAILED;
  for (int i = 0; i < s->numbers; ++i) out->output[i] = nan("");
  const char *place = error->path[0] ? error->path : error->element;
  snprintf(out->message, sizeof out->message, "%s%s%.320s", place, place[0] ? ": " : "",
           error->message);
}

void sampler_run(sampler *s, const double *value, sample_result *out) {
  torsor_error error = {0};
  const double begun = cpu_now();
  *out = (sample_result){.status = ROW_OK};
  for (int i = 0; i < s->study->numbers; ++i) out->output[i] = nan("");
  const torsor_status status = analyse(s, value, NULL, out, &error);
  out->cpu = cpu_now() - begun;
  for (int i = 0; i < s->study->numbers && !status; ++i)
    if (!isfinite(out->output[i])) {
      out->status = ROW_NAN;
      if (!out->message[0])
        snprintf(out->message, sizeof out->message, "the output %s is not finite",
                 i < s->study->outputs ? s->study->output[i].name : "at a measured time");
    }
  if (status) put_failure(out, s->study, &error);
}

/* ---- derivatives -------------------------------------------------------------------------------
 */

static torsor_status derive(sampler *s, const double *value, int first, int count,
                            sample_result *out, torsor_error *error) {
  text request = {0};
  const size_t paths = (size_t)s->changes, columns = (size_t)s->reductions.signals;
  double *own = s->row;
  double *row = calloc(columns * (1 + paths) + 1, sizeof *row);
  slopes_write_request(&request, s->study, value, first, count);
  torsor_status status = slopes_open(&s->reductions.slopes, &s->reductions, first, count, error);
  if (!status && (!row || request.failed)) status = study_memory_short(error);
  if (!status) {
    s->row = row;
    status = analyse(s, value, columns ? request.data : NULL, out, error);
    s->row = own;
  }
  for (int j = 0; j < count && !status; ++j) {
    out[j].t = out->t;
    slopes_end(s->reductions.slopes, j, out[j].output);
  }
  slopes_close(s->reductions.slopes);
  s->reductions.slopes = NULL;
  text_release(&request);
  free(row);
  return status;
}

void sampler_derive(sampler *s, const double *value, int first, int count, sample_result *out) {
  torsor_error error = {0};
  const double begun = cpu_now();
  for (int j = 0; j < count; ++j) out[j] = (sample_result){.status = ROW_OK};
  const torsor_status status = derive(s, value, first, count, out, &error);
  for (int j = 0; j < count; ++j) {
    out[j].cpu = (cpu_now() - begun) / count;
    if (status) put_failure(&out[j], s->study, &error);
  }
}
