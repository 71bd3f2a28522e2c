/* report_by.c: the values of --by and of other options that have a fixed list for each kind. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
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

static const struct report_values *values_of(const struct report_kind *k, const char *option)
{
	for (const struct report_values *v = k->values; v && v->option; v++)
		if (!strcmp(v->option, option))
			return v;
	return NULL;
}

int report_value(const struct report_options *o, const char *option, const char *given, int *is,
		 struct error *e)
{
	const struct report_values *values = values_of(o->kind, option);
	const char *name[REPORT_BYS];
	char *what = mem_printf("--%s", option);
	size_t n = 0, found = 0;
	int rc;

	for (const struct report_value *v = values ? values->value : NULL; v && v->name; v++) {
		if (values->without && !strcmp(v->name, values->without))
			found = n;
		name[n++] = v->name;
	}
	rc = n ? choice_option(what, given, name, n, &found, e) : 0;
	if (n && !rc)
		*is = values->value[found].is;
	free(what);
	return rc;
}

char *report_value_names(const struct report_kind *k, const char *option)
{
	const struct report_values *values = values_of(k, option);
	const struct report_by *by = strcmp(option, "by") ? NULL : k->by;
	size_t length;
	char *list = NULL;
	FILE *f;

	if (!values && !by)
		return NULL;
	f = mem_stream(&list, &length);
	for (const struct report_by *b = by; b && b->name; b++)
		fprintf(f, "%s%s", b == by ? "" : " ", b->name);
	for (const struct report_value *v = values ? values->value : NULL; v && v->name; v++)
		fprintf(f, "%s%s", v == values->value ? "" : " ", v->name);
	fclose(f);
	return list;
}
