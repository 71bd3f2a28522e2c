/* option_value.c: finds options by name and stores their values where the program reads them. */
#include "cmd/shared/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/nearest.h"

int option_set(const struct option *o, const char *value, struct error *e)
{
	char *end;

	switch (o->type) {
	case OPTION_FLAG:
		++*(int *)o->to;
		break;
	case OPTION_TEXT:
	case OPTION_MAYBE:
		*(const char **)o->to = value ? value : "";
		break;
	case OPTION_LIST:
		*array_add((struct option_list *)o->to, v) = value;
		break;
	case OPTION_NUMBER:
		errno = 0;
		*(long *)o->to = strtol(value, &end, 10);
		if (errno || *end || end == value)
			return error_set(e, ERROR_USAGE, "--%s: '%s' is not a whole number",
					 o->name, value);
		break;
	case OPTION_CALL:
		return ((int (*)(const char *, struct error *))o->to)(value, e);
	case OPTION_HEADING_ROW:
		break;
	}
	return 0;
}

char *option_near(const struct option *options, const char *word, const char *prefix)
{
	struct nearest near;

	nearest_begin(&near, word);
	nearest_try(&near, "help", 4, "help");
	nearest_try(&near, "version", 7, "version");
	nearest_try(&near, "config", 6, "config");
	nearest_try(&near, "no-config", 9, "no-config");
	for (const struct option *o = options; o->name; o++)
		if (o->type != OPTION_HEADING_ROW)
			nearest_try(&near, o->name, strlen(o->name), o->name);
	return near.best ? mem_printf("; did you mean '%s%s'?", prefix, near.best)
			 : mem_string("");
}

const struct option *option_find(const struct option *options, const char *name, size_t length)
{
	for (const struct option *o = options; o->name; o++)
		if (o->type != OPTION_HEADING_ROW && strlen(o->name) == length &&
		    !strncmp(o->name, name, length))
			return o;
	return NULL;
}
