/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_INTERRUPT_H
#define TORSOR_CLI_INTERRUPT_H

/** Handling of SIGINT and SIGTERM: they end the program at once with the exit code 128 + signal,
 *  unless results have to be completed first. */

/** Installs the handlers for the start of the program: both signals end it at once.  A signal that
 *  the parent process ignores stays ignored. */
void interrupt_ends(void);

/** Installs the handlers for a verb that writes results: until interrupt_finishes is called a
 *  signal ends the program at once; afterwards the first one is recorded, so that the results can
 *  be written, and the second one ends the program.  So does a step that has not come to its end,
 *  where interrupt_seen is asked, a second after the first signal. */
void interrupt_will_finish(void);
void interrupt_finishes(void);

/** Returns the recorded signal, 0 = none. */
int interrupt_seen(void);

#endif
