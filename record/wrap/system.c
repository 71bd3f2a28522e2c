/*
 * system.c: requests that tau-record records the counters of the process, and those of its host, at an interval.
 */
#include <stdlib.h>

#include "tau.h"

#define INTERVAL_NS 1000000000u

__attribute__((constructor)) static void system_begin(void)
{
	const char *ns = getenv("TAU_RECORD_SYSTEM_NS");
	uint64_t interval = ns ? strtoull(ns, NULL, 10) : 0;

	if (tau_active())
		tau_measure_system(interval >= 1000000 ? interval : INTERVAL_NS);
}
