/*
 * tau_variables.h: the environment variables of TAU. Each has one row, with what it does here; programs read none without a row.
 */
#ifndef TAU_VARIABLES_H
#define TAU_VARIABLES_H

/* The value of a variable in the environment; NULL: it is not set. Its row must not have it as ignored. */
const char *tau_variable(const char *name);

/* Prints each variable, whether it is honoured, and what does the same here. */
void tau_variables_list(void);

/* One sentence on standard error about those that are set and ignored; none if there are none. */
void tau_variables_note(const char *program);

#endif
