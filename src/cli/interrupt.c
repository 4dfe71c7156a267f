/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t seen, finishes;

/* Files are whole or drafts at any time; the locks of folders end with the process. */
static void take(int signal_number) {
  if (finishes) {
    seen = signal_number;
    return;
  }
  static const char words[] = "torsor: interrupted before there were results\n";
  const ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
  (void)written; /* a failure cannot be reported */
  _exit(EXIT_SIGNAL + signal_number);
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
  install((int)SA_RESETHAND, true);
}

void interrupt_finishes(void) {
  finishes = 1;
}

int interrupt_seen(void) {
  return seen;
}
