/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNAL_NAMES_H
#define TORSOR_ANALYSIS_SIGNAL_NAMES_H

#include <stdbool.h>

/** Does a name hold a place that stands for a node, as "wing@0.5" and "plate.edge_x1[2]" do? */
bool signal_names_place(const char *name);

/** May `wanted` stand for something that begins with "<owner>.<name>"? */
bool signal_names_may_mean(const char *wanted, const char *owner, const char *name);

/** Is the word one of those, ended by NULL, of which there may be none? */
bool signal_names_among(const char *const *words, const char *word);

#endif
