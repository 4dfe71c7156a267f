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
  double value[STUDY_COLUMNS];
} request;

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
  bool busy;
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

static void work(sampler *s, const char *folder, int line) {
  request next;
  row_file rows = {.folder = folder, .outputs = s->study->numbers, .file = -1};
  static answer done;
  const size_t size = answer_size(s->study);
  while (recv(line, &next, sizeof next, 0) == (ssize_t)sizeof next) {
    torsor_error error = {0};
    const uint64_t hash = sampler_hash(s, next.value);
    done = (answer){.sample = next.sample};
    if (folder) done.status = row_file_add(&rows, next.sample, hash, NULL, &error);
    set_timers(s->study, true);
    if (!done.status) sampler_run(s, next.value, &done.result);
    set_timers(s->study, false);
    if (folder && !done.status)
      done.status = row_file_add(&rows, next.sample, hash, &done.result, &error);
    snprintf(done.message, sizeof done.message, "%s", error.message);
    if (send(line, &done, size, MSG_NOSIGNAL) != (ssize_t)size) break;
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
  w->busy = false;
  const uint64_t hash = sampler_hash(e->sampler, w->request.value);
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
  if (status || !w->busy) return status;
  const bool killed =
      WIFSIGNALED(state) && (WTERMSIG(state) == SIGKILL || WTERMSIG(state) == SIGTERM);
  if (killed && ++w->tries < TRIES && send_request(w)) return TORSOR_OK;
  static sample_result result;
  result = (sample_result){0};
  explain(&result, state, e->sampler->study);
  const uint64_t hash = sampler_hash(e->sampler, w->request.value);
  if (e->folder) status = row_file_add(&e->rows, w->request.sample, hash, &result, error);
  return status ? status : finish(e, w, work, &result);
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
    if (!w->busy && *more) {
      *more = work->next(work->data, &w->request.sample, w->request.value);
      w->busy = *more;
      w->tries = 0;
      if (w->busy) send_request(w); /* a dead worker is noticed by its line */
    }
    busy += w->busy;
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

void engine_close(engine *e) {
  if (!e) return;
  for (int i = 0; i < e->workers; ++i) {
    worker *w = &e->worker[i];
    if (w->line >= 0) close(w->line);
    if (!w->process) continue;
    if (w->busy) kill(w->process, SIGKILL);
    while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR) continue;
  }
  row_file_close(&e->rows);
  free(e->worker);
  free(e);
}
