/* tool_due.h: reads the variables of MPI's tool interface after a call, if it is time (tool_sample.c). */
#ifndef TAU_WRAP_MPI_TOOL_DUE_H
#define TAU_WRAP_MPI_TOOL_DUE_H

/* Are variables being read? */
extern int tool_sampling __attribute__((visibility("hidden")));

/* Reads them if it is time. */
void tool_look(void);

/* After each recorded call. */
static inline void tool_call_ended(void)
{
	if (__builtin_expect(tool_sampling, 0))
		tool_look();
}

#endif
