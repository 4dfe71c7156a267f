/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TORSOR_H
#define TORSOR_TORSOR_H

/** Everything: Lie groups, elements, models, integrators, analyses, scenes and results. */

#include <torsor/base.h>
#include <torsor/timing.h>
#include <torsor/lie.h>
#include <torsor/element.h>
#include <torsor/joint.h>
#include <torsor/curve.h>
#include <torsor/force.h>
#include <torsor/callback.h>
#include <torsor/model.h>
#include <torsor/geometry.h>
#include <torsor/integrator.h>
#include <torsor/frame.h>
#include <torsor/analysis.h>
#include <torsor/run.h>
#include <torsor/statics.h>
#include <torsor/modes.h>
#include <torsor/linear.h>
#include <torsor/periodic.h>
#include <torsor/path.h>
#include <torsor/scene.h>
#include <torsor/draft.h>
#include <torsor/result.h>

#endif
