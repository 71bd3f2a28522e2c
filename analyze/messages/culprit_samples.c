/* culprit_samples.c: samples outside of all regions, as a tree of the functions of the program. */
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/culprits.h"

#define LIBRARY (UINT32_MAX - 1) /* MAP_NONE is none of its values */

/* Libraries that a program calls to compute, wait or send: its own functions are their callers. */
static int is_runtime(const char *file)
{
	static const char *const names[] = {
		"libc.so",    "libc-",	  "libm.so",   "libm-",	 "ld-linux", "ld-musl",
		"libpthread", "libstdc++", "libgcc_s", "libmpi", "libopen-", "liboshmem",
		"libpmix",    "libevent", "libucs",    "libucp", "libuct",   "libhwloc",
		"mca_",	      "libgomp",  "libomp",    "libfabric", "libtau"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(file, names[i], strlen(names[i])))
			return 1;
	return 0;
}

/* The number of its function's name; LIBRARY also for _start(). */
static uint32_t name_of(struct culprits *c, const struct trace *t, uint32_t code)
{
	uint32_t known = map_get(&c->name_of, code);
	struct trace_place place;
	const struct trace_code *f;
	const char *file;

	if (known != MAP_NONE)
		return known;
	place = trace_place(t, code);
	f = &place.code[place.n - 1];
	file = f->module && strrchr(f->module, '/') ? strrchr(f->module, '/') + 1 : f->module;
	known = LIBRARY;
	if (f->name && strcmp(f->name, "_start") != 0 && !(file && is_runtime(file)))
		known = names_add(&c->names, f->name, strlen(f->name));
	map_set(&c->name_of, code, known);
	return known;
}

/* The function below its caller; TRACE_NONE: the root of the stream. */
static uint32_t function_of(struct culprits *c, uint32_t stream, uint32_t caller, uint32_t name,
			    uint32_t code)
{
	uint64_t key = caller == TRACE_NONE ? (uint64_t)1 << 63 | stream
					    : (uint64_t)caller << 32 | name;
	uint32_t at = map_get(&c->function_at, key);

	if (at != MAP_NONE)
		return at;
	at = (uint32_t)c->function_n;
	map_set(&c->function_at, key, at);
	*array_add(c, function) = (struct culprit_function){stream, caller, code, name, 0};
	return at;
}

void culprits_sample(struct culprits *c, const struct trace *t, uint32_t stream,
		     const uint32_t *code, size_t n)
{
	uint32_t at = function_of(c, stream, TRACE_NONE, 0, TRACE_NONE);

	c->function[at].n++;
	while (n--) {
		uint32_t name = name_of(c, t, code[n]);

		if (name == LIBRARY)
			continue;
		at = function_of(c, stream, at, name, code[n]);
		c->function[at].n++;
	}
}

size_t culprits_functions(const struct culprits *c, uint32_t stream, uint32_t *code, size_t most,
			  uint64_t *n, uint64_t *all)
{
	uint32_t at = map_get(&c->function_at, (uint64_t)1 << 63 | stream);
	size_t found = 0;

	*n = *all = at == MAP_NONE ? 0 : c->function[at].n;
	/* A function comes after its caller. */
	for (uint32_t i = at == MAP_NONE ? MAP_NONE : at + 1; i < c->function_n && found < most;
	     i++)
		if (c->function[i].caller == at && 2 * c->function[i].n >= *all) {
			at = i;
			code[found++] = c->function[i].code;
			*n = c->function[i].n;
		}
	return found;
}
