/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_KLU_COST_H
#define BENCH_KLU_COST_H

#include "measure.h"

/** Cost of KLU on the matrix that the scene's run last factored after some steps: fills `refactor`,
 * `solve`, `unknowns` and `nonzeros`. */
torsor_status klu_cost(figures *out, const torsor_model *model, const torsor_simulation *simulation,
                       torsor_error *error);

#endif
