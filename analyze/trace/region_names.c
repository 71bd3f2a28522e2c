/* region_names.c: matches what users write with the names of regions. */
#include "analyze/trace/region_names.h"

#include <string.h>

#include "analyze/base/nearest.h"
#include "analyze/trace/timer_name.h"

enum { MATCH_NONE, MATCH_CALLED, MATCH_INNERMOST, MATCH_NO_TYPE,
       MATCH_NO_ARGUMENTS, MATCH_NO_PLACE, MATCH_FULL };

/* Length of the name without its source position. */
static size_t length_placeless(const char *name)
{
	const char *place = strstr(name, " [{");

	return place && place > name ? (size_t)(place - name) : strlen(name);
}

/*
 * Does the bracket at `at` open the arguments? That of operator() and of (anonymous namespace) does
 * not.
 */
static int opens_arguments(const char *name, size_t at)
{
	static const char call[] = "operator";

	if (name[at + 1] == 'a' && !strncmp(name + at, "(anonymous", 10))
		return 0;
	return at > 0 && !(at >= sizeof(call) - 1 && name[at + 1] == ')' &&
			   !strncmp(name + at - (sizeof(call) - 1), call, sizeof(call) - 1));
}

/*
 * Length of the first n characters without an argument list, which begins with the first bracket
 * outside of < and >.
 */
static size_t length_bare(const char *name, size_t n)
{
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (name[i] == '<')
			depth++;
		else if (name[i] == '>' && depth)
			depth--;
		else if (name[i] == '(' && !depth && opens_arguments(name, i))
			return i;
	}
	return n;
}

/*
 * Where the name begins that follows a return type, in the first n characters, which hold no
 * arguments.
 */
static size_t typeless(const char *name, size_t n)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		depth += name[i] == '<';
		depth -= name[i] == '>' && depth;
		if (name[i] == ' ' && !depth)
			begin = i + 1;
	}
	return begin;
}

/*
 * Where the innermost name begins, and in *end where it ends, in the first n characters, which hold
 * no arguments.
 */
static size_t innermost(const char *name, size_t n, size_t *end)
{
	size_t begin = 0;
	int depth = 0;

	*end = n;
	for (size_t i = 0; i < n; i++) {
		if (name[i] == '<' && !depth++ && i > begin)
			*end = i;
		else if (name[i] == '>' && depth)
			depth--;
		if (depth || (name[i] != ' ' && name[i] != ':'))
			continue;
		begin = i + 1;
		*end = n;
	}
	return begin;
}

/* Length of the name of what is called at a call site; 0: the region is not a call site. */
static size_t length_called(const char *name)
{
	const char *site = strstr(name, REGION_CALL_SITE);

	return site ? (size_t)(site - name) : 0;
}

/* Matches the first `placeless` characters of a region's name. */
static int name_match(const char *region, size_t placeless, const char *name, size_t n)
{
	size_t bare = length_bare(region, placeless), begin, end;

	if (placeless == n && !strncmp(region, name, n))
		return MATCH_NO_PLACE;
	if (bare == n && !strncmp(region, name, n))
		return MATCH_NO_ARGUMENTS;
	begin = typeless(region, bare);
	if (begin && bare - begin == n && !strncmp(region + begin, name, n))
		return MATCH_NO_TYPE;
	begin = innermost(region, bare, &end);
	return n && end - begin == n && !strncmp(region + begin, name, n) ? MATCH_INNERMOST
									  : MATCH_NONE;
}

/* "libgomp.so.1+0x1cc40", as reports print "addr=<0x1cc40> [libgomp.so.1]" */
static int is_address(const char *region, const char *name, size_t n)
{
	struct name_address code;

	return name_address(region, &code) && n == code.module_n + 1 + code.at_n &&
	       !strncmp(name, code.module, code.module_n) && name[code.module_n] == '+' &&
	       !strncmp(name + code.module_n + 1, code.at, code.at_n);
}

static int region_match(const char *region, const char *name, size_t n)
{
	size_t called = length_called(region), placeless = length_placeless(region);

	if (!strcmp(region, name))
		return MATCH_FULL;
	if (is_address(region, name, n))
		return MATCH_NO_PLACE;
	if (!called)
		return name_match(region, placeless, name, n);
	if (placeless == n && !strncmp(region, name, n))
		return MATCH_NO_PLACE;
	return name_match(region, called, name, n) ? MATCH_CALLED : MATCH_NONE;
}

/* Do both names belong to what the user has named? */
static int same_region(int match, const char *a, const char *b)
{
	size_t called = length_called(a);

	if (match != MATCH_CALLED)
		return !strcmp(a, b);
	return called == length_called(b) && !strncmp(a, b, called);
}

int region_find_in(const struct region_list *l, const char *name, struct regions *out,
		   const char *where, struct error *e)
{
	size_t n = strlen(name), other = SIZE_MAX;
	int best = MATCH_NONE;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < l->n; i++) {
		const char *full = l->name(l->of, i);
		int match = region_match(full, name, n);

		if (match == MATCH_NONE || match < best)
			continue;
		if (match > best) {
			best = match;
			out->v_n = 0;
			other = SIZE_MAX;
		}
		if (!out->v_n || same_region(match, l->name(l->of, out->v[0]), full))
			*array_add(out, v) = (uint32_t)i;
		else if (other == SIZE_MAX)
			other = i;
	}
	if (other == SIZE_MAX)
		return out->v_n > 0;
	error_set(e, ERROR_INPUT, "%s: '%s' is '%s' or '%s': use the full name", where, name,
		  l->name(l->of, out->v[0]), l->name(l->of, other));
	free(out->v);
	memset(out, 0, sizeof(*out));
	return e->code;
}

/* ---- suggestions ---- */

const char *region_near_in(const struct region_list *l, const char *name)
{
	struct nearest near;

	nearest_begin(&near, name);
	for (size_t i = 0; i < l->n; i++) {
		const char *full = l->name(l->of, i);
		size_t bare = length_bare(full, length_placeless(full)), end;
		size_t begin = innermost(full, bare, &end);

		if (end > begin)
			nearest_try(&near, full + begin, end - begin, full);
	}
	return near.best;
}

/* ---- regions of a trace ---- */

static const char *trace_name(const void *of, size_t i)
{
	return ((const struct trace *)of)->region[i].name;
}

int region_find(const struct trace *t, const char *name, struct regions *out, const char *where,
		struct error *e)
{
	return region_find_in(&(struct region_list){t, t->region_n, trace_name}, name, out, where,
			      e);
}

const char *region_near(const struct trace *t, const char *name)
{
	return region_near_in(&(struct region_list){t, t->region_n, trace_name}, name);
}
