/* context.c: reads call paths and counter contexts from their texts. */
#include "analyze/profile/context.h"

#include <string.h>

#include "analyze/trace/timer_name.h"

static const char arrow[] = " => ";

uint32_t context_add_timer(struct profile *p, const char *name, const char *groups)
{
	struct name_location l;
	char *file;
	uint32_t id;

	if (!name_location(name, &l))
		return profile_add_timer(p, name, groups, NULL, 0);
	file = mem_printf("%.*s", (int)l.file_n, l.file);
	id = profile_add_timer(p, name, groups, file, l.line);
	free(file);
	return id;
}

/*
 * The next element of a path, trimmed; *text moves to the text after it, and becomes NULL after the
 * last element.
 */
static const char *next_element(const char **text, size_t *length)
{
	const char *begin = *text, *stop = strstr(begin, arrow),
		   *end = stop ? stop : begin + strlen(begin);

	*text = stop ? stop + sizeof(arrow) - 1 : NULL;
	while (begin < end && *begin == ' ')
		begin++;
	while (end > begin && end[-1] == ' ')
		end--;
	*length = (size_t)(end - begin);
	return begin;
}

uint32_t context_add_path(struct profile *p, const char *text, const char *groups)
{
	uint32_t path = PROFILE_FLAT;

	while (text) {
		size_t n;
		const char *element = next_element(&text, &n);
		char *name;

		if (!n)
			return PROFILE_FLAT;
		name = mem_printf("%.*s", (int)n, element);
		path = profile_add_path(p, context_add_timer(p, name, text ? NULL : groups), path);
		free(name);
	}
	return path;
}

/* 1: all elements are timers of p. 0: they are not. -1: an element is empty. */
static int known_path(const struct profile *p, const char *text)
{
	int known = 1;

	while (text) {
		size_t n;
		const char *element = next_element(&text, &n);

		if (!n)
			return -1;
		known &= names_find(&p->timer_names, element, n) >= 0;
	}
	return known;
}

struct context_profile {
	const struct profile *p;
	const struct names *events;
};

/* The function for name_context(). */
static int choose(void *arg, const char *name, size_t base_n, const char *context)
{
	const struct context_profile *r = arg;
	int known = known_path(r->p, context);

	while (base_n && name[base_n - 1] == ' ')
		base_n--;
	if (!base_n || base_n > INT32_MAX || known < 0)
		return 0;
	return known || names_find(r->events, name, base_n) >= 0 ? (int)base_n : 0;
}

size_t context_base(const struct profile *p, const struct names *events, const char *name)
{
	struct context_profile r = { p, events };

	return (size_t)name_context(name, choose, &r);
}
