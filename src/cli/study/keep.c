/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/study/engine.h"
#include "cli/study/study_read.h"
#include "results/file.h"

static const char *const verbs[STUDY_ANALYSES] = {"run", "statics", "modes", "response"};

/* The last file that is written into the folder of a sample. */
static const char mark[] = "sample.json";

/* ---- the command -------------------------------------------------------------------------------
 */

void shell_word(text *t, const char *word) {
  text_append(t, " '");
  for (; *word; ++word)
    if (*word == '\'')
      text_append(t, "'\\''");
    else
      text_append_bytes(t, word, 1);
  text_append(t, "'");
}

void keep_command(text *t, const sampler *s, const double *value) {
  int changes;
  const char *const *change = sampler_changes(s, value, &changes);
  text_printf(t, "torsor %s", verbs[s->study->analysis]);
  shell_word(t, s->study->scene);
  for (int i = 0; i < changes && change; ++i) {
    text_append(t, " --set");
    shell_word(t, change[i]);
  }
  for (int i = 0; i < s->common->plugin_count; ++i) {
    text_append(t, " --plugin");
    shell_word(t, s->common->plugin[i]);
  }
  t->failed |= !change;
}

/* The words of the same command, which writes into `folder`, also the whole motion where it is to
 * be `full`; *words is to be freed.  They point to those of the sampler. */
static bool find_words(const char ***words, const sampler *s, const double *value,
                       const char *folder, bool full) {
  int changes, n = 0;
  const cli *common = s->common;
  const char *const *change = sampler_changes(s, value, &changes);
  const char **list = calloc(2 * (size_t)(changes + common->plugin_count) + 8, sizeof *list);
  *words = list;
  if (!change || !list) return false;
  const char *const first[] = {"torsor", verbs[s->study->analysis], s->study->scene, "-q", "-o",
                               folder};
  for (; n < 6; ++n) list[n] = first[n];
  if (full) list[n++] = "--full";
  for (int i = 0; i < changes; ++i) {
    list[n++] = "--set";
    list[n++] = change[i];
  }
  for (int i = 0; i < common->plugin_count; ++i) {
    list[n++] = "--plugin";
    list[n++] = common->plugin[i];
  }
  return true;
}

/* ---- folders -----------------------------------------------------------------------------------
 */

/* The folder of a sample, to be freed; NULL where memory is short. */
static char *keep_folder(const char *folder, long sample, torsor_error *error) {
  return path_format(error, "%s/samples/%06ld", folder, sample);
}

bool keep_is_there(const char *folder, long sample, uint64_t hash) {
  text words = {0};
  char wanted[32];
  char *file = path_format(NULL, "%s/samples/%06ld/%s", folder, sample, mark);
  snprintf(wanted, sizeof wanted, "\"%016llx\"", (unsigned long long)hash);
  const bool there = file && file_exists(file) && !file_read(&words, file, NULL) && words.data &&
                     strstr(words.data, wanted);
  text_release(&words);
  free(file);
  return there;
}

/* Removes the files of a folder of results, and it; links go, and not what they lead to. */
static torsor_status remove_folder(const char *name, torsor_error *error) {
  struct stat what;
  if (lstat(name, &what) != 0) return TORSOR_OK;
  struct dirent **entry = NULL;
  const int count = S_ISDIR(what.st_mode) ? scandir(name, &entry, NULL, NULL) : 0;
  for (int i = 0; i < count; ++i) {
    char *file = path_format(NULL, "%s/%s", name, entry[i]->d_name);
    if (file) unlink(file); /* what is left is noticed below */
    free(file);
    free(entry[i]);
  }
  free(entry);
  const int failed = S_ISDIR(what.st_mode) ? rmdir(name) : unlink(name);
  return failed ? file_fail(error, name, "remove the folder", errno) : TORSOR_OK;
}

/* Is it a name of keep_folder? */
static int is_sample(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length >= 6 && strspn(entry->d_name, "0123456789") == length;
}

torsor_status keep_clear(const char *folder, torsor_error *error) {
  struct dirent **entry = NULL;
  torsor_status status = TORSOR_OK;
  char *all = path_format(error, "%s/samples", folder);
  if (!all) return TORSOR_MEMORY;
  const int count = scandir(all, &entry, is_sample, NULL);
  for (int i = 0; i < count; ++i) {
    char *one = path_format(error, "%s/%s", all, entry[i]->d_name);
    if (!status) status = one ? remove_folder(one, error) : TORSOR_MEMORY;
    free(one);
    free(entry[i]);
  }
  free(entry);
  rmdir(all);
  free(all);
  return status;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

typedef struct kept {
  pid_t process; /* 0: there is none */
  long sample;
  uint64_t hash;
} kept;

/* Becomes the command; its words go nowhere, as summary.json has them. */
static void become(const study *s, const char **words) {
  char **list;
  const int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3 && nowhere >= 0; ++i) dup2(nowhere, i);
  memcpy(&list, &words, sizeof list); /* execv changes no word */
  engine_limit(s);
  execv("/proc/self/exe", list);
  _exit(EXIT_SYSTEM);
}

static torsor_status start(kept *out, const keeper *k, long sample, const double *value,
                           torsor_error *error) {
  const char **words = NULL;
  char *folder = keep_folder(k->folder, sample, error);
  /* Samples that somebody has chosen are looked at in 3D. */
  const bool full = k->keep->kind == KEEP_LIST && k->sampler->study->analysis <= STUDY_STATICS;
  torsor_status status = folder ? remove_folder(folder, error) : TORSOR_MEMORY;
  if (!status) status = folder_make(folder, error);
  if (!status && !find_words(&words, k->sampler, value, folder, full))
    status = study_memory_short(error);
  const pid_t process = status ? -1 : fork();
  if (process == 0) become(k->sampler->study, words);
  if (!status && process < 0)
    status = torsor_fail(error, TORSOR_FILE, "a process cannot be started: %s", strerror(errno));
  if (!status) *out = (kept){process, sample, sampler_hash(k->sampler, value)};
  free(words);
  free(folder);
  return status;
}

/* Says in the folder whose results these are. */
static torsor_status write_mark(const keeper *k, const kept *of, torsor_error *error) {
  const study *s = k->sampler->study;
  const row *r = rows_find(k->rows, of->hash);
  double value[STUDY_COLUMNS];
  char hash[17];
  text t = {0}, command = {0};
  design_point(k->design, of->sample, value);
  keep_command(&command, k->sampler, value);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)of->hash);
  text_append(&t, "{");
  json_text(&t, "study", s->name);
  json_count(&t, "sample", of->sample);
  json_text(&t, "hash", hash);
  json_text(&t, "status", row_statuses[r->status]);
  json_text(&t, "message", r->message ? r->message : "");
  json_key(&t, "values");
  text_append(&t, "{");
  for (int i = 0; i < s->variables; ++i) json_number(&t, s->variable[i].name, value[i]);
  text_append(&t, "}");
  json_key(&t, "outputs");
  text_append(&t, "{");
  for (int i = 0; i < s->outputs; ++i) json_number(&t, s->output[i].name, r->output[i]);
  text_append(&t, "}");
  json_text(&t, "command", command.data ? command.data : "");
  text_append(&t, "}\n");
  char *file = path_format(error, "%s/samples/%06ld/%s", k->folder, of->sample, mark);
  torsor_status status =
      file && !t.failed && !command.failed ? TORSOR_OK : study_memory_short(error);
  if (!status) status = file_replace(file, t.data, t.length, error);
  text_release(&command);
  text_release(&t);
  free(file);
  return status;
}

static int count_processes(const kept *list, int jobs) {
  int count = 0;
  for (int i = 0; i < jobs; ++i) count += list[i].process != 0;
  return count;
}

/* Waits for one of the processes to end; a signal to this process goes on to all of them. */
static torsor_status wait_for_one(kept *list, const keeper *k, torsor_error *error) {
  bool interrupted = false;
  pid_t ended = -1;
  while (ended < 0) {
    ended = waitpid(-1, NULL, 0);
    if (ended < 0 && errno != EINTR) return file_fail(error, k->folder, "wait for a run", errno);
    if (!interrupt_seen() || interrupted) continue;
    interrupted = true;
    for (int i = 0; i < k->jobs; ++i)
      if (list[i].process && list[i].process != ended) kill(list[i].process, SIGTERM);
  }
  for (int i = 0; i < k->jobs; ++i) {
    if (list[i].process != ended) continue;
    list[i].process = 0;
    /* Results that a signal has cut are begun again by the next call. */
    return interrupt_seen() ? TORSOR_OK : write_mark(k, &list[i], error);
  }
  return TORSOR_OK;
}

static bool is_wanted(const study_keep *keep, long sample, row_status status) {
  if (keep->kind == KEEP_FAILED) return status > ROW_NAN;
  if (keep->kind != KEEP_LIST) return keep->kind == KEEP_ALL;
  for (int i = 0; i < keep->count; ++i)
    if (keep->sample[i] == sample) return true;
  return false;
}

/* Starts the runs, at most so many at once as there are jobs. */
static torsor_status start_all(kept *list, const keeper *k, torsor_error *error) {
  double value[STUDY_COLUMNS];
  torsor_status status = TORSOR_OK;
  for (long at = k->first; at < k->design->samples && !status && !interrupt_seen(); at += k->step) {
    const long sample = design_order(k->design, at);
    design_point(k->design, sample, value);
    const uint64_t hash = sampler_hash(k->sampler, value);
    const row *r = rows_find(k->rows, hash);
    if (!r || r->status == ROW_BEGUN || !is_wanted(k->keep, sample, r->status)) continue;
    if (keep_is_there(k->folder, sample, hash)) continue;
    if (count_processes(list, k->jobs) == k->jobs) status = wait_for_one(list, k, error);
    int place = 0;
    while (place < k->jobs - 1 && list[place].process) ++place;
    if (!status && !interrupt_seen()) status = start(&list[place], k, sample, value, error);
  }
  return status;
}

torsor_status keep_samples(const keeper *k, torsor_error *error) {
  if (k->keep->kind == KEEP_ROWS) return TORSOR_OK;
  kept *list = calloc((size_t)k->jobs, sizeof *list);
  if (!list) return study_memory_short(error);
  interrupt_will_finish();
  interrupt_finishes();
  torsor_status status = start_all(list, k, error);
  for (int left = count_processes(list, k->jobs); left; --left) {
    torsor_error late;
    const torsor_status ended = wait_for_one(list, k, status ? &late : error);
    if (!status) status = ended;
  }
  free(list);
  if (!status && interrupt_seen()) return torsor_fail(error, TORSOR_INTERRUPTED, "interrupted");
  return status;
}

bool keep_parse(study_keep *out, const char *words) {
  *out = (study_keep){.kind = KEEP_LIST};
  for (int i = 0; i < KEEP_LIST; ++i)
    if (strcmp(words, study_keep_words[i]) == 0) {
      out->kind = (study_keeps)i;
      return true;
    }
  out->sample = calloc(strlen(words) + 1, sizeof *out->sample);
  for (const char *at = words; out->sample;) {
    char *end;
    const long sample = strtol(at, &end, 10);
    if (end == at || sample < 0 || (*end && *end != ',')) break;
    out->sample[out->count++] = sample;
    if (!*end) return true;
    at = end + 1;
  }
  free(out->sample);
  out->sample = NULL;
  return false;
}
