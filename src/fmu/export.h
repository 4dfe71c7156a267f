/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_FMU_EXPORT_H
#define TORSOR_FMU_EXPORT_H

/** Marks the functions that an importer looks up by their names. */
#define FMU_EXPORT __attribute__((visibility("default")))

#endif
