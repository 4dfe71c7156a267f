/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BRANCH_KIT_H
#define TORSOR_ELEMENTS_BRANCH_KIT_H

/** Cosines that a joint keeps at zero vanish in more than one position: with an axis turned round,
 *  with markers turned by 180 or 120 degrees.  Which one it is, and the way back: see `astray` in
 *  element.h. */

#include <torsor/joint.h>

/** Axes of the markers of `joint` now, marker to inertial. */
void branch_axes(m3 *Ra, m3 *Rb, const torsor_joint *joint, const torsor_element_in *in);

/** Do the directions a of marker a and b of marker b point the same way? */
const char *branch_direction(const torsor_joint *joint, const torsor_element_in *in, v3 a, v3 b,
                             m3 *turn);

/** Do the three directions a of marker a, right-handed, agree with b of marker b? */
const char *branch_frame(const torsor_joint *joint, const torsor_element_in *in, const v3 a[3],
                         const v3 b[3], m3 *turn);

/** The smallest rotation that takes `from` to `to` (unit vectors). */
m3 branch_smallest(v3 from, v3 to);

#endif
