/* profile_text.h: a profile as one string, to compare profiles whole. Numbers are written exactly. */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"

static int profile_text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One line a row, sorted. Free it. */
__attribute__((unused)) static char *profile_text(struct profile *p)
{
	char **line = NULL, *all, *to, name[1000];
	size_t n = 0, cap = 0, bytes = 1;

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		for (size_t r = 0; r < t->row_n + t->sample_n; r++) {
			if (n == cap)
				line = array_grow(line, &cap, sizeof(*line));
			if (r < t->row_n) {
				const struct profile_row *x = &t->row[r];

				profile_path_name(p, x->path, name, sizeof(name));
				line[n] = mem_printf("%d %d %s: %a %a %a %a\n", t->node, t->thread, name, x->calls,
						     x->subrs, *profile_excl(p, t, x), *profile_incl(t, x));
			} else {
				const struct profile_sample *x = &t->sample[r - t->row_n];

				name[0] = 0;
				if (x->path != PROFILE_FLAT)
					profile_path_name(p, x->path, name, sizeof(name));
				line[n] = mem_printf("%d %d %s : %s: %a %a %a %a %a\n", t->node, t->thread,
						     p->counter[x->counter].name, name, x->n, x->max, x->min,
						     x->mean, x->sumsq);
			}
			bytes += strlen(line[n++]);
		}
	}
	if (n)
		qsort(line, n, sizeof(*line), profile_text_compare);
	to = all = mem_alloc(bytes);
	for (size_t i = 0; i < n; i++) {
		to = stpcpy(to, line[i]);
		free(line[i]);
	}
	free(line);
	return all;
}

#endif
