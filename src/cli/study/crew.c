/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/study/engine.h"
#include "cli/study/keep.h"
#include "cli/study/study_read.h"
#include "results/file.h"

/* Workers of an array: each is to have work for a minute, since it takes about a second to begin
 * one, and MaxArraySize is 1001 unless somebody has changed it. */
enum { MINUTE = 60, MOST_WORKERS = 1000 };

/* The command with whole paths, but for its last options; false where memory is short. */
static bool add_command(text *t, const crew *c, const char *program) {
  char *file = realpath(c->study->file, NULL), *folder = realpath(c->folder, NULL);
  const bool fine = file && folder;
  text_append(t, program);
  text_append(t, " sweep");
  if (fine) shell_word(t, file);
  text_append(t, " -o");
  if (fine) shell_word(t, folder);
  for (int k = 0; k < c->common->set_count; ++k) {
    text_append(t, " --set");
    shell_word(t, c->common->set[k]);
  }
  for (int k = 0; k < c->common->plugin_count; ++k) {
    text_append(t, " --plugin");
    shell_word(t, c->common->plugin[k]);
  }
  if (c->samples) text_printf(t, " --samples %ld", c->samples);
  if (c->common->threads > 1) text_printf(t, " --threads %d", c->common->threads);
  text_append(t, " -q");
  free(file);
  free(folder);
  return fine;
}

torsor_status crew_print(const crew *c, torsor_error *error) {
  const int jobs = c->jobs ? c->jobs : engine_processors();
  text t = {0};
  bool fine = true;
  for (int i = 0; i < jobs && fine; ++i) {
    fine = add_command(&t, c, "torsor");
    text_printf(&t, " --worker %d/%d\n", i, jobs);
  }
  if (fine) return cli_print(&t, error);
  text_release(&t);
  return study_memory_short(error);
}

/* ---- Slurm -------------------------------------------------------------------------------------
 */

/* The command by its whole path: jobs may have another one. */
static bool add_program(text *t) {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  shell_word(t, program);
  return true;
}

static int count_workers(const crew *c) {
  if (c->jobs) return c->jobs < MOST_WORKERS ? c->jobs : MOST_WORKERS;
  const double wanted = ceil((double)c->todo * c->seconds / MINUTE);
  return (int)fmin(fmax(wanted, 1), MOST_WORKERS);
}

/* Starts sbatch and reads the number of its job. */
static torsor_status submit(char job[64], char *const *arguments, torsor_error *error) {
  extern char **environ;
  posix_spawn_file_actions_t actions;
  int line[2], state = 0;
  pid_t process;
  if (pipe2(line, O_CLOEXEC) != 0 || posix_spawn_file_actions_init(&actions) != 0)
    return study_memory_short(error);
  posix_spawn_file_actions_adddup2(&actions, line[1], STDOUT_FILENO);
  const int failed = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(line[1]);
  const ssize_t length = failed ? 0 : read(line[0], job, 63);
  close(line[0]);
  while (!failed && waitpid(process, &state, 0) < 0 && errno == EINTR) continue;
  if (failed || length <= 0 || !WIFEXITED(state) || WEXITSTATUS(state)) {
    torsor_fail(error, TORSOR_FILE, "sbatch failed%s%s", failed ? ": " : "",
                failed ? strerror(failed) : "");
    torsor_hint(error,
                "Slurm's commands must be there (Debian: slurm-client); --engine print is for "
                "other queues");
    return TORSOR_FILE;
  }
  job[length] = '\0';
  job[strcspn(job, ";\n")] = '\0';
  return TORSOR_OK;
}

static torsor_status write_job(const crew *c, const char *file, int workers, torsor_error *error) {
  text t = {0}, program = {0};
  const int threads = c->common->threads > 1 ? c->common->threads : 1;
  bool fine = add_program(&program) && program.data;
  text_printf(&t,
              "#!/bin/sh\n#SBATCH --array=0-%d\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n"
              "#SBATCH --signal=B:TERM@60\n#SBATCH --requeue\n#SBATCH --output=log/%%a\n"
              "#SBATCH --open-mode=append\nexec",
              workers - 1, threads);
  fine = fine && add_command(&t, c, program.data);
  text_printf(&t, " --worker \"$SLURM_ARRAY_TASK_ID\"/%d\n", workers);
  torsor_status status = fine && !t.failed ? TORSOR_OK : study_memory_short(error);
  if (!status) status = file_replace(file, t.data, t.length, error);
  text_release(&program);
  text_release(&t);
  return status;
}

/* The job that makes the tables once the array has ended, however that was. */
static torsor_status collect_later(const crew *c, const char *array, char job[64],
                                   torsor_error *error) {
  text command = {0}, program = {0};
  char *after = path_format(error, "--dependency=afterany:%s", array);
  char *place = path_format(error, "--chdir=%s", c->folder);
  const bool fine = add_program(&program) && program.data && add_command(&command, c, program.data);
  text_append(&command, " --collect");
  char *wrap = fine && !command.failed ? path_format(error, "--wrap=%s", command.data) : NULL;
  char sbatch[] = "sbatch", parsable[] = "--parsable", output[] = "--output=log/collect";
  torsor_status status = after && place && wrap ? TORSOR_OK : study_memory_short(error);
  char *const arguments[] = {sbatch, parsable, after, place, output, wrap, NULL};
  if (!status) status = submit(job, arguments, error);
  text_release(&command);
  text_release(&program);
  free(after);
  free(place);
  free(wrap);
  return status;
}

torsor_status crew_submit(const crew *c, torsor_error *error) {
  const int workers = count_workers(c);
  char array[64] = "", collect[64] = "";
  char *log = path_format(error, "%s/log", c->folder),
       *file = path_format(error, "%s/job.sh", c->folder);
  char *place = path_format(error, "--chdir=%s", c->folder);
  char sbatch[] = "sbatch", parsable[] = "--parsable";
  torsor_status status = log && file && place ? TORSOR_OK : study_memory_short(error);
  if (!status) status = folder_make(log, error);
  if (!status) status = write_job(c, file, workers, error);
  char *const arguments[] = {sbatch, parsable, place, file, NULL};
  if (!status && c->todo) status = submit(array, arguments, error);
  if (!status && c->todo) status = collect_later(c, array, collect, error);
  free(log);
  free(file);
  free(place);
  if (status) return status;
  text t = {0};
  if (c->common->json) {
    text_append(&t, "{");
    json_text(&t, "array", array);
    json_text(&t, "collect", collect);
    json_count(&t, "workers", workers);
    json_count(&t, "samples", c->todo);
    text_append(&t, "}\n");
  } else if (!c->common->quiet) {
    text_printf(&t,
                "array %s of %d workers for %ld samples, tables by job %s; torsor sweep .. "
                "--status says how far it is\n",
                array, workers, c->todo, collect);
  }
  return cli_answer(c->common, &t, error);
}
