/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The system's list of locks has lines "7: FLOCK ADVISORY WRITE 1234 08:01:56789 0 EOF": process,
 * device, inode. */
static long find_holder(int file) {
  struct stat about;
  FILE *list = fstat(file, &about) == 0 ? fopen("/proc/locks", "re") : NULL;
  char line[160], kind[16];
  long found = 0;
  while (list && !found && fgets(line, sizeof line, list)) {
    long process;
    unsigned device[2];
    unsigned long inode;
    if (sscanf(line, "%*d: %15s %*s %*s %ld %x:%x:%lu", kind, &process, &device[0], &device[1],
               &inode) == 5 &&
        !strcmp(kind, "FLOCK") && inode == (unsigned long)about.st_ino &&
        device[0] == major(about.st_dev) && device[1] == minor(about.st_dev))
      found = process > 0 ? process : 0;
  }
  if (list) fclose(list);
  return found;
}

bool lock_take(int file, long *holder) {
  *holder = 0;
  int failed;
  do failed = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  while (failed == EINTR);
  if (failed != EWOULDBLOCK) return true;
  *holder = find_holder(file);
  return false;
}

const char *lock_holder(char out[32], long holder) {
  if (holder > 0)
    snprintf(out, 32, "process %ld", holder);
  else
    snprintf(out, 32, "another process");
  return out;
}
