/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outputs of a study: what is made of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/study/study_read.h"

const char *const study_reductions[REDUCTIONS] = {
    "final",    "initial",       "min",     "max",       "abs_max", "range",   "t_min",    "t_max",
    "mean",     "rms",           "std",     "integral",  "value",   "time_of", "count_of", "settle",
    "fft_peak", "fft_amplitude", "summary", "frequency", "damping", "of"};

/* Keys beside the reduction, and the reductions that have them. */
typedef struct key_use {
  const char *key;
  unsigned with;
} key_use;

#define BIT(reduction) (1u << (reduction))
#define PEAKS                                                                                      \
  (BIT(REDUCE_MIN) | BIT(REDUCE_MAX) | BIT(REDUCE_ABS_MAX) | BIT(REDUCE_RANGE) |                   \
   BIT(REDUCE_T_MIN) | BIT(REDUCE_T_MAX))
#define CROSSINGS (BIT(REDUCE_TIME_OF) | BIT(REDUCE_COUNT_OF))
#define SPECTRA   (BIT(REDUCE_FFT_PEAK) | BIT(REDUCE_FFT_AMPLITUDE))
#define IN_TIME                                                                                    \
  (PEAKS | CROSSINGS | SPECTRA | BIT(REDUCE_FINAL) | BIT(REDUCE_INITIAL) | BIT(REDUCE_MEAN) |      \
   BIT(REDUCE_RMS) | BIT(REDUCE_STD) | BIT(REDUCE_INTEGRAL) | BIT(REDUCE_SETTLE))

#define OVER_TIME                                                                                  \
  (CROSSINGS | SPECTRA | BIT(REDUCE_VALUE) | BIT(REDUCE_SETTLE) | BIT(REDUCE_SUMMARY))

#define OF_MODES (BIT(REDUCE_FREQUENCY) | BIT(REDUCE_DAMPING))

static const key_use options[] = {{"from", IN_TIME},
                                  {"to", IN_TIME},
                                  {"at", BIT(REDUCE_VALUE)},
                                  {"band", SPECTRA},
                                  {"within", BIT(REDUCE_SETTLE)},
                                  {"which", BIT(REDUCE_TIME_OF)},
                                  {"direction", CROSSINGS},
                                  {"peak", PEAKS}};
enum { OPTIONS = sizeof options / sizeof *options };

static torsor_status read_reduction(study_output *o, const study *s, const reader *r,
                                    const json_node *node) {
  bool found = false;
  for (int i = 0; i < REDUCTIONS; ++i) {
    if (!json_member(node, study_reductions[i]).item) continue;
    if (found)
      return reader_fail(r, node, NULL, "must have one reduction, not \"%s\" and \"%s\"",
                         study_reductions[o->reduction], study_reductions[i]);
    found = true;
    o->reduction = (study_reduction)i;
  }
  if (!found)
    return reader_fail(r, node, "e.g. {\"max\": \"hinge.angle\"}",
                       "must say how a number is made of a run: min, max, final, mean, ..");
  for (int i = 0; i < OPTIONS; ++i) {
    const json_node member = json_member(node, options[i].key);
    if (member.item && !(options[i].with & BIT(o->reduction)))
      return reader_fail_key(r, &member, NULL, "\"%s\" does not go with \"%s\"", options[i].key,
                             study_reductions[o->reduction]);
  }
  const json_node member = json_member(node, study_reductions[o->reduction]);
  const unsigned refused = s->analysis == STUDY_RUN     ? OF_MODES
                           : s->analysis == STUDY_MODES ? ~(OF_MODES | BIT(REDUCE_OF))
                                                        : OVER_TIME | OF_MODES;
  if (BIT(o->reduction) & refused)
    return reader_fail_key(r, &member, NULL, "\"%s\" does not go with the analysis \"%s\"",
                           study_reductions[o->reduction], study_analyses[s->analysis]);
  o->text = "";
  if (BIT(o->reduction) & OF_MODES) return reader_integer(&o->which, r, &member, 1);
  return reader_text(&o->text, r, &member);
}

/* A time: a number, or an expression of the varied values. */
static torsor_status read_time(const char **out, study *s, const reader *r, const json_node *node,
                               const char *key) {
  const json_node member = json_member(node, key);
  if (!member.item) return TORSOR_OK;
  if (!cJSON_IsNumber(member.item)) return reader_text(out, r, &member);
  char number[NUMBER_ROOM];
  number_write(number, member.item->valuedouble);
  *out = arena_string(&s->memory, number);
  return *out ? TORSOR_OK : study_memory_short(r->error);
}

static torsor_status read_band(study_output *o, const reader *r, const json_node *node) {
  const json_node band = json_member(node, "band");
  o->band[1] = HUGE_VAL;
  if (!band.item) return TORSOR_OK;
  const torsor_status status = reader_numbers(o->band, 2, r, &band);
  if (!status && !(o->band[0] >= 0 && o->band[0] < o->band[1]))
    return reader_fail(r, &band, "[from, to] in Hz", "must ascend from 0 or more");
  return status;
}

static torsor_status read_crossing(study_output *o, const reader *r, const json_node *node) {
  static const char *const places[] = {"first", "last"};
  static const char *const directions[] = {"both", "rising", "falling"};
  const json_node which = json_member(node, "which"), direction = json_member(node, "direction");
  torsor_status status = TORSOR_OK;
  int word = 0;
  if (!(BIT(o->reduction) & OF_MODES)) o->which = 1;
  if (which.item && cJSON_IsNumber(which.item))
    status = reader_integer(&o->which, r, &which, 1);
  else if (which.item) {
    status = reader_word(&word, r, &which, places, 2);
    o->which = word ? -1 : 1;
  }
  word = 0;
  if (!status && direction.item) status = reader_word(&word, r, &direction, directions, 3);
  o->direction = word == 2 ? -1 : word;
  return status;
}

static torsor_status read_options(study_output *o, study *s, const reader *r,
                                  const json_node *node) {
  static const char *const peaks[] = {"rows", "parabola"};
  const json_node within = json_member(node, "within"), peak = json_member(node, "peak");
  int word = 0;
  torsor_status status = read_time(&o->from, s, r, node, "from");
  if (!status) status = read_time(&o->to, s, r, node, "to");
  if (!status) status = read_time(&o->at, s, r, node, "at");
  if (!status) status = read_band(o, r, node);
  if (!status) status = read_crossing(o, r, node);
  if (!status && within.item) status = reader_positive(&o->within, r, &within, NULL);
  if (!status && peak.item) status = reader_word(&word, r, &peak, peaks, 2);
  o->parabola = word == 1;
  if (!status && o->reduction == REDUCE_VALUE && !o->at)
    status = reader_fail(r, node, "a time in s, or an expression of the varied values",
                         "needs \"at\" beside \"value\"");
  if (!status && o->reduction == REDUCE_SETTLE && !within.item)
    status =
        reader_fail(r, node, "a part of the final value", "needs \"within\" beside \"settle\"");
  return status;
}

static torsor_status read_output(study_output *o, study *s, const reader *r,
                                 const json_node *node) {
  const char *words[REDUCTIONS + OPTIONS + 2];
  int count = 0;
  for (int i = 0; i < REDUCTIONS; ++i) words[count++] = study_reductions[i];
  for (int i = 0; i < OPTIONS; ++i) words[count++] = options[i].key;
  words[count++] = "unit";
  words[count++] = "doc";
  const json_node unit = json_member(node, "unit");
  o->name = node->path.key;
  o->unit = "";
  torsor_status status = study_check_name(r, node);
  if (!status && study_find_variable(s, o->name) >= 0)
    status = reader_fail_key(r, node, NULL, "the name \"%s\" is that of a varied value", o->name);
  if (!status) status = reader_object(r, node, "an output", words, count);
  if (!status && unit.item) status = reader_text(&o->unit, r, &unit);
  if (!status) status = read_reduction(o, s, r, node);
  return status ? status : read_options(o, s, r, node);
}

torsor_status study_read_outputs(study *s, const reader *r, const json_node *root) {
  const json_node outputs = json_member(root, "outputs");
  char shown[96];
  const bool measured = json_member(root, "data").item != NULL;
  if (measured && !outputs.item) return TORSOR_OK;
  if (!cJSON_IsObject(outputs.item) || !outputs.item->child)
    return reader_fail(
        r, &outputs, "e.g. {\"highest\": {\"max\": \"hinge.angle\", \"unit\": \"rad\"}}",
        "must name what is taken from each run, but is %s", reader_show(outputs.item, shown));
  const int most = cJSON_GetArraySize(outputs.item);
  if (most + s->variables > STUDY_COLUMNS)
    return reader_fail(r, &outputs, NULL, "varied values and outputs must not be more than %d",
                       STUDY_COLUMNS);
  s->output = arena_take(&s->memory, (size_t)most, sizeof *s->output);
  if (!s->output) return study_memory_short(r->error);
  const cJSON *item;
  cJSON_ArrayForEach(item, outputs.item) {
    if (reader_is_comment(item->string)) continue;
    const json_node one = json_member(&outputs, item->string);
    const torsor_status status = read_output(&s->output[s->outputs], s, r, &one);
    if (status) return status;
    ++s->outputs;
  }
  return TORSOR_OK;
}
