/*
 * tau_plugin.h: what a plug-in of tau-monitor, tau-convert and tau-report provides: a shared object with a variable `tau_plugin`.
 * tau-plugin(7) describes it. No measured process loads a plug-in.
 */
#ifndef TAU_PLUGIN_H
#define TAU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define TAU_PLUGIN_VERSION 1

/* All pointers hold until the function returns. */
struct tau_plugin_region {
	const char *name, *groups;
	double calls, exclusive_us, inclusive_us; /* sums over all threads; NaN: the profile has no such value */
	double new_calls, new_exclusive_us; /* since the look before; NaN: there was none */
};

/* A look at a run, or the profile of a run. */
struct tau_plugin_look {
	const char *run;
	double time_s; /* since the run began; NaN: of a profile */
	const struct tau_plugin_region *region;
	size_t region_n;
};

struct tau_plugin_event {
	int64_t time_ns; /* since the run began */
	int32_t node;
	uint32_t thread;
	const char *kind, *name; /* as tau-convert writes them as CSV; a leave has the name of its region */
	int open; /* an enter that is no call: the region was open before the first event */
	double value; /* NaN: it has none */
};

/* Functions that are NULL are not called. */
struct tau_plugin {
	uint32_t version; /* TAU_PLUGIN_VERSION */
	uint32_t size;	  /* of this structure */
	const char *name; /* in messages; not NULL */
	/* argument: what follows the file on the command line, "" for nothing. *state: for the other calls. Not 0: it cannot begin. */
	int (*begin)(const char *argument, void **state);
	void (*look)(void *state, const struct tau_plugin_look *look);	 /* tau-monitor, and tau-report plugin */
	void (*event)(void *state, const struct tau_plugin_event *event); /* tau-convert --follow */
	/* Frees the state. 1 to 125 is the exit status of the program. */
	int (*end)(void *state);
};

#endif
