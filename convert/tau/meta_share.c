/* meta_share.c: attributes of threads -> attributes of the trial, by the rules of meta_share.h. */
#include "convert/tau/meta_share.h"

#include <string.h>

void meta_share_begin(struct meta_share *s, const struct profile_attribute *a, size_t n,
		      int32_t node)
{
	s->node = node;
	s->threads = 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t id = names_add(&s->name, a[i].name, strlen(a[i].name));

		if (id == s->v_n)
			*array_add(s, v) = (struct meta_shared){.seen = 1};
		free(s->v[id].value);
		s->v[id].value = mem_string(a[i].value);
	}
}

void meta_share_look(struct meta_share *s, const struct profile_attribute *a, size_t n,
		     int32_t node)
{
	s->threads++;
	for (size_t i = n; i-- > 0;) { /* the last of a name holds */
		int64_t id = names_find(&s->name, a[i].name, strlen(a[i].name));
		struct meta_shared *to = id < 0 ? NULL : &s->v[id];

		if (!to || to->seen == s->threads)
			continue;
		if (!strcmp(to->value, a[i].value))
			s->repeated |= node != s->node;
		else
			to->own = to->differs = 1;
		to->seen = s->threads;
	}
	for (size_t id = 0; id < s->v_n; id++)
		if (s->v[id].seen != s->threads)
			s->v[id].own = s->v[id].lacking = 1;
}

int meta_share_whole(const struct meta_share *s, size_t id)
{
	const struct meta_shared *a = &s->v[id];

	return !a->own || (a->lacking && (!a->differs || !s->repeated));
}

int meta_share_everywhere(const struct meta_share *s, const char *name)
{
	int64_t id = names_find(&s->name, name, strlen(name));

	return id >= 0 && !s->v[id].own;
}

void meta_share_release(struct meta_share *s)
{
	for (size_t i = 0; i < s->v_n; i++)
		free(s->v[i].value);
	names_release(&s->name);
	free(s->v);
}
