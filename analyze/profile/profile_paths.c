/* profile_paths.c: kinds of timers, and the names of call paths. */
#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"

#include <string.h>

enum profile_timer_kind profile_timer_kind(const struct profile_timer *t)
{
	static const char *const stack[] = {"[CONTEXT] ", "[UNWIND] ", "[INTERMEDIATE] ",
					    "[SUMMARY] "};

	if (*t->name != '[')
		return TIMER_MEASURED;
	for (size_t i = 0; i < sizeof(stack) / sizeof(*stack); i++)
		if (!strncmp(t->name, stack[i], strlen(stack[i])))
			return TIMER_STACK;
	return profile_timer_code(t->name) ? TIMER_SAMPLE : TIMER_MEASURED;
}

const char *profile_timer_code(const char *name)
{
	size_t n = strlen(TIMER_SAMPLE_PREFIX);

	return strncmp(name, TIMER_SAMPLE_PREFIX, n) ? NULL : name + n;
}

uint32_t profile_path_measured(const struct profile *p, uint32_t path)
{
	while (path != PROFILE_FLAT &&
	       profile_timer_kind(&p->timer[p->path[path].timer]) != TIMER_MEASURED)
		path = p->path[path].parent;
	return path;
}

/* Computes the length first and writes from the end, because a path refers only to its parent. */
size_t profile_path_name(const struct profile *p, uint32_t path, char *buf, size_t size)
{
	static const char arrow[] = " => ";
	size_t length = 0, end;

	for (uint32_t i = path; i != PROFILE_FLAT; i = p->path[i].parent)
		length += strlen(p->timer[p->path[i].timer].name) +
			  (i == path ? 0 : sizeof(arrow) - 1);
	if (!size)
		return length;
	end = length;
	for (uint32_t i = path; i != PROFILE_FLAT; i = p->path[i].parent) {
		const char *part[2] = { arrow, p->timer[p->path[i].timer].name };

		for (int k = i != path ? 0 : 1; k < 2; k++) {
			size_t n = strlen(part[k]);

			end -= n;
			if (end < size)
				memcpy(buf + end, part[k], n < size - end ? n : size - end);
		}
	}
	buf[length < size ? length : size - 1] = 0;
	return length;
}

char *profile_path_text(const struct profile *p, uint32_t path)
{
	size_t n = profile_path_name(p, path, NULL, 0) + 1;
	char *s = mem_alloc(n);

	profile_path_name(p, path, s, n);
	return s;
}

static size_t levels_of(const struct profile *p, uint32_t path)
{
	size_t n = 0;

	for (; path != PROFILE_FLAT; path = p->path[path].parent)
		n++;
	return n;
}

/* The texts differ, or one ends, at the first name in which the paths differ, unless one of the two
 * names begins with the other. */
int profile_path_order(const struct profile *p, uint32_t a, uint32_t b)
{
	size_t levels_a = levels_of(p, a), levels_b = levels_of(p, b);
	uint32_t x = a, y = b;
	const char *first, *second;
	char *text_a, *text_b;
	int order;

	for (size_t i = levels_a; i > levels_b; i--)
		x = p->path[x].parent;
	for (size_t i = levels_b; i > levels_a; i--)
		y = p->path[y].parent;
	if (x == y)
		return (levels_a > levels_b) - (levels_a < levels_b);
	while (p->path[x].parent != p->path[y].parent) {
		x = p->path[x].parent;
		y = p->path[y].parent;
	}
	first = p->timer[p->path[x].timer].name;
	second = p->timer[p->path[y].timer].name;
	for (; *first && *first == *second; first++)
		second++;
	if (*first && *second)
		return (unsigned char)*first < (unsigned char)*second ? -1 : 1;
	text_a = profile_path_text(p, a);
	text_b = profile_path_text(p, b);
	order = strcmp(text_a, text_b);
	free(text_a);
	free(text_b);
	return order;
}

int profile_has_samples(const struct profile *p)
{
	for (size_t i = 0; i < p->timer_n; i++)
		if (profile_timer_kind(&p->timer[i]) == TIMER_SAMPLE)
			return 1;
	return 0;
}

int profile_has_regions(const struct profile *p)
{
	for (size_t i = 0; i < p->timer_n; i++)
		if (profile_timer_kind(&p->timer[i]) == TIMER_MEASURED &&
		    strcmp(p->timer[i].name, REGION_ROOT) != 0)
			return 1;
	return 0;
}

char *profile_sample_text(const struct profile *p, const struct profile_sample *s)
{
	char *path, *text;

	if (s->path == PROFILE_FLAT)
		return mem_string(p->counter[s->counter].name);
	path = profile_path_text(p, s->path);
	text = mem_printf("%s : %s", p->counter[s->counter].name, path);
	free(path);
	return text;
}
