/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_ZIP_H
#define TORSOR_RESULTS_ZIP_H

/** Writer of zip archives (PKWARE's APPNOTE 6.3, without 64-bit sizes).  Members have no times of
 *  their own: the same content gives the same bytes.  A failed allocation is remembered, as in a
 *  text. */

#include "base/text.h"

typedef struct zip {
  text bytes, directory;
  int count;
} zip;

/** Adds the member `name`, compressed. */
void zip_add(zip *z, const char *name, const char *bytes, size_t size);
void zip_add_text(zip *z, const char *name, const char *words);
/** Adds the whole of a file. */
torsor_status zip_add_file(zip *z, const char *name, const char *file, torsor_error *error);

/** Writes the archive to the file `name`, which it replaces at once, and releases it. */
torsor_status zip_write(zip *z, const char *name, torsor_error *error);
void zip_release(zip *z);

/** The checksum of zip archives, CRC-32. */
unsigned long zip_sum(const char *bytes, size_t size);

#endif
