/*
 * footprint.c: samples of the resident memory of the process, of the load of the system, and of the energy that its processors
 * used, under the names that TAU has for them.
 */
#include "record/event/footprint.h"
#include "record/api.h"
#include "record/format.h"
#include "record/metadata.h"
#include "record/metric/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKAGES 64

/* A line "WORD: NUMBER kB" of /proc/self/status. */
static void status_record(const char *status, const char *word, const char *event)
{
	const char *at = strstr(status, word);

	if (at)
		tau_trigger(tau_event(event, TAU_EVENT_CONTEXT),
			    (double)strtoull(at + strlen(word), NULL, 10));
}

void footprint_record(void)
{
	char text[4096];

	if (!system_text("/proc/self/status", text, sizeof(text)))
		return;
	status_record(text, "\nVmRSS:", "Memory Footprint (VmRSS) (KB)");
	status_record(text, "\nVmHWM:", TAU_META_PEAK_RESIDENT_KB);
}

/* "0.42 0.30 ...": the mean number of tasks that ran or waited in the last minute. */
void load_record(void)
{
	char text[128], *end;
	unsigned long whole, parts;

	if (!system_text("/proc/loadavg", text, sizeof(text)))
		return;
	whole = strtoul(text, &end, 10);
	parts = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	tau_trigger(tau_event("System load", 0), (double)(whole * 100 + parts) / 100);
}

void power_record(void)
{
	char path[80], name[80], text[64];

	for (int i = 0; i < PACKAGES; i++) {
		snprintf(path, sizeof(path), "/sys/class/powercap/intel-rapl:%d/energy_uj", i);
		if (!system_text(path, text, sizeof(text)))
			return;
		snprintf(name, sizeof(name), "Energy of package %d (J)", i);
		tau_trigger(tau_event(name, TAU_EVENT_MONOTONIC),
			    (double)strtoull(text, NULL, 10) / 1e6);
	}
}
