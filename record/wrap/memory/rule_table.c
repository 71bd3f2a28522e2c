/* rule_table.c: the user's rules for other object systems, as tau-record passes them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "rule_table.h"

struct rule rules[RULES];
unsigned rule_n;

static const char *text_parse(char *to, const char *from, char end)
{
	size_t n = 0;

	for (; *from && *from != end; from++)
		if (n + 1 < TEXT)
			to[n++] = *from;
	to[n] = 0;
	return *from ? from + 1 : from;
}

/* One line; NULL when it is not what tau-record writes. */
static const char *rule_parse(struct rule *r, const char *line)
{
	long v[6];
	char *end;
	unsigned i;

	for (i = 0; i < 6; i++, line = end) {
		v[i] = strtol(line, &end, 10);
		if (end == line)
			return NULL;
	}
	if (v[5] < 2 || v[5] > OFFSETS)
		return NULL;
	*r = (struct rule){.string = !!v[0], .heap = !!v[1], .varying = !!v[2],
			   .min = (size_t)v[3], .max = (size_t)v[4], .n = (unsigned)v[5]};
	for (i = 0; i < r->n; i++, line = end) {
		r->offset[i] = strtol(line, &end, 10);
		if (end == line)
			return NULL;
	}
	if (*line != '\t' || r->offset[0] < 0)
		return NULL;
	return text_parse(r->prefix, text_parse(r->library, line + 1, '\t'), '\n');
}

void rule_init(const char *lines)
{
	while (lines && *lines && rule_n < RULES) {
		lines = rule_parse(&rules[rule_n], lines);
		rule_n += lines != NULL;
	}
}

void rule_clear(void *p, size_t size)
{
	unsigned i;

	for (i = 0; i < rule_n; i++)
		if (size >= (size_t)rules[i].offset[0] + sizeof(uintptr_t))
			memset((char *)p + rules[i].offset[0], 0, sizeof(uintptr_t));
	__asm__ volatile("" ::: "memory");
}
