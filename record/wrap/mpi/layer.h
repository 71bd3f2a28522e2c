/*
 * layer.h: layers of the user's for Fortran, which define mpi_xxx_ or mpi_xxx_f08_ and call pmpi_xxx_ or others: a library between the
 * program and MPI.
 */
#ifndef TAU_WRAP_MPI_LAYER_H
#define TAU_WRAP_MPI_LAYER_H

#include <stdbool.h>

#include "wrap.h"

/* No function has more arguments, with the lengths of its strings. They are passed on whatever they are. */
#define LAYER_PARAMETERS                                                                           \
	void *a1, void *a2, void *a3, void *a4, void *a5, void *a6, void *a7, void *a8, void *a9,  \
		void *a10, void *a11, void *a12, void *a13, void *a14, void *a15, void *a16
#define LAYER_ARGUMENTS a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16

typedef void layer_function(LAYER_PARAMETERS);
struct layer_entry {
	const char *symbol;
	struct wrap_function *f;
	layer_function *next; /* of a layer, or of the library; NULL: not looked up yet */
	bool layer;
};

/* The function of a layer that the thread is in. */
struct layer_inside {
	const struct wrap_function *f; /* NULL: in none */
	void **frame;
	const void *object; /* the layer */
	bool seen;	    /* MPI's function of that name was called */
};
extern __thread struct layer_inside layer_inside __attribute__((visibility("hidden")));

void layer_call(struct layer_entry *e, void **frame, LAYER_PARAMETERS) __attribute__((visibility("hidden")));
/* Of a call of PMPI_Xxx() by a Fortran entry point: is it a layer's, and not recorded as the program's? */
bool layer_owns(const struct wrap_function *f) __attribute__((visibility("hidden")));

/* No call becomes a jump: that would write arguments to the program's stack, where other threads may be writing. */
#define LAYER_ENTRY(row, name)                                                                     \
	WRAP_EXPORT void name(LAYER_PARAMETERS)                                                    \
	{                                                                                          \
		static struct layer_entry e = {#name, &wrap_table[WRAP_##row], NULL, false};       \
		layer_function *next = __atomic_load_n(&e.next, __ATOMIC_ACQUIRE);                 \
										   \
		if (__builtin_expect(next && !e.layer && !layer_inside.f, 1))                      \
			next(LAYER_ARGUMENTS);                                                     \
		else                                                                               \
			layer_call(&e, __builtin_frame_address(0), LAYER_ARGUMENTS);               \
		__asm__ volatile("" : : : "memory");                                               \
	}

#endif
