/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_DESCRIPTORS_H
#define TORSOR_CLI_DESCRIPTORS_H

#include <stdbool.h>

/** Open /dev/null for those of the descriptors 0 to 2 that the caller left closed: a file that is
 *  opened later would get their number, and what is meant for people would be written into it.
 *  Before anything is opened.  False where that cannot be done. */
bool descriptors_secure(void);

#endif
