/* loaded.h: for targets that compare the profiles made with a kept file with those that replay makes. */
#ifndef FUZZ_LOADED_H
#define FUZZ_LOADED_H

#include "convert/load.h"

struct loaded {
	struct profile **v;
	size_t n; /* 0: it cannot be loaded */
};

/* The profiles of these windows, without what names a damaged file. */
static inline struct loaded loaded_get(const char *path, const char **window, size_t windows, enum index_policy how)
{
	struct load_options o = {.window = window, .window_n = windows, .callpath_depth = -1, .index = how};
	struct loaded l = {0};
	struct error e = {0};

	if (load_path_profiles(path, &o, &l.v, &l.n, &e))
		l.n = 0;
	for (size_t i = 0; i < l.n; i++)
		profile_set_meta(l.v[i], UINT32_MAX, "TAU Notes", "");
	return l;
}

static inline void loaded_release(struct loaded *l)
{
	for (size_t i = 0; i < l->n; i++)
		profile_free(l->v[i]);
	free(l->v);
}

#endif
