/* quantity.c: reads numbers with units. */
#include "cmd/shared/quantity.h"

#include <stdlib.h>
#include <string.h>

const struct unit quantity_times[QUANTITY_TIMES] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
						    {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
const struct unit quantity_sizes[QUANTITY_SIZES] = {{"B", 1},   {"K", 1e3},  {"KB", 1e3},
						    {"M", 1e6}, {"MB", 1e6}, {"G", 1e9},
						    {"GB", 1e9}, {"T", 1e12}, {"TB", 1e12}};

double quantity(const char *text, const struct unit *unit, size_t n, double plain)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || !(v >= 0))
		return -1;
	if (!*end)
		return v * plain;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(end, unit[i].name))
			return v * unit[i].factor;
	return -1;
}

int quantity_time(const char *text, uint64_t *ns)
{
	double v = quantity(text, quantity_times, QUANTITY_TIMES, 1e9);

	if (v < 0 || v > 9e18)
		return -1;
	*ns = (uint64_t)v;
	return 0;
}
