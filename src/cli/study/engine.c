/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/engine.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/study/study_read.h"

/* A sample whose process is killed from outside is tried again so often. */
enum { TRIES = 3 };

typedef struct request {
  long sample;
  int first, count; /* the values by which it is differentiated; count 0: it is run */
  double value[STUDY_COLUMNS];
} request;

/* Results of a request. */
static int count_results(const request *r) {
  return r->count ? r->count : 1;
}

static uint64_t result_hash(const sampler *s, const request *r, int k) {
  return r->count ? sampler_hash_slope(s, r->value, r->first + k) : sampler_hash(s, r->value);
}

typedef struct answer {
  long sample;
  torsor_status status; /* of writing the row */
  char message[STUDY_TEXT];
  sample_result result; /* the numbers that the study has not are not sent */
} answer;

static size_t answer_size(const study *s) {
  return offsetof(answer, result.output) + (size_t)s->numbers * sizeof(double);
}

typedef struct worker {
  pid_t process; /* 0: there is none */
  int line;      /* to it and back */
  int left;      /* results that are still to come; 0: it is free */
  int tries;
  request request;
} worker;

struct engine {
  sampler *sampler;
  const char *folder;
  int lock;
  worker *worker;
  int workers;
  row_file rows; /* of samples whose process died */
};

int engine_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* ---- a worker ----------------------------------------------------------------------------------
 */

/* The system ends the process when a limit of time is over. */
static void set_timers(const study *s, bool on) {
  const double limit[2] = {s->wall, s->cpu};
  static const __itimer_which_t timer[2] = {ITIMER_REAL, ITIMER_PROF};
  for (int i = 0; i < 2; ++i) {
    if (!isfinite(limit[i])) continue;
    struct itimerval value = {0};
    value.it_value.tv_sec = on ? (time_t)limit[i] : 0;
    value.it_value.tv_usec = on ? (suseconds_t)(1e6 * (limit[i] - floor(limit[i]))) : 0;
    setitimer(timer[i], &value, NULL);
  }
}

static void limit_memory(const study *s) {
  if (!isfinite(s->memory_limit)) return;
  const struct rlimit most = {(rlim_t)s->memory_limit, (rlim_t)s->memory_limit};
  setrlimit(RLIMIT_AS, &most);
}

void engine_limit(const study *s) {
  set_timers(s, true);
  limit_memory(s);
}

static void prepare_worker(const study *s, pid_t parent) {
  static const int ends[] = {SIGALRM, SIGPROF, SIGTERM, SIGPIPE};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) signal(ends[i], SIG_DFL);
  signal(SIGINT, SIG_IGN); /* the parent ends the work */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_SYSTEM);
  limit_memory(s);
}

/* Writes the rows of the results, or with NULL the marks that they have begun. */
static torsor_status add_rows(row_file *rows, const sampler *s, const request *r,
                              const sample_result *result, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < count_results(r) && rows->folder && !status; ++k)
    status = row_file_add(rows, r->sample, result_hash(s, r, k), result ? &result[k] : NULL, error);
  return status;
}

static torsor_status serve(sampler *s, row_file *rows, const request *r, sample_result *result,
                           torsor_error *error) {
  torsor_status status = add_rows(rows, s, r, NULL, error);
  if (status) return status;
  set_timers(s->study, true);
  if (r->count)
    sampler_derive(s, r->value, r->first, r->count, result);
  else
    sampler_run(s, r->value, result);
  set_timers(s->study, false);
  return add_rows(rows, s, r, result, error);
}

static void work(sampler *s, const char *folder, int line) {
  request next;
  row_file rows = {.folder = folder, .outputs = s->study->numbers, .file = -1};
  static answer done;
  const size_t size = answer_size(s->study);
  bool good = true;
  while (good && recv(line, &next, sizeof next, 0) == (ssize_t)sizeof next) {
    const int count = count_results(&next);
    sample_result *result = calloc((size_t)count, sizeof *result);
    torsor_error error = {0};
    done.status = result ? serve(s, &rows, &next, result, &error) : study_memory_short(&error);
    snprintf(done.message, sizeof done.message, "%s", error.message);
    done.sample = next.sample;
    for (int k = 0; k < count && good; ++k) {
      if (result) done.result = result[k];
      good = send(line, &done, size, MSG_NOSIGNAL) == (ssize_t)size;
    }
    free(result);
  }
  row_file_close(&rows);
}

static torsor_status start(engine *e, worker *w, torsor_error *error) {
  int line[2];
  const pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0)
    return torsor_fail(error, TORSOR_FILE, "a process cannot be started: %s", strerror(errno));
  w->process = fork();
  if (w->process < 0) {
    const int reason = errno;
    w->process = 0;
    close(line[0]);
    close(line[1]);
    return torsor_fail(error, TORSOR_FILE, "a process cannot be started: %s", strerror(reason));
  }
  if (w->process == 0) {
    for (int i = 0; i < e->workers; ++i)
      if (e->worker[i].line >= 0) close(e->worker[i].line);
    close(line[0]);
    if (e->lock >= 0) close(e->lock);
    prepare_worker(e->sampler->study, parent);
    work(e->sampler, e->folder, line[1]);
    _exit(EXIT_DONE);
  }
  close(line[1]);
  w->line = line[0];
  return TORSOR_OK;
}

/* ---- the parent --------------------------------------------------------------------------------
 */

/* The result of a sample whose process ended like this. */
static void explain(sample_result *out, int state, const study *s) {
  for (int i = 0; i < s->numbers; ++i) out->output[i] = nan("");
  out->status = ROW_CRASHED;
  const int number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  if (number == SIGALRM || number == SIGPROF) {
    out->status = ROW_TIMEOUT;
    snprintf(out->message, sizeof out->message, "the limit of %g s of %s is over",
             number == SIGALRM ? s->wall : s->cpu,
             number == SIGALRM ? "wall time" : "processor time");
  } else if (number) {
    snprintf(out->message, sizeof out->message, "the process was ended by SIG%s (%s)",
             sigabbrev_np(number), strsignal(number));
  } else {
    snprintf(out->message, sizeof out->message, "the process ended itself with the exit code %d",
             WIFEXITED(state) ? WEXITSTATUS(state) : 0);
  }
}

static bool send_request(const worker *w) {
  return send(w->line, &w->request, sizeof w->request, MSG_NOSIGNAL) == (ssize_t)sizeof w->request;
}

static torsor_status finish(engine *e, worker *w, const engine_work *work,
                            const sample_result *result) {
  const uint64_t hash =
      result_hash(e->sampler, &w->request, count_results(&w->request) - w->left--);
  return work->done(work->data, w->request.sample, hash, result);
}

/* A worker is gone: its sample is tried again where somebody else ended it. */
static torsor_status replace(engine *e, worker *w, const engine_work *work, torsor_error *error) {
  int state = 0;
  close(w->line);
  w->line = -1;
  while (waitpid(w->process, &state, 0) < 0 && errno == EINTR) continue;
  w->process = 0;
  torsor_status status = start(e, w, error);
  if (status || !w->left) return status;
  const bool killed =
      WIFSIGNALED(state) && (WTERMSIG(state) == SIGKILL || WTERMSIG(state) == SIGTERM);
  if (killed && ++w->tries < TRIES && send_request(w)) {
    w->left = count_results(&w->request);
    return TORSOR_OK;
  }
  static sample_result result;
  result = (sample_result){0};
  explain(&result, state, e->sampler->study);
  while (w->left && !status) {
    const int k = count_results(&w->request) - w->left;
    const uint64_t hash = result_hash(e->sampler, &w->request, k);
    if (e->folder) status = row_file_add(&e->rows, w->request.sample, hash, &result, error);
    if (!status) status = finish(e, w, work, &result);
  }
  return status;
}

static torsor_status take_answer(engine *e, worker *w, const engine_work *work,
                                 torsor_error *error) {
  static answer done;
  const ssize_t size = recv(w->line, &done, sizeof done, 0);
  if (size < 0 && errno == EINTR) return TORSOR_OK;
  if (size != (ssize_t)answer_size(e->sampler->study)) return replace(e, w, work, error);
  if (done.status) return torsor_fail(error, done.status, "%s", done.message);
  return finish(e, w, work, &done.result);
}

/* Gives free workers samples; the number of busy ones. */
static int hand_out(engine *e, const engine_work *work, bool *more) {
  int busy = 0;
  for (int i = 0; i < e->workers; ++i) {
    worker *w = &e->worker[i];
    if (!w->left && *more) {
      *more = work->next(work->data, &w->request.sample, w->request.value);
      w->request.first = w->request.count = 0;
      if (*more && work->range) work->range(work->data, &w->request.first, &w->request.count);
      w->left = *more ? count_results(&w->request) : 0;
      w->tries = 0;
      if (w->left) send_request(w); /* a dead worker is noticed by its line */
    }
    busy += w->left > 0;
  }
  return busy;
}

torsor_status engine_do(engine *e, const engine_work *work, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  bool more = true;
  struct pollfd *line = calloc((size_t)e->workers, sizeof *line);
  if (!line) return study_memory_short(error);
  while (!status && hand_out(e, work, &more)) {
    for (int i = 0; i < e->workers; ++i)
      line[i] = (struct pollfd){.fd = e->worker[i].line, .events = POLLIN};
    const int ready = poll(line, (nfds_t)e->workers, 200);
    if (interrupt_seen()) status = torsor_fail(error, TORSOR_INTERRUPTED, "interrupted");
    for (int i = 0; i < e->workers && ready > 0 && !status; ++i)
      if (line[i].revents) status = take_answer(e, &e->worker[i], work, error);
  }
  free(line);
  return status;
}

torsor_status engine_open(engine **out, sampler *s, const char *folder, int lock, int jobs,
                          torsor_error *error) {
  engine *e = calloc(1, sizeof *e);
  *out = e;
  if (!e) return study_memory_short(error);
  *e = (engine){.sampler = s,
                .folder = folder,
                .lock = lock,
                .rows = {.folder = folder, .outputs = s->study->numbers, .file = -1},
                .worker = calloc((size_t)jobs, sizeof *e->worker)};
  if (!e->worker) return study_memory_short(error);
  for (int i = 0; i < jobs; ++i) e->worker[i].line = -1;
  e->workers = jobs;
  fflush(NULL); /* what is not written yet must not be written twice */
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < jobs && !status; ++i) status = start(e, &e->worker[i], error);
  return status;
}

int engine_jobs(const engine *e) {
  return e->workers;
}

void engine_close(engine *e) {
  if (!e) return;
  for (int i = 0; i < e->workers; ++i) {
    worker *w = &e->worker[i];
    if (w->line >= 0) close(w->line);
    if (!w->process) continue;
    if (w->left) kill(w->process, SIGKILL);
    while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR) continue;
  }
  row_file_close(&e->rows);
  free(e->worker);
  free(e);
}
