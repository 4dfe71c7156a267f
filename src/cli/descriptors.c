/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The lowest free number is the one that is missing, as they are taken in order. */
bool descriptors_secure(void) {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY) != number) return false;
  }
  return true;
}
