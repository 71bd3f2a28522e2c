/*
 * tool_sample.h: records variables of MPI's tool interface: performance variables as counters, read after a call of MPI
 * when the interval has passed, and before MPI_Finalize; control variables as metadata.
 *
 * MPI_T_init_thread comes before MPI_Init: then variables of parts of the library that MPI_Init does not use go away, and
 * the others can be read safely. MPI_T_finalize comes before MPI_Finalize: Open MPI crashes otherwise.
 */
#ifndef TAU_WRAP_MPI_TOOL_SAMPLE_H
#define TAU_WRAP_MPI_TOOL_SAMPLE_H

/* Begin and end; around.h calls them. good: MPI_Init succeeded. */
void tool_before_init(void);
void tool_after_init(int good);
void tool_before_finalize(void);

#endif
