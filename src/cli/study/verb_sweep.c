/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/study/crew.h"
#include "cli/study/engine.h"
#include "cli/study/keep.h"
#include "cli/study/study_folder.h"
#include "cli/study/study_read.h"
#include "cli/study/table.h"

typedef enum sweep_engine { ENGINE_LOCAL, ENGINE_PRINT, ENGINE_SLURM } sweep_engine;

typedef struct sweep_options {
  cli common;
  const char *folder;
  int jobs;
  long samples;
  folder_use use;
  bool check, collect, status, retry;
  long worker, workers; /* this one of so many; 0: none */
  sweep_engine engine;
  bool keeps; /* --keep is given, and says ... */
  study_keep keep;
  double again; /* how many samples are repeated, 0: none ... */
  bool percent; /* ... of a hundred */
} sweep_options;

typedef struct sweep {
  const sweep_options *options;
  study study;
  design design;
  sampler sampler;
  char *folder;
  folder_lock lock;
  rows_found rows;
  long at, done, todo, failed; /* place in the order, samples of this call */
  bool *again;                 /* [samples] by their place: they are done, and repeated; or NULL */
  bool shows, terminal;
  double begun, shown; /* s */
  torsor_error *error;
} sweep;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the work ----------------------------------------------------------------------------------
 */

/* Is the sample with this row done? */
static bool is_done(const sweep *w, const row *r) {
  if (!r || r->status == ROW_BEGUN) return false;
  return r->status <= ROW_NAN || !w->options->retry;
}

static bool next_sample(void *data, long *sample, double *value) {
  sweep *w = data;
  const long n = w->design.samples, step = w->options->workers ? w->options->workers : 1;
  for (; w->at < n; w->at += step) {
    *sample = design_order(&w->design, w->at);
    design_point(&w->design, *sample, value);
    const bool again = w->again && w->again[w->at];
    if (!again && is_done(w, rows_find(&w->rows, sampler_hash(&w->sampler, value)))) continue;
    w->at += step;
    return true;
  }
  return false;
}

static void show_progress(sweep *w) {
  const double t = now(), rate = (double)w->done / (t - w->begun);
  if (!w->shows || (t - w->shown < 0.5 && w->done < w->todo)) return;
  w->shown = t;
  fprintf(stderr, "%s%ld of %ld samples, %ld failed, %.3g/s, %.0f s left%s",
          w->terminal ? "\r" : "", w->done, w->todo, w->failed, rate,
          (double)(w->todo - w->done) / rate, w->terminal && w->done < w->todo ? "   " : "\n");
}

static torsor_status take_row(void *data, long sample, uint64_t hash, const sample_result *result) {
  sweep *w = data;
  (void)sample;
  ++w->done;
  w->failed += result->status > ROW_NAN;
  show_progress(w);
  return rows_add(&w->rows, hash, result, w->error);
}

/* Samples that are not done yet; the failed ones that are tried again are forgotten. */
static long count_todo(sweep *w) {
  long at = w->at, todo = 0, sample;
  double value[STUDY_COLUMNS];
  while (next_sample(w, &sample, value)) ++todo;
  w->at = at;
  return todo;
}

/* Chooses the samples that are repeated: equally spaced ones of those that are done. */
static torsor_status choose_again(sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  const long n = w->design.samples, first = options->workers ? options->worker : 0,
             step = options->workers ? options->workers : 1;
  double value[STUDY_COLUMNS];
  long done = 0;
  if (!(options->again > 0)) return TORSOR_OK;
  w->again = calloc((size_t)n, sizeof *w->again);
  if (!w->again) return study_memory_short(error);
  for (long at = first; at < n; at += step) {
    design_point(&w->design, design_order(&w->design, at), value);
    const row *r = rows_find(&w->rows, sampler_hash(&w->sampler, value));
    w->again[at] = r && r->status <= ROW_NAN;
    done += w->again[at];
  }
  const double part = fmin(options->again / (options->percent ? 100 : (double)done), 1);
  long seen = 0;
  for (long at = first; at < n; at += step) {
    if (!w->again[at]) continue;
    ++seen;
    w->again[at] = ceil((double)seen * part) > ceil((double)(seen - 1) * part);
  }
  return TORSOR_OK;
}

/* Keeps the folders of the samples that are wanted. */
static torsor_status keep(sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  const keeper k = {.sampler = &w->sampler,
                    .design = &w->design,
                    .rows = &w->rows,
                    .folder = w->folder,
                    .keep = options->keeps ? &options->keep : &w->study.keep,
                    .first = options->workers ? options->worker : 0,
                    .step = options->workers ? options->workers : 1,
                    .jobs = options->workers ? 1
                            : options->jobs  ? options->jobs
                                             : engine_processors()};
  return keep_samples(&k, error);
}

/* All samples that are to be kept must be there. */
static torsor_status check_keep(const sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  const study_keep *k = options->keeps ? &options->keep : &w->study.keep;
  for (int i = 0; i < k->count; ++i) {
    if (k->sample[i] < w->design.samples || (options->samples && !options->keeps)) continue;
    torsor_fail(error, options->keeps ? TORSOR_ARGUMENT : TORSOR_SCENE,
                "there is no sample %ld to keep: the study has %ld, from 0 on", k->sample[i],
                w->design.samples);
    if (!options->keeps) study_locate_key(&w->study, "keep", i, error);
    return error->status;
  }
  return TORSOR_OK;
}

static torsor_status work(sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  const cli *common = &options->common;
  engine *e = NULL;
  torsor_status status = choose_again(w, error);
  if (status) return status;
  w->at = options->workers ? options->worker : 0;
  w->todo = count_todo(w);
  w->begun = w->shown = now();
  w->terminal = isatty(STDERR_FILENO);
  w->shows = !common->quiet && (common->progress == PROGRESS_ALWAYS ||
                                (common->progress == PROGRESS_AUTO && w->terminal));
  int jobs = options->workers ? 1 : options->jobs ? options->jobs : engine_processors();
  if (common->threads > 1 && !options->jobs && !options->workers) jobs /= common->threads;
  if (jobs > w->todo) jobs = (int)w->todo;
  if (jobs < 1) jobs = 1;
  if (!w->todo) return TORSOR_OK;
  interrupt_will_finish();
  interrupt_finishes();
  const engine_work samples = {.data = w, .next = next_sample, .done = take_row};
  status = engine_open(&e, &w->sampler, w->folder, w->lock.file, jobs, error);
  if (!status) status = engine_do(e, &samples, error);
  engine_close(e);
  if (status == TORSOR_INTERRUPTED)
    torsor_hint(error, "%ld of %ld samples are done; --resume goes on", w->done, w->todo);
  return status;
}

/* ---- answers -----------------------------------------------------------------------------------
 */

static void add_numbers(text *out, const statistics *s) {
  text_printf(out, "\t%.7g\t%.4g\t%.7g\t%.7g", s->mean, s->sd, s->min, s->max);
}

static torsor_status add_outputs(text *out, const study_table *t, torsor_error *error) {
  double *room = calloc((size_t)t->rows + 1, sizeof *room);
  if (!room) return study_memory_short(error);
  text_append(out, "output\tmean\tsd\tmin\tmax\t  unit\n");
  for (int j = 0; j < t->study->outputs; ++j) {
    long count = 0;
    for (long k = 0; k < t->rows; ++k) {
      const double y = t->output[(size_t)j * (size_t)t->rows + (size_t)k];
      if (t->status[k] <= ROW_NAN && isfinite(y)) room[count++] = y;
    }
    const statistics s = statistics_of(room, count);
    text_append(out, t->study->output[j].name);
    add_numbers(out, &s);
    text_printf(out, "\t  %s\n", t->study->output[j].unit);
  }
  free(room);
  return TORSOR_OK;
}

static torsor_status print_answer(const sweep *w, const study_table *t, torsor_error *error) {
  const cli *common = &w->options->common;
  text out = {0};
  torsor_status status = TORSOR_OK;
  if (common->json) {
    text_append(&out, "{");
    json_text(&out, "study", w->study.name);
    json_text(&out, "folder", w->folder);
    json_count(&out, "samples", t->rows);
    for (int i = 0; i < ROW_STATUSES; ++i)
      json_count(&out, i == ROW_BEGUN ? "missing" : row_statuses[i], t->count[i]);
    json_count(&out, "done_now", w->done);
    json_number(&out, "cpu_seconds", t->cpu);
    status = table_statistics(&out, t, error);
    text_append(&out, "}\n");
    return status ? status : cli_print(&out, error);
  }
  if (common->quiet) return TORSOR_OK;
  status = add_outputs(&out, t, error);
  if (!status) status = cli_print_columns(&out, "lrrrrl", error);
  text words = {0};
  text_printf(&words, "%ld samples: %ld ok", t->rows, t->count[ROW_OK]);
  for (int i = ROW_NAN; i < ROW_STATUSES; ++i)
    if (t->count[i])
      text_printf(&words, ", %ld %s", t->count[i], i == ROW_BEGUN ? "missing" : row_statuses[i]);
  text_printf(&words, "; %ld done now, %.3g s of CPU in all; results %s/\n", w->done, t->cpu,
              w->folder);
  const torsor_status printed = cli_answer(common, &words, error);
  return status ? status : printed;
}

/* Too many failed samples, or rows that should be equal, are failures of the study. */
static torsor_status judge(const sweep *w, const study_table *t, torsor_error *error) {
  const long failed = t->count[ROW_FAILED] + t->count[ROW_TIMEOUT] + t->count[ROW_CRASHED];
  const double allowed = w->study.allow_failed;
  if (w->rows.mismatch[0]) return torsor_fail(error, TORSOR_MISMATCH, "%s", w->rows.mismatch);
  if ((double)failed <= (allowed < 1 ? allowed * (double)t->rows : allowed)) return TORSOR_OK;
  for (long k = 0; k < t->rows; ++k) {
    if (t->status[k] <= ROW_NAN || t->status[k] == ROW_BEGUN) continue;
    torsor_fail(error, TORSOR_STEP, "%ld of %ld samples failed, first sample %ld: %s", failed,
                t->rows, k, t->message[k] ? t->message[k] : row_statuses[t->status[k]]);
    torsor_hint(error, "summary.json lists them; \"allow_failed\" says how many may fail");
    break;
  }
  return TORSOR_STEP;
}

static torsor_status collect(sweep *w, torsor_error *error) {
  study_table t = {0};
  torsor_status status = table_make(&t, &w->sampler, &w->design, &w->rows, error);
  if (!status && !w->options->status) status = table_write(&t, w->folder, &w->rows, error);
  if (!status && !w->options->common.json) status = print_answer(w, &t, error);
  if (!status) status = judge(w, &t, error);
  if (!status && w->options->common.json) status = print_answer(w, &t, error);
  table_release(&t);
  return status;
}

/* Runs sample 0 alone. */
static torsor_status check(sweep *w, torsor_error *error) {
  static sample_result result;
  double value[STUDY_COLUMNS];
  const study *s = &w->study;
  const cli *common = &w->options->common;
  text out = {0};
  design_point(&w->design, 0, value);
  sampler_run(&w->sampler, value, &result);
  if (result.status > ROW_NAN)
    return torsor_fail(error, TORSOR_STEP, "sample 0 failed: %s", result.message);
  if (common->json) {
    text_append(&out, "{");
    json_count(&out, "samples", w->design.samples);
    for (int i = 0; i < s->variables; ++i) json_number(&out, s->variable[i].name, value[i]);
    for (int i = 0; i < s->outputs; ++i) json_number(&out, s->output[i].name, result.output[i]);
    text_append(&out, "}\n");
    return cli_print(&out, error);
  }
  if (common->quiet) return TORSOR_OK;
  text_append(&out, "sample 0\tvalue\t  unit\n");
  for (int i = 0; i < s->variables; ++i)
    text_printf(&out, "%s\t%.9g\t  %s\n", s->variable[i].name, value[i], s->variable[i].unit);
  for (int i = 0; i < s->outputs; ++i)
    text_printf(&out, "%s\t%.9g\t  %s\n", s->output[i].name, result.output[i], s->output[i].unit);
  const torsor_status status = cli_print_columns(&out, "lrl", error);
  text words = {0};
  text_printf(&words, "%ld samples, about %.3g s of CPU; nothing was written\n", w->design.samples,
              result.cpu * (double)w->design.samples);
  const torsor_status printed = cli_answer(common, &words, error);
  return status ? status : printed;
}

/* ---- verb --------------------------------------------------------------------------------------
 */

/* A worker takes part in the study of a folder, which the first one begins. */
static torsor_status join_folder(sweep *w, torsor_error *error) {
  enum { TRIES = 100 };
  folder_lock lock = {-1};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < TRIES && !folder_has_file(w->folder, "study.json"); ++i) {
    status = study_folder_claim(&lock, w->folder, FOLDER_RESUME, &w->sampler, error);
    folder_lock_release(&lock); /* workers share the folder */
    if (!status || status == TORSOR_ARGUMENT) return status;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* another worker begins it */
  }
  return folder_has_file(w->folder, "study.json") ? TORSOR_OK : status;
}

static torsor_status open_folder(sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  w->folder = options->folder ? path_format(error, "%s", options->folder)
                              : path_format(error, "out/%s", w->study.name);
  if (!w->folder) return TORSOR_MEMORY;
  if (options->collect || options->status) return study_folder_check(w->folder, error);
  if (!options->workers)
    return study_folder_claim(&w->lock, w->folder, options->use, &w->sampler, error);
  return join_folder(w, error);
}

/* Hands the work to other launchers; a sample that is run on the spot says how long one takes. */
static torsor_status start_elsewhere(sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  static sample_result result;
  double value[STUDY_COLUMNS];
  crew c = {.common = &options->common,
            .folder = w->folder,
            .samples = options->samples,
            .jobs = options->jobs,
            .todo = count_todo(w),
            .study = &w->study};
  const torsor_status status = table_write_points(&w->study, &w->design, w->folder, error);
  if (status) return status;
  if (options->engine == ENGINE_PRINT) return crew_print(&c, error);
  design_point(&w->design, 0, value);
  sampler_run(&w->sampler, value, &result);
  c.seconds = result.cpu;
  return crew_submit(&c, error);
}

static torsor_status sweep_study(sweep *w, torsor_error *error) {
  const sweep_options *options = w->options;
  double value[STUDY_COLUMNS];
  torsor_status status = study_load(&w->study, options->common.argument[0], error);
  if (!status) status = design_open(&w->design, &w->study, options->samples, error);
  if (status) return status;
  design_point(&w->design, 0, value);
  status = sampler_open(&w->sampler, &w->study, &options->common, value, error);
  if (!status) status = check_keep(w, error);
  if (!status && options->check) return check(w, error);
  if (!status) status = open_folder(w, error);
  if (!status) status = rows_read(&w->rows, w->folder, w->study.numbers, error);
  if (status || options->status || options->collect) return status ? status : collect(w, error);
  if (options->engine != ENGINE_LOCAL) return start_elsewhere(w, error);
  if (!options->workers) status = table_write_points(&w->study, &w->design, w->folder, error);
  if (!status) status = work(w, error);
  if (!status) status = keep(w, error);
  if (options->workers) return status;
  torsor_error late = {0};
  const bool keeps = !status || status == TORSOR_INTERRUPTED;
  const torsor_status collected = keeps ? collect(w, status ? &late : error) : TORSOR_OK;
  return status ? status : collected;
}

enum {
  OPTION_RESUME = 896,
  OPTION_NEW,
  OPTION_CHECK,
  OPTION_COLLECT,
  OPTION_STATUS,
  OPTION_RETRY,
  OPTION_AGAIN,
  OPTION_KEEP,
  OPTION_SAMPLES,
  OPTION_WORKER,
  OPTION_ENGINE
};

static const struct argp_option extra[] = {
    {"output", 'o', "DIR", 0, "Folder of the study (default out/<study>/)", 0},
    {"jobs", 'j', "N", 0, "Processes that do samples (default: one for each processor)", 0},
    {"samples", OPTION_SAMPLES, "N", 0, "Do only the first N samples", 0},
    {"resume", OPTION_RESUME, NULL, 0,
     "Go on with the study in DIR: samples that have a row are not done again", 0},
    {"new", OPTION_NEW, NULL, 0, "Begin anew in a DIR that has a study", 0},
    {"retry", OPTION_RETRY, "failed", 0, "Do samples that failed once more", 0},
    {"again", OPTION_AGAIN, "N", 0,
     "Repeat N samples that are done, or a part of them as in 1%, and compare: different rows are "
     "a failure",
     0},
    {"keep", OPTION_KEEP, "WHAT", 0,
     "Keep the folder of results of these samples, as in 3,17, or of all or failed ones", 0},
    {"check", OPTION_CHECK, NULL, 0, "Check the study and run sample 0; write nothing", 0},
    {"dry-run", OPTION_CHECK, NULL, 0, "The same as --check", 0},
    {"status", OPTION_STATUS, NULL, 0, "Say how far the study in DIR is", 0},
    {"collect", OPTION_COLLECT, NULL, 0, "Make the tables of what the study in DIR has", 0},
    {"engine", OPTION_ENGINE, "WHAT", 0,
     "local: processes of this machine (default); print: only print the commands of N workers "
     "(-j), "
     "for GNU parallel or a queue; slurm: submit them as a job array",
     0},
    {"worker", OPTION_WORKER, "I/N", 0,
     "Be worker I (from 0) of N, which share DIR: do the samples I, I + N, .. that have no row; "
     "auto: those of MPI's or Slurm's environment",
     0},
    {0}};

static void parse_count(long *out, const char *argument, const char *option,
                        const struct argp_state *state) {
  double value;
  if (!cli_number(&value, argument) || !(value >= 1 && value <= 1e6) || value > floor(value))
    argp_error(state, "--%s takes a whole number from 1 to 1000000, not \"%s\"", option, argument);
  *out = (long)value;
}

/* A number of samples, or a part of them in percent, which is below 1. */
static void parse_again(sweep_options *options, const char *argument,
                        const struct argp_state *state) {
  const size_t length = strlen(argument);
  char words[32] = "";
  const bool part = length && length < sizeof words && argument[length - 1] == '%';
  double value;
  memcpy(words, argument, length < sizeof words ? length - part : 0);
  if (!cli_number(&value, words) || !(value > 0) || (part ? value > 100 : value > floor(value)))
    argp_error(state, "--again takes a number of samples or a part such as 1%%, not \"%s\"",
               argument);
  options->again = value;
  options->percent = part;
  options->use = FOLDER_RESUME;
}

static void parse_keep(sweep_options *options, const char *argument,
                       const struct argp_state *state) {
  free(options->keep.sample);
  options->keeps = keep_parse(&options->keep, argument);
  if (!options->keeps)
    argp_error(state,
               "--keep takes numbers of samples such as 3,17, or all, failed or rows, not "
               "\"%s\"",
               argument);
}

static void parse_engine(sweep_options *options, const char *argument,
                         const struct argp_state *state) {
  static const char *const words[] = {"local", "print", "slurm"};
  for (int i = 0; i < 3; ++i) {
    if (strcmp(argument, words[i]) != 0) continue;
    options->engine = (sweep_engine)i;
    return;
  }
  argp_error(state, "--engine takes local, print or slurm, not \"%s\"", argument);
}

/* Rank and number of processes as MPI launchers and Slurm tell them; false where there are none. */
static bool find_rank(long *rank, long *count) {
  static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"},
                                         {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char *at = getenv(names[i][0]), *of = getenv(names[i][1]);
    double a, b;
    if (!at || !of || !cli_number(&a, at) || !cli_number(&b, of) || !(a >= 0 && a < b)) continue;
    *rank = (long)a;
    *count = (long)b;
    return true;
  }
  return false;
}

static void parse_worker(sweep_options *options, const char *argument,
                         const struct argp_state *state) {
  char end;
  if (strcmp(argument, "auto") == 0) {
    if (!find_rank(&options->worker, &options->workers))
      argp_error(state, "--worker auto finds no rank in the environment: mpirun or Slurm sets it");
    return;
  }
  const int read = sscanf(argument, "%ld/%ld%c", &options->worker, &options->workers, &end);
  if (read != 2 || options->worker < 0 || options->worker >= options->workers)
    argp_error(state, "--worker takes I/N with I from 0 to N - 1, not \"%s\"", argument);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  sweep_options *options = state->input;
  long count = 0;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case 'j':
    parse_count(&count, argument, "jobs", state);
    options->jobs = (int)count;
    return 0;
  case OPTION_SAMPLES:
    parse_count(&options->samples, argument, "samples", state);
    return 0;
  case OPTION_RESUME:
    options->use = FOLDER_RESUME;
    return 0;
  case OPTION_NEW:
    options->use = FOLDER_NEW;
    return 0;
  case OPTION_RETRY:
    if (strcmp(argument, "failed") != 0)
      argp_error(state, "--retry takes failed, not \"%s\"", argument);
    options->retry = true;
    options->use = FOLDER_RESUME;
    return 0;
  case OPTION_AGAIN:
    parse_again(options, argument, state);
    return 0;
  case OPTION_KEEP:
    parse_keep(options, argument, state);
    return 0;
  case OPTION_CHECK:
    options->check = true;
    return 0;
  case OPTION_STATUS:
    options->status = true;
    return 0;
  case OPTION_COLLECT:
    options->collect = true;
    return 0;
  case OPTION_ENGINE:
    parse_engine(options, argument, state);
    return 0;
  case OPTION_WORKER:
    parse_worker(options, argument, state);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "STUDY.json",
    .doc = "Run the scene of a study at all its points and make a table of its outputs: table.csv, "
           "table.nc, points.csv and summary.json with statistics.\v"
           "The same table comes from any number of processes.  Samples that fail have a row that "
           "says so; a study that was ended goes on with --resume, and does nothing twice.",
    .children = cli_children};

static int act(int argc, char **argv) {
  sweep_options options = {0};
  torsor_error error = {0};
  sweep w = {.options = &options, .lock = {-1}, .error = &error};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK) status = sweep_study(&w, &error);
  folder_lock_release(&w.lock);
  free(w.again);
  free(options.keep.sample);
  rows_release(&w.rows);
  sampler_close(&w.sampler);
  design_close(&w.design);
  study_release(&w.study);
  free(w.folder);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_sweep = {.name = "sweep",
                             .arguments = "STUDY.json [-o DIR] [-j N] [--resume]",
                             .title = "run a scene at many points of its parameters",
                             .argp = &argp,
                             .act = act};
