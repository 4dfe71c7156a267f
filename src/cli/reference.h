/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REFERENCE_H
#define TORSOR_CLI_REFERENCE_H

#include <torsor/scene.h>

/** The tolerance of signals for which none is given. */
extern const torsor_tolerance reference_exact;

/** Read a result: a folder with its trajectory.csv, or a CSV file. */
torsor_status result_read(torsor_table *table, const char *name, torsor_error *error);

/** Read a reference: a result folder, a sidecar, or a CSV file, whose sidecar may be missing (then
 *  it has no tolerances: a plain result serves as reference, too).  Both are to be destroyed, also
 *  after a failure. */
torsor_status reference_read(torsor_table *table, torsor_reference *sidecar, const char *name,
                             torsor_error *error);

#endif
