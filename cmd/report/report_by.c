/* report_by.c: the value of --by, one of those of the kind. */
#include <string.h>

#include "cmd/report/report.h"
#include "cmd/shared/choice.h"

int report_by(const struct report_options *o, size_t *by, struct error *e)
{
	const struct report_kind *k = o->kind;
	const char *name[REPORT_BYS];
	size_t n = 0;

	*by = 0;
	for (const struct report_by *b = k->by; b && b->name && n < REPORT_BYS; b++) {
		if (k->by_default && !strcmp(b->name, k->by_default))
			*by = n;
		name[n++] = b->name;
	}
	return n ? choice_option("--by", o->by, name, n, by, e) : 0;
}
