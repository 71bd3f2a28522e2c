/* quantity.h: numbers with units, as options have them: 10ms, 4G. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stddef.h>
#include <stdint.h>

struct unit {
	const char *name;
	double factor;
};
#define QUANTITY_TIMES 6
#define QUANTITY_SIZES 9
extern const struct unit quantity_times[QUANTITY_TIMES];	/* in ns */
extern const struct unit quantity_sizes[QUANTITY_SIZES];	/* in bytes */

/* A number and one of the units, or none: then it is in `plain`. Negative: it is no such thing. */
double quantity(const char *text, const struct unit *unit, size_t n, double plain);
/* A time in ns, without a unit in s; -1: it is none. */
int quantity_time(const char *text, uint64_t *ns);

#endif
