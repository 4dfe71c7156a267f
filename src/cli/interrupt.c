/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t seen, finishes;

/* Seconds that a step may take to end after a signal: one factorisation may take minutes, and no
 * library returns before that. */
enum { PATIENCE = 1 };

/* Files are whole or drafts at any time; the locks of folders end with the process. */
static void leave(const char *words, size_t length, int signal_number) {
  const ssize_t written = write(STDERR_FILENO, words, length);
  (void)written; /* a failure cannot be reported */
  _exit(EXIT_SIGNAL + signal_number);
}

static void take(int signal_number) {
  static const char words[] = "torsor: interrupted before there were results\n";
  if (!finishes) leave(words, sizeof words - 1, signal_number);
  seen = signal_number;
  alarm(PATIENCE);
}

static void lose_patience(int alarm_number) {
  static const char words[] =
      "torsor: interrupted within a step that takes long: rows up to it and the last checkpoint "
      "are kept, there is no summary\n";
  (void)alarm_number;
  leave(words, sizeof words - 1, seen);
}

static void install(int flags, bool always) {
  static const int numbers[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; ++i) {
    struct sigaction action = {.sa_handler = take, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    const bool ignored = sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (always || !ignored) sigaction(numbers[i], &action, NULL);
  }
}

void interrupt_ends(void) {
  install(0, false);
}

void interrupt_will_finish(void) {
  struct sigaction late = {.sa_handler = lose_patience};
  sigemptyset(&late.sa_mask);
  sigaction(SIGALRM, &late, NULL);
  install((int)SA_RESETHAND, true);
}

void interrupt_finishes(void) {
  finishes = 1;
}

int interrupt_seen(void) {
  if (seen) alarm(0); /* the step has ended: what is left is to write results */
  return seen;
}
