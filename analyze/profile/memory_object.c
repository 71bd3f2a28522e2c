/*
 * memory_object.c: types of memory with their owners and sites, and the text that identifies them.
 */
#include "analyze/profile/memory_object.h"

#include <string.h>

#define OWNED_BY " <= "
#define AT	 " @ "
#define ALL	 "(all)"

/* Of two words with the same beginning, the longer one must be first. */
static const struct {
	const char *word;
	enum memory_number number;
} words[] = {
	{"alloc", NUMBER_ALLOC},
	{"free", NUMBER_FREE},
	{"retyped", NUMBER_RETYPED},
	{"live objects", NUMBER_LIVE_OBJECTS},
	{"live", NUMBER_LIVE},
	{"peak objects", NUMBER_PEAK_OBJECTS},
	{"peak", NUMBER_PEAK},
	{"lost", NUMBER_LOST},
	{"indirectly lost", NUMBER_INDIRECT},
	{"reachable", NUMBER_REACHABLE},
	{"inner bytes", NUMBER_INNER},
};
#define WORDS (sizeof(words) / sizeof(*words))

const char *memory_number_word(enum memory_number n)
{
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].number == n)
			return words[i].word;
	return "";
}

enum memory_number memory_number_read(const char *name, const char **text)
{
	for (size_t i = 0; i < WORDS; i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(name, words[i].word, n) || name[n] != ' ' || !name[n + 1])
			continue;
		*text = name + n + 1;
		return words[i].number;
	}
	return NUMBER_NONE;
}

char *memory_text(const char *type, const char *owner, const char *site)
{
	return mem_join(type, owner ? OWNED_BY : "", owner ? owner : "", site ? AT : "",
			site ? site : "", NULL);
}

char *memory_object_owners(const struct memory_object *o, size_t n)
{
	size_t length = 1, at = 0;
	char *chain;

	n = n < o->owner_n ? n : o->owner_n;
	for (size_t i = 0; i < n; i++)
		length += strlen(o->owner[i]) + strlen(OWNED_BY);
	chain = n ? mem_alloc(length) : NULL;
	for (size_t i = 0; i < n; i++) {
		size_t more = strlen(o->owner[i]);

		if (i) {
			memcpy(chain + at, OWNED_BY, strlen(OWNED_BY));
			at += strlen(OWNED_BY);
		}
		memcpy(chain + at, o->owner[i], more + 1);
		at += more;
	}
	return chain;
}

char *memory_object_text(const struct memory_object *o)
{
	char *owner, *text;

	if (!o->type)
		return mem_string(ALL);
	owner = memory_object_owners(o, o->owner_n);
	text = memory_text(o->type, owner, o->site);
	free(owner);
	return text;
}

static void read_owners(struct memory_object *o, const char *from, const char *end)
{
	size_t cap = 0;

	while (from) {
		const char *next = strstr(from, OWNED_BY);

		next = next && next < end ? next : NULL;
		if (o->owner_n == cap) {
			cap = 2 * cap + 4;
			o->owner = mem_resize(o->owner, cap, sizeof(*o->owner));
		}
		o->owner[o->owner_n++] =
			mem_printf("%.*s", (int)((next ? next : end) - from), from);
		from = next ? next + strlen(OWNED_BY) : NULL;
	}
}

void memory_object_read(struct memory_object *o, const char *text)
{
	const char *at = strstr(text, AT), *end = at ? at : text + strlen(text);
	const char *owner = strstr(text, OWNED_BY);
	struct memory_class c;

	memset(o, 0, sizeof(*o));
	if (!strcmp(text, ALL))
		return;
	owner = owner && owner < end ? owner : NULL;
	o->type = mem_printf("%.*s", (int)((owner ? owner : end) - text), text);
	if (owner)
		read_owners(o, owner + strlen(OWNED_BY), end);
	o->site = at ? mem_string(at + strlen(AT)) : NULL;
	c = memory_class_read(o->type);
	o->kind = c.kind;
	o->family = c.family;
	o->library = c.library ? mem_printf("%.*s", (int)c.library_n, c.library) : NULL;
}

void memory_object_release(struct memory_object *o)
{
	for (size_t i = 0; i < o->owner_n; i++)
		free(o->owner[i]);
	free(o->owner);
	free(o->type);
	free(o->library);
	free(o->site);
	memset(o, 0, sizeof(*o));
}

static char *copy(const char *text)
{
	return text ? mem_string(text) : NULL;
}

uint32_t memory_objects_add(struct memory_objects *all, const struct memory_object *o)
{
	char *text = memory_object_text(o);
	uint32_t id = names_add(&all->names, text, strlen(text));
	struct memory_object *to;

	free(text);
	if (id != all->v_n)
		return id;
	to = array_add(all, v);
	*to = *o;
	to->type = copy(o->type);
	to->library = copy(o->library);
	to->site = copy(o->site);
	to->owner = o->owner_n ? mem_alloc(o->owner_n * sizeof(*to->owner)) : NULL;
	for (size_t i = 0; i < o->owner_n; i++)
		to->owner[i] = mem_string(o->owner[i]);
	return id;
}

void memory_objects_release(struct memory_objects *all)
{
	for (size_t i = 0; i < all->v_n; i++)
		memory_object_release(&all->v[i]);
	free(all->v);
	names_release(&all->names);
	memset(all, 0, sizeof(*all));
}
