/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"

const cli_verb *const cli_verbs[] = {
    &verb_run,      &verb_statics,  &verb_modes,  &verb_linearise,  &verb_response,
    &verb_periodic, &verb_sweep,    &verb_fit,    &verb_optimise,   &verb_check,
    &verb_compare,  &verb_converge, &verb_plot,   &verb_report,     &verb_export,
    &verb_fmu,      &verb_reduce,   &verb_verify, &verb_list,       &verb_describe,
    &verb_schema,   &verb_import,   &verb_manual, &verb_completion, NULL};

const char cli_summary[] = "Lie-group multibody dynamics: models and simulations from JSON scenes.";

const cli_code cli_codes[] = {
    {EXIT_DONE, "done"},
    {EXIT_MISMATCH, "a comparison or verification does not hold"},
    {EXIT_USAGE, "wrong usage"},
    {EXIT_SCENE, "the scene is invalid"},
    {EXIT_COMPUTATION, "the computation could not go on; what was computed is kept"},
    {EXIT_SYSTEM, "files, memory, system"},
    {EXIT_INTERRUPTED, "interrupted (SIGINT)"},
    {EXIT_TERMINATED, "interrupted (SIGTERM)"},
    {0, NULL}};
