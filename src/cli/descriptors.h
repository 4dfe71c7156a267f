/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_DESCRIPTORS_H
#define TORSOR_CLI_DESCRIPTORS_H

#include <stdbool.h>

/** Open /dev/null for those of the descriptors 0 to 2 that the caller left closed: otherwise a file
 *  opened later would get their number, and messages would be written into it.  Must be called
 *  before any file is opened.  Returns false on failure. */
bool descriptors_secure(void);

#endif
