/* throttled.c: finds regions that a recorder stopped recording. */
#include "convert/throttled.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/trace/timer_name.h"
#include "record/metadata.h"

#define NAMED 3 /* number of names in a note */

/* Each region once, in the order in which they are found. */
struct throttled_regions {
	struct names known;
	const char **name;
	size_t name_n, name_cap;
};

static void found_add(struct throttled_regions *f, const char *name)
{
	if (names_add(&f->known, name, strlen(name)) == f->name_n)
		*array_add(f, name) = name;
}

/* "TAU Throttled: NAME" and "TAU Dropped: NAME" */
static void found_meta(struct throttled_regions *f, const char *name)
{
	static const char *const prefix[] = {TAU_META_THROTTLED, TAU_META_DROPPED};

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(name, prefix[i], strlen(prefix[i])))
			found_add(f, name + strlen(prefix[i]));
}

/* The length of the part of name i that is printed: all of it if another has the same short name. */
static size_t shown_length(const struct throttled_regions *f, size_t i)
{
	size_t n = name_short(f->name[i]);

	for (size_t k = 0; k < f->name_n; k++)
		if (k != i && name_short(f->name[k]) == n && !memcmp(f->name[k], f->name[i], n))
			return strlen(f->name[i]);
	return n;
}

static char *found_note(struct throttled_regions *f, const char *path)
{
	char *names = NULL, *note;
	size_t n;
	FILE *text = f->name_n ? mem_stream(&names, &n) : NULL;

	for (size_t i = 0; text && i < f->name_n && i < NAMED; i++)
		fprintf(text, "%s%.*s", i ? ", " : "", (int)shown_length(f, i), f->name[i]);
	if (text && f->name_n > NAMED)
		fprintf(text, " and %zu more", f->name_n - NAMED);
	if (text)
		fclose(text);
	note = names ? mem_printf(
			       "%s: recording of %zu region%s was stopped to save time, so later "
			       "calls of %s are not included: %s",
			       path, f->name_n, plural(f->name_n), f->name_n == 1 ? "it" : "them",
			       names)
		     : NULL;
	free(names);
	names_release(&f->known);
	free(f->name);
	return note;
}

char *throttled_in_trace(const struct trace *t, const char *path)
{
	struct throttled_regions f = {0};

	for (size_t i = 0; i < t->process_n; i++)
		for (size_t k = 0; k < t->process[i].meta_n; k++)
			found_meta(&f, t->process[i].meta[k].name);
	return found_note(&f, path);
}

char *throttled_in_profile(const struct profile *p, const char *path)
{
	struct throttled_regions f = {0};

	for (size_t i = 0; i < p->meta_n; i++)
		found_meta(&f, p->meta[i].name);
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].meta_n; i++)
			found_meta(&f, p->thread[t].meta[i].name);
	for (size_t i = 0; i < p->timer_n; i++)
		if (strstr(p->timer[i].groups, "TAU_DISABLE"))
			found_add(&f, p->timer[i].name);
	return found_note(&f, path);
}
