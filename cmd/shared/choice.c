/* choice.c: finds a word among names, and what a wrong one probably means. */
#include "cmd/shared/choice.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/nearest.h"

char *choice_near(const char *word, const char *const *name, size_t n)
{
	const char *near = nearest_name(word, name, n);

	return near ? mem_printf("; did you mean '%s'?", near) : mem_string("");
}

/* "a, b or c" */
static char *list_of(const char *const *name, size_t n)
{
	char *list = NULL;
	size_t length;
	FILE *f = mem_stream(&list, &length);

	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", name[i]);
	fclose(f);
	return list;
}

int choice_option(const char *option, const char *word, const char *const *name, size_t n,
		  size_t *found, struct error *e)
{
	return word ? choice_get(option, word, name, n, found, e) : 0;
}

int choice_get(const char *what, const char *word, const char *const *name, size_t n, size_t *found,
	       struct error *e)
{
	char *list, *near;

	for (*found = 0; *found < n; ++*found)
		if (!strcmp(word, name[*found]))
			return 0;
	list = list_of(name, n);
	near = choice_near(word, name, n);
	if (n == 1)
		error_set(e, ERROR_USAGE, "%s: '%s' is unknown; there is only %s", what, word,
			  *name);
	else
		error_set(e, ERROR_USAGE, "%s: '%s' is not %s%s", what, word, n ? list : "there",
			  near);
	free(list);
	free(near);
	return e->code;
}

int choice_on(const char *value)
{
	static const char *const off[] = {"", "0", "no", "off", "false"};
	int on = value != NULL;

	for (size_t i = 0; on && i < sizeof(off) / sizeof(*off); i++)
		on = strcasecmp(value, off[i]) != 0;
	return on;
}
