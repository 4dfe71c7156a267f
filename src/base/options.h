/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_OPTIONS_H
#define TORSOR_BASE_OPTIONS_H

#include <stddef.h>

#include <torsor/base.h>

/** Structs of options that callers fill in.  The first member of each is its size, a size_t, in the
 *  header that the caller was compiled with; members are only ever added behind the old size,
 *  padding included.  So a library reads what an older program knows and leaves the rest at its
 *  defaults. */

/** Reads `given` into `out` [own bytes], which holds the defaults and keeps its own size.  ARGUMENT
 *  where the size was not set, or where a program that is newer than the library sets members that
 *  the library does not know.  `name` is that of the struct: its text and that of how one begins
 *  with it. */
torsor_status options_read(void *out, size_t own, const void *given, const char *name,
                           const char *begin, torsor_error *error);

/** The two messages. */
torsor_status options_refuse_unsized(const char *name, const char *begin, torsor_error *error);
torsor_status options_refuse_unknown(const char *name, size_t size, size_t own,
                                     torsor_error *error);

/** The reverse: fills a caller's struct of `size` bytes from `from` [own bytes]; what the library
 *  does not know becomes 0. */
void options_write(void *out, size_t size, const void *from, size_t own);

#endif
