/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Loaded into a program by LD_PRELOAD: the allocation number FAILING_MEMORY, counted from 1 and
 * from the beginning of main, fails, with FAILING_MEMORY_ALL all after it, too.  The file that
 * FAILING_MEMORY_REPORTED names is made when one has failed.  Children of the program are left
 * alone. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*main_function)(int, char **, char **);

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
int __libc_start_main(main_function program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack);

static long calls, failing; /* failing: 0: none */
static bool all, reported, counts;
static const char *reported_in;
static main_function real_main;

static bool fails(void) {
  if (!counts || !failing) return false;
  const long call = ++calls;
  if (call != failing && !(all && call > failing)) return false;
  if (!reported && reported_in) {
    reported = true;
    const int file = open(reported_in, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
  }
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  return fails() ? NULL : __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  return realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

static int counted_main(int argc, char **argv, char **environment) {
  counts = true;
  const int code = real_main(argc, argv, environment);
  counts = false;
  return code;
}

int __libc_start_main(main_function program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack) {
  __typeof__(&__libc_start_main) start;
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  const char *number = getenv("FAILING_MEMORY");
  failing = number ? atol(number) : 0;
  all = getenv("FAILING_MEMORY_ALL") != NULL;
  reported_in = getenv("FAILING_MEMORY_REPORTED");
  unsetenv("LD_PRELOAD");
  real_main = program;
  return start(counted_main, argc, argv, init, fini, loader, stack);
}
