/*
 * caliper.c: the wrapper of Caliper's C interface: regions, phases and communication regions by
 * name are regions of group CALIPER, phases also of group TAU_PHASE. The macros of C++ and loops
 * call other functions of Caliper, which no wrapper sees.
 */
#include <dlfcn.h>

#include "tau.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))

/* The real function is found before main(), as the program may call from any thread later. */
#define PAIR(kind, groups) \
	static void (*real_begin_##kind)(const char *), (*real_end_##kind)(const char *); \
	__attribute__((constructor)) static void find_##kind(void) \
	{ \
		*(void **)&real_begin_##kind = own_next("cali_begin_" #kind); \
		*(void **)&real_end_##kind = own_next("cali_end_" #kind); \
	} \
	EXPORT void cali_begin_##kind(const char *name); \
	EXPORT void cali_begin_##kind(const char *name) \
	{ \
		if (tau_active() && name) \
			tau_enter(tau_region(name, groups, NULL, 0)); \
		if (real_begin_##kind) \
			real_begin_##kind(name); \
	} \
	EXPORT void cali_end_##kind(const char *name); \
	EXPORT void cali_end_##kind(const char *name) \
	{ \
		if (real_end_##kind) \
			real_end_##kind(name); \
		if (tau_active() && name) \
			tau_leave(tau_region(name, groups, NULL, 0)); \
	}

PAIR(region, "CALIPER")
PAIR(phase, "CALIPER|TAU_PHASE")
PAIR(comm_region, "CALIPER|COMMUNICATION")
