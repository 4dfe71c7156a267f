/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shells that turn: the centrifugal forces stretch them, and their frequencies rise. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "modes_kit.h"

enum { MODES = 5 };

/* A hub that turns about z with the angular velocity "W*unit" and holds what leaves it at x = R. */
#define ROTOR(group, unit, bodies, root)                                                           \
  "{\"torsor\": 1, \"group\": \"" group "\", \"parameters\": {\"n\": 8, \"W\": %.17g, \"R\": "     \
  "%.17g, \"unit\": \"" unit "\"}, \"bodies\": [{\"name\": \"hub\", \"type\": \"rigid_body\", "    \
  "\"mass\": 1, \"inertia\": [1, 1, 1], \"angular_velocity\": [0, 0, \"W*unit\"]}, " bodies        \
  "], \"joints\": [{\"name\": \"shaft\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": "       \
  "\"hub\", \"axis\": [0, 0, 1]}, {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": "     \
  "\"shaft.angle\", \"motion\": \"W*unit*t\"}, " root "]}"
#define EDGE "{\"name\": \"root\", \"type\": \"edge\", \"on\": \"s.edge_x0\", \"to\": \"hub\"}"

/* ---- a square plate that turns about its normal ------------------------------------------------
 */

#define PLATE_UNIT "sqrt(2.1e11*0.003^2/(12*0.91*7850))/0.3^2"
#define PLATE(group)                                                                               \
  ROTOR(group, PLATE_UNIT,                                                                         \
        "{\"name\": \"s\", \"type\": \"shell\", \"elements\": [\"n\", \"n\"], \"length\": 0.3, "   \
        "\"width\": 0.3, \"position\": [\"R\", -0.15, 0], \"velocity\": [\"0.15*W*unit\", "        \
        "\"R*W*unit\", 0], \"angular_velocity\": [0, 0, \"W*unit\"], \"thickness\": 0.003, "       \
        "\"E\": 2.1e11, \"nu\": 0.3, \"density\": 7850}",                                          \
        EDGE)

/* Frequencies of the first modes at a speed, in units of sqrt(D/(rho h))/a^2: solids of CalculiX
 * 2.20, 16 x 16 x 1 of 20 nodes with reduced integration, whose base may contract through the
 * thickness, equilibrium under the centrifugal load and its tangent; and another program (NumPy)
 * with the element of Torsor, 8 x 8 and 16 x 16. */
typedef struct plate_row {
  double speed, solids[MODES], coarse[MODES], fine[MODES];
} plate_row;

static const plate_row plate[] = {
    {0,
     {3.4702, 8.4827, 21.2645, 27.1477, 30.8575},
     {3.4800449052961087, 8.55029366237164, 22.051195711610703, 27.864905963720485,
      31.928023389734122},
     {3.4731205398590457, 8.512661667507475, 21.46542458079507, 27.34942354071944,
      31.169007843238603}},
    {1,
     {3.6385, 8.603, 21.4084, 27.2282, 30.9775},
     {3.6474670054468703, 8.669504180870018, 22.1906672906041, 27.945431769511114,
      32.04495221720688},
     {3.641144396030332, 8.632488948928371, 21.608310613109676, 27.42983795433929,
      31.28813728766692}},
    {2,
     {4.1002, 8.954, 21.834, 27.4688, 31.3346},
     {4.107338961759527, 9.017584501230825, 22.603274006667558, 28.186205781091488,
      32.39310551079531},
     {4.1024149026075865, 8.982273215878326, 22.030766602425768, 27.67021122981902,
      31.64268906873179}},
    {4,
     {5.5605, 10.2368, 23.4484, 28.4195, 32.7219},
     {5.5638752342001245, 10.291593642115831, 24.172820216283647, 29.138672436904468,
      33.748397844352674},
     {5.56173560222659, 10.261484277768332, 23.634712116451833, 28.620121350049118,
      33.02080862846958}},
};

static void find_modes(double out[MODES], const char *text, int n, torsor_about about,
                       double unit) {
  const torsor_modes_settings settings = {
      .size = sizeof(torsor_modes_settings), .count = MODES, .about = about};
  char of[40];
  snprintf(of, sizeof of, "parameters.n=%d", n);
  torsor_modes *m = modes_of(text, (const char *const[]){of, NULL}, &settings);
  for (int i = 0; i < MODES; ++i) out[i] = modes_omega(m, i) / unit;
  torsor_modes_destroy(m);
}

/* The other program agrees to round-off at rest.  As it turns, the inertia of what is off the
 * middle surface counts here, (h/a)^2 = 1e-4 of that of the plate.  Meshes of 8 and 16 have an
 * error of order 2; without it the first frequency is that of the solids to 2e-4, the part that the
 * meshes of 8 and 16 solids differ by, and the others to 1 %: the solids' own base is stiffer. */
static void rotating_plate(void **state) {
  (void)state;
  static const char *const of[] = {PLATE("R3xSO3"), PLATE("SE3")};
  const double unit = sqrt(2.1e11 * 0.003 * 0.003 / (12 * 0.91 * 7850)) / 0.09;
  for (size_t i = 0; i < sizeof plate / sizeof *plate; ++i) {
    const plate_row *row = &plate[i];
    const double turning = row->speed > 0 ? pow(0.003 / 0.3, 2) : 1e-9;
    double coarse[MODES], fine[MODES], off = 0, solids = 0;
    char text[2048];
    snprintf(text, sizeof text, of[i % 2], row->speed, 0.0);
    find_modes(coarse, text, 8, TORSOR_ABOUT_STEADY, unit);
    find_modes(fine, text, 16, TORSOR_ABOUT_STEADY, unit);
    for (int k = 0; k < MODES; ++k) {
      const double limit = fine[k] + (fine[k] - coarse[k]) / 3;
      off = check_max(off, fabs(coarse[k] / row->coarse[k] - 1));
      off = check_max(off, fabs(fine[k] / row->fine[k] - 1));
      CHECK_LE(fabs(limit / row->solids[k] - 1), k ? 1e-2 : 2e-4 + 5e-5 / row->solids[k]);
      solids = check_max(solids, fabs(limit / row->solids[k] - 1));
    }
    print_message("  speed %g: %.4f %.4f %.4f %.4f %.4f with 16 x 16\n", row->speed, fine[0],
                  fine[1], fine[2], fine[3], fine[4]);
    check_report("rotating plate, limit of the meshes off solids", solids, 1e-2);
    check_report("rotating plate, off another program", off, turning);
    CHECK_LE(off, turning);
  }
}

/* ---- a blade, as a shell and as a beam ---------------------------------------------------------
 */

#define BLADE_UNIT "sqrt(7e10*0.01^2/(12*2700))"
#define SHELL_BLADE                                                                                \
  ROTOR("SE3", BLADE_UNIT,                                                                         \
        "{\"name\": \"s\", \"type\": \"shell\", \"elements\": [\"8*n\", \"n\"], \"length\": 1, "   \
        "\"width\": 0.05, \"position\": [\"R\", -0.025, 0], \"velocity\": [\"0.025*W*unit\", "     \
        "\"R*W*unit\", 0], \"angular_velocity\": [0, 0, \"W*unit\"], \"thickness\": 0.01, "        \
        "\"E\": 7e10, \"nu\": 0, \"density\": 2700}",                                              \
        EDGE)
#define BEAM_BLADE                                                                                 \
  ROTOR("SE3", BLADE_UNIT,                                                                         \
        "{\"name\": \"s\", \"type\": \"beam\", \"elements\": \"8*n\", \"length\": 1, "             \
        "\"position\": [\"R\", 0, 0], \"velocity\": [0, \"R*W*unit\", 0], \"angular_velocity\": "  \
        "[0, 0, \"W*unit\"], \"section\": {\"shape\": \"rectangle\", \"width\": 0.05, "            \
        "\"height\": 0.01, \"E\": 7e10, \"nu\": 0, \"density\": 2700}}",                           \
        "{\"name\": \"root\", \"type\": \"weld\", \"a\": {\"body\": \"hub\", \"position\": "       \
        "[\"R\", 0, 0]}, \"b\": \"s.start\"}")

/* A strip without Poisson's effect: flap, lag and flap again, from a hub of a tenth of its length.
 * Shells and beams have the same bending, shear factor and inertia but for the turn of the section
 * about the normal, whose shear factor 5/6 a shell finds itself: the lag, whose shear changes it by
 * (b/L)^2, knows that to a hundredth.  The hub stretches the blade by e = (W h/L)^2/12 (1/2 + R/L):
 * with Green's strains the stiffness of the stretched shell rises by 3 e over that of the beam, and
 * frequencies by half of that.  The errors of the meshes are removed, and what is left of them is
 * the difference of two limits. */
static void blade_on_a_hub(void **state) {
  (void)state;
  static const double speed[] = {0, 4, 12};
  static const char *const name[] = {"flap", "lag", "second flap"};
  static const int mode[] = {0, 1, 2};
  const double unit = sqrt(7e10 * 1e-4 / (12 * 2700)), lag = 0.01 * pow(0.05, 2);
  for (int i = 0; i < 3; ++i) {
    const double strain = pow(speed[i] * 0.01, 2) / 12 * (0.5 + 0.1);
    double shell[3], beam[3], left[2][3], order[3];
    char text[2048];
    snprintf(text, sizeof text, SHELL_BLADE, speed[i], 0.1);
    modes_limits_about(shell, left[0], order, text, TORSOR_ABOUT_STEADY, mode, 3, 1);
    snprintf(text, sizeof text, BEAM_BLADE, speed[i], 0.1);
    double none[3];
    modes_limits_about(beam, left[1], none, text, TORSOR_ABOUT_STEADY, mode, 3, 1);
    for (int k = 0; k < 3; ++k) {
      const double off = fabs(shell[k] / beam[k] - 1);
      const double bound = (left[0][k] + left[1][k]) / beam[k] + lag + 1.5 * strain;
      print_message("  speed %g, %s: shell %.6f, beam %.6f\n", speed[i], name[k], shell[k] / unit,
                    beam[k] / unit);
      check_report("blade on a hub, shell against beam", off, bound);
      CHECK_LE(off, bound);
    }
  }
}

/* Southwell's problem: a thin strip without hub against the series for a beam that bends alone,
 * Wright and others 1982 (J. Appl. Mech. 49, 197).  Rotary inertia and shear make (h/L)^2 (1/12 +
 * ..) k^2, the stretch of the strip W^2 m L^2/EA = (W h/L)^2/12: 1e-4 of each other. */
static void southwell(void **state) {
  (void)state;
  static const double table[][3] = {{0, 3.5160152685600776, 22.03449156574669},
                                    {12, 13.170150487520313, 37.60311233135728}};
  const double unit = sqrt(7e10 * 1e-4 / (12 * 2700));
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    double limit[3], left[3], order[3];
    char text[2048];
    snprintf(text, sizeof text, SHELL_BLADE, table[i][0], 0.0);
    modes_limits_about(limit, left, order, text, TORSOR_ABOUT_STEADY, (const int[]){0, 2}, 2, 1);
    for (int k = 0; k < 2; ++k) {
      const double exact = table[i][k + 1], off = fabs(limit[k] / unit / exact - 1);
      const double thick = pow(0.01, 2) * (k ? 5 : 1), bound = thick + left[k] / limit[k];
      print_message("  speed %g: %.6f for %.6f, order %.3f\n", table[i][0], limit[k] / unit, exact,
                    order[k]);
      check_report("Southwell's strip", off, bound);
      CHECK_LE(off, bound);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotating_plate),
      cmocka_unit_test(blade_on_a_hub),
      cmocka_unit_test(southwell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
