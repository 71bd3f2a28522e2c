/*
 * rule.c: objects of other object systems, identified by the user's rules: at an offset of the
 * object there is a pointer to its class, perhaps through further pointers, and there the name.
 *
 *   object + offset_1 -> class + offset_2 -> ... + offset_n: the name, or a pointer to it
 *
 * tau-record reads the rules from a file and checks them (cmd/record/options/types.c describes their
 * syntax). Only pointers into loaded objects are followed, and, if the rule allows it, pointers
 * into live blocks.
 */
#include <string.h>
#include "census.h"
#include "library.h"
#include "rule.h"
#include "census_read.h"
#include "rule_table.h"

#define CLASS_LENGTH 200

/* Reads of loaded data, or of live blocks where the rule has them there; how much there is, 0: none. */
static size_t peek(const struct rule *r, const struct census *c, uintptr_t from, void *to,
		   size_t most)
{
	const struct library_segment *s = segment_known(from);
	const struct census_block *b = s || !r->heap ? NULL : census_block_at(c, from);
	uintptr_t end = s ? s->end : b ? b->address + b->size : from;

	return end > from ? census_copy(to, from, end - from < most ? end - from : most) : 0;
}

static uintptr_t pointer(const struct rule *r, const struct census *c, uintptr_t from)
{
	uintptr_t w;

	return !(from & 7) && peek(r, c, from, &w, sizeof(w)) == sizeof(w) ? w : 0;
}

/* * is any characters, ? any one. */
static int matches(const char *glob, const char *name)
{
	for (; *glob && *glob != '*'; glob++, name++)
		if (!*name || (*glob != '?' && *glob != *name))
			return 0;
	if (!*glob)
		return !*name;
	for (;; name++) {
		if (matches(glob + 1, name))
			return 1;
		if (!*name)
			return 0;
	}
}

static int from_library(const struct rule *r, uintptr_t address)
{
	const struct library_segment *s = segment_known(address);

	return s && matches(r->library, library_get(s->library)->name);
}

/* As a name of a type looks: printable, and it begins with a letter or with "_". */
static int good(const char *name, size_t n)
{
	size_t i;

	if (!((name[0] | 32) >= 'a' && (name[0] | 32) <= 'z') && name[0] != '_')
		return 0;
	for (i = 0; i < n && name[i]; i++)
		if (name[i] < 32 || name[i] > 126)
			return 0;
	return i < n;
}

int rule_name(char *name, const struct census *c, unsigned rule, uintptr_t class)
{
	const struct rule *r = &rules[rule];
	size_t prefix = strlen(r->prefix), n;
	uintptr_t at = class;
	unsigned i;

	for (i = 1; at && i + !r->string < r->n; i++)
		at = pointer(r, c, at + (uintptr_t)r->offset[i]);
	if (at && !r->string)
		at += (uintptr_t)r->offset[i];
	if (!at || (*r->library && !from_library(r, class) && !from_library(r, at)))
		return 0;
	memcpy(name, r->prefix, prefix);
	n = peek(r, c, at, name + prefix, CLASS_LENGTH + 1);
	return n && good(name + prefix, n);
}

uintptr_t rule_class(const struct census *c, unsigned rule, const struct census_block *b)
{
	const struct rule *r = &rules[rule];
	size_t at = (size_t)r->offset[0];
	uintptr_t class;

	if (b->size < r->min || b->size > r->max || b->size < at + sizeof(class) ||
	    census_read_block(&class, b, at, sizeof(class)) != sizeof(class) ||
	    class < 4096 || (class & 7))
		return 0;
	return segment_known(class) || (r->heap && census_block_at(c, class)) ? class : 0;
}

int rule_varying(unsigned rule)
{
	return rules[rule].varying;
}
