/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_PAGE_H
#define TORSOR_RESULTS_PAGE_H

/** Binary arrays of a report page: report/FORMAT.md says what they look like.  A failed allocation
 *  is remembered, as in a text. */

#include "base/text.h"

typedef struct page_data {
  text bytes; /* the arrays one after the other */
  text heads; /* their JSON heads, with commas between them */
  int count;
} page_data;

/** Every function that adds an array returns its index. */

/** Numbers first[0], first[stride], ... [count] as they are. */
int page_add_exact(page_data *data, const double *first, size_t stride, size_t count);

/** Adds numbers as an offset and single-precision differences: the change since the start keeps 7
 *  digits. */
int page_add_numbers(page_data *data, const double *first, size_t stride, size_t count);

int page_add_text(page_data *data, const char *bytes, size_t count);

/** Series of 16-bit codes [series][count] of slowly changing numbers, value = low + scale code.
 *  `range`: index of an array of (low, scale) for each series; negative: `low` and `scale` for
 *  all. */
int page_add_codes(page_data *data, const unsigned short *codes, size_t series, size_t count,
                   int range, double low, double scale);

/** The block as base64 of a zlib stream. */
void page_block(text *out, const page_data *data);

void page_release(page_data *data);

#endif
