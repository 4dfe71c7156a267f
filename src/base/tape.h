/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_TAPE_H
#define TORSOR_BASE_TAPE_H

/** Allocation and serialisation of the state of a run by one traversal (visitor): each module lists
 *  its arrays and values once, in a function X_walk(x, tape).  Depending on the mode the traversal
 *  allocates the arrays from an arena, writes them, or reads them back, always in the same order;
 *  an array that is not listed is never allocated.  Work arrays, which hold nothing between steps,
 *  are listed as such; a test overwrites them with NaN to prove that. */

#include <stdbool.h>

#include "base/arena.h"

#include <torsor/base.h>

typedef enum tape_mode { TAPE_TAKE, TAPE_WRITE, TAPE_READ, TAPE_SPOIL } tape_mode;

typedef struct tape {
  tape_mode mode;
  arena *memory;       /* TAKE: where arrays come from */
  unsigned char *data; /* WRITE: [room], from malloc; READ: [length], the caller's */
  size_t length, room; /* WRITE: bytes so far, and for how many there is room */
  bool fixed;          /* WRITE: `data` is the caller's or NULL; bytes beyond it are only counted */
  size_t at;           /* READ: bytes so far */
  /* MEMORY, or FILE where the tape has something else; nothing is done any more. */
  torsor_status status;
  const char *failed; /* READ: what did not fit; a text that lasts */
} tape;

/** The array `block` of count * size bytes that goes by `name`: taken (and returned, zeroed; NULL
 *  when memory is short), written or read.  Its bytes must hold neither pointers nor gaps. */
void *tape_block(tape *t, const char *name, void *block, size_t count, size_t size);

/** Lists a work array: it is allocated but neither written nor read. */
void *tape_work(tape *t, void *block, size_t count, size_t size);
/** A value that is part of its struct. */
void tape_value(tape *t, const char *name, void *value, size_t size);

/** Members: arrays [count], and values. */
#define TAPE_ARRAY(t, x, count) ((x) = tape_block(t, #x, x, (size_t)(count), sizeof *(x)))
#define TAPE_WORK(t, x, count)  ((x) = tape_work(t, x, (size_t)(count), sizeof *(x)))
#define TAPE_VALUE(t, x)        tape_value(t, #x, &(x), sizeof(x))

/** Room for so many bytes of what will be written, so that it need not move.  MEMORY is noted. */
void tape_reserve(tape *t, size_t bytes);
/** READ: checks that all bytes have been read. */
void tape_end(tape *t);

/** WRITE: begin anew in the same memory; give it back. */
void tape_rewind(tape *t);
void tape_release(tape *t);

#endif
