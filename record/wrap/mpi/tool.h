/*
 * tool.h: the variables of MPI's tool interface (MPI_T): control variables, which are settings of the
 * library, and performance variables, which count what happens inside it. They are identified by name,
 * because their numbers change in MPI_Init. Between MPI_T_init_thread and MPI_T_finalize only.
 */
#ifndef TAU_WRAP_MPI_TOOL_H
#define TAU_WRAP_MPI_TOOL_H

#include "wrap.h"

enum { TOOL_NAME = 256, TOOL_ABOUT = 1024 };

struct tool_variable {
	int index, bind;
	int how;		/* scope of a control variable, class of a performance variable */
	int continuous;		/* of a performance variable: it counts without being started */
	const struct tool_type *type;	/* NULL: unknown here, so it has no value */
	MPI_T_enum items;	/* names of its values; MPI_T_ENUM_NULL: none */
	char name[TOOL_NAME], about[TOOL_ABOUT];
};

/* Number of variables, also of those that have gone. */
int tool_control_number(void);
int tool_performance_number(void);
/* 0: the library has no variable of this number (any more). */
int tool_control(int index, struct tool_variable *out);
int tool_performance(int index, struct tool_variable *out);

/* The value of a control variable as text. 0: it has none. One thread at a time. */
int tool_control_text(const struct tool_variable *v, char *out, size_t size);

/* Bytes of one value; the sum of n values. */
size_t tool_size(const struct tool_type *t);
double tool_sum(const struct tool_type *t, const void *values, int n);

#endif
