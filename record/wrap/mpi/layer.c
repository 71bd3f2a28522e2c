/*
 * layer.c: layers of the user's for Fortran.
 *
 * The entry points of MPI's Fortran bindings call PMPI_Xxx() with C handles, and such a call is
 * recorded as the program's (callers.h). A layer calls the same entry points for itself. So this
 * library also defines mpi_xxx_, and mpi_xxx_f08_ of mpi_f08, and notes in which function of a layer
 * the thread is: of the calls inside, the first of the same function of MPI is recorded as the
 * program's. If there is none, the program's call is recorded when the layer returns, without its
 * time and what it transferred.
 */
#include "layer.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../next.h"
#include "own/own.h"

__thread struct layer_inside layer_inside;

static void missing(LAYER_PARAMETERS)
{
	(void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	(void)a9, (void)a10, (void)a11, (void)a12, (void)a13, (void)a14, (void)a15, (void)a16;
}

static const void *object_of(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The library of the function pmpi_xxx_, in MPICH pmpir_xxx_f08_. */
static const void *library_of(const char *symbol)
{
	static const char *const begins[] = {"pmpi", "pmpir"};
	const void *at = NULL;
	char name[80];

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins) && !at; i++) {
		snprintf(name, sizeof(name), "%s%s", begins[i], symbol + 3);
		at = own_next(name);
	}
	return object_of(at);
}

static void look(struct layer_entry *e)
{
	layer_function *next = NULL;
	int saved = errno;
	const void *of;

	tau_hide();
	*(void **)&next = own_next(e->symbol);
	of = library_of(e->symbol);
	e->layer = mpi_usable() && of && next && object_of((const void *)next) != of;
	if (next)
		wrap_keep((const void *)next);
	tau_show();
	errno = saved;
	__atomic_store_n(&e->next, next ? next : missing, __ATOMIC_RELEASE);
}

/* The layer's function was left by longjmp(). */
static void stale_leave(void **frame)
{
	if (layer_inside.f && (uintptr_t)frame >= (uintptr_t)layer_inside.frame)
		layer_inside.f = NULL;
}

bool layer_owns(const struct wrap_function *f)
{
	if (__builtin_expect(!layer_inside.f, 1))
		return false;
	stale_leave(__builtin_frame_address(0));
	if (!layer_inside.f)
		return false;
	if (layer_inside.f != f || layer_inside.seen)
		return true;
	layer_inside.seen = true;
	return false;
}

/* Counts the program's call of a function that the layer has replaced by others. */
static void unseen_record(struct wrap_function *f)
{
	int saved = errno;

	if (wrap_begin(f))
		wrap_end(f, saved);
	errno = saved;
}

void layer_call(struct layer_entry *e, void **frame, LAYER_PARAMETERS)
{
	struct layer_inside before;

	if (!e->next)
		look(e);
	stale_leave(frame);
	before = layer_inside;
	/* What a layer calls is its own, by whatever name. */
	if (before.f && object_of(frame[1]) == before.object) {
		e->next(LAYER_ARGUMENTS);
		return;
	}
	layer_inside = (struct layer_inside){.f = e->layer ? e->f : NULL,
					     .frame = frame,
					     .object = object_of((const void *)e->next)};
	e->next(LAYER_ARGUMENTS);
	if (e->layer && !layer_inside.seen)
		unseen_record(e->f);
	layer_inside = before;
}
