/*
 * library.h: finds and opens libcupti.
 */
#ifndef WRAP_CUDA_LIBRARY_H
#define WRAP_CUDA_LIBRARY_H

/* A handle of dlopen(); NULL: it was not found. */
void *cupti_open(void);

#endif
