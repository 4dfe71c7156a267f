/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_FUZZ_H
#define TORSOR_TESTS_FUZZ_H

/** Fuzz targets: programs that are given any bytes and must come to an answer that holds what is
 * promised.  The same functions are called by libFuzzer (meson option `fuzz`) and, with the inputs
 * of corpus/, by an ordinary test. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** The entry of libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/** End the program where a promise is broken: libFuzzer and the test then keep the input. */
#define FUZZ_EXPECT(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                    \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/** Everything that a scene is read for: model, check, and the first steps of a simulation, statics
 * or modes. */
void fuzz_scene(const char *text, size_t length);

/** Nobody can leave out what the number is computed from. */
void fuzz_keep(double number);

/** The bytes as a file, whose name is valid until the next call. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

#endif
