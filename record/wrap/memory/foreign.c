/*
 * foreign.c: objects of C++ and of CPython, told in a census by what they begin with, and those that rules tell.
 *
 * C++: the first word is the address of a virtual table, the word before that leads to the
 * type_info, which has the name; stripped programs keep all of these. CPython: the second word is
 * the address of the type, which has the name; where the collector looks after the object a header
 * of 16 bytes comes first, and one of 32 where it has attributes of its own. That only holds when
 * each object is a block of its own, PYTHONMALLOC=malloc. Only in a census: while an object is
 * built or torn down its table is that of a base class.
 *
 * A block is one object of a C++ class only if it is as large as the smallest block that begins
 * with that table, and the table does not appear again inside: otherwise an arena would have the
 * type of the first object in it. So it is with what the rules of the user's tell (rule.c), unless one says that sizes vary.
 */
#include <string.h>
#include "memory.h"

#define HASH             8192u /* tables and types that are told apart */
#define NAME_MOST        RULE_NAME
#define OBJECT_MOST      4095u      /* read directly, see slab.c */
#define PYTHON_COLLECTED (1u << 14) /* tp_flags */
#define PYTHON_DICT      (1u << 4)
#define PYTHON_WEAK      (1u << 3)
#define META_MOST        4 /* types of types above a type */

struct foreign {
	uintptr_t key;  /* table, or type */
	size_t size;    /* of the smallest block */
	unsigned class; /* 0: it is no type, or not yet entered */
	uint8_t family; /* 0: looked at, and it is none */
};

static uintptr_t word(uintptr_t address)
{
	uintptr_t w = 0;

	return segment_known(address) && segment_known(address + 7) ? *(const uintptr_t *)address
								    : w;
}

/* A printable name of loaded data or of a live block; 0 when it is none. */
static int text(char *name, const struct census *c, uintptr_t from)
{
	const struct segment *s = segment_known(from);
	const struct census_block *b = s ? NULL : census_block_at(c, from);
	uintptr_t end = s ? s->end : b ? b->address + b->size : from;
	size_t most = end - from < NAME_MOST ? end - from : NAME_MOST, i;

	for (i = 0; i < most && ((const char *)from)[i]; i++) {
		name[i] = ((const char *)from)[i];
		if (name[i] < 32 || name[i] > 126)
			return 0;
	}
	if (i == most || !i)
		return 0;
	name[i] = 0;
	return 1;
}

/* The name of the type_info at an address; internal ones have a star in front. */
static int type_info(char *name, const struct census *c, uintptr_t info)
{
	uintptr_t from = word(info + 8);

	if ((info & 7) || !segment_known(from) || !text(name, c, from))
		return 0;
	if (name[0] == '*')
		memmove(name, name + 1, strlen(name));
	return (name[0] >= '1' && name[0] <= '9') || name[0] == 'N' || name[0] == 'S';
}

/* A virtual table of an object that begins here: its type_info is itself an object of a class for
 * classes. */
static int virtual_table(char *name, const struct census *c, uintptr_t table)
{
	const struct segment *code;
	uintptr_t info, kind;
	char meta[NAME_MOST];

	if ((table & 7) || !segment_known(table) || !segment_known(table - 16) || word(table - 16))
		return 0;
	info = word(table - 8);
	code = segment_known(word(table));
	if (!info || !code || code->writable || !type_info(name, c, info))
		return 0;
	kind = word(info);
	return kind && !(kind & 7) && type_info(meta, c, word(kind - 8)) &&
	       !strncmp(meta, "N10__cxxabiv1", 13);
}

/* The word at an address of loaded data or inside a live block. */
static uintptr_t data_word(const struct census *c, uintptr_t address)
{
	const struct census_block *b;

	if (address & 7)
		return 0;
	if (segment_known(address))
		return word(address);
	b = census_block_at(c, address);
	return b && address + 8 <= b->address + b->size ? *(const uintptr_t *)address : 0;
}

/* A type of CPython: the type of its type, and so on, is the one that is its own and is called
 * "type". */
static int python_type(char *name, const struct census *c, uintptr_t type)
{
	uintptr_t up = type, next;
	char meta[NAME_MOST];
	int i;

	for (i = 0; i < META_MOST; i++) {
		next = data_word(c, up + 8);
		if (!next)
			return 0;
		if (next == up)
			break;
		up = next;
	}
	return next == up && text(meta, c, data_word(c, up + 24)) && !strcmp(meta, "type") &&
	       text(name, c, data_word(c, type + 24));
}

static struct foreign *slot(struct foreign *table, uintptr_t key, unsigned family)
{
	uint32_t at = (uint32_t)((key >> 3) * 0x9e3779b97f4a7c15ULL >> 51), i;

	for (i = 0; i < HASH; i++, at++) {
		struct foreign *f = &table[at & (HASH - 1)];

		if (!f->key || (f->key == key && f->family == family))
			return f;
	}
	return NULL;
}

/* The name of what a key is; each rule is a family of its own here, from FAMILY_RULE on. */
static int key_name(char *name, const struct census *c, uintptr_t key, unsigned family)
{
	if (family == FAMILY_CXX)
		return virtual_table(name, c, key);
	if (family == FAMILY_PYTHON)
		return python_type(name, c, key);
	return rule_name(name, c, family - FAMILY_RULE, key);
}

/* What a key is, looked up once. */
static struct foreign *look(struct foreign *table, const struct census *c, uintptr_t key,
			    unsigned family)
{
	struct foreign *f = slot(table, key, family);
	char name[NAME_MOST];

	if (!f || f->key)
		return f;
	if (!key_name(name, c, key, family))
		return NULL; /* not kept: keys that are none are many */
	f->class = class_add_foreign(key, name, family < FAMILY_RULE ? family : FAMILY_RULE);
	if (!f->class)
		return NULL;
	f->key = key;
	f->family = (uint8_t)family;
	f->size = SIZE_MAX;
	return f;
}

static struct foreign *cxx_of(struct foreign *table, const struct census *c,
			      const struct census_block *b)
{
	uintptr_t key;

	if (b->size < 8 || b->size > OBJECT_MOST)
		return NULL;
	key = *(const uintptr_t *)b->address;
	return key && segment_known(key) ? look(table, c, key, FAMILY_CXX) : NULL;
}

/* What comes before an object of a type, by its flags. */
static size_t python_head(uintptr_t flags)
{
	if (!(flags & PYTHON_COLLECTED))
		return 0;
	return flags & (PYTHON_DICT | PYTHON_WEAK) ? 32 : 16;
}

/* A reference count, then the type; its basic size must fit, and what comes before. */
static struct foreign *python_at(struct foreign *table, const struct census *c, uintptr_t object,
				 size_t size, size_t head)
{
	const uintptr_t *w = (const uintptr_t *)object;
	struct foreign *f;

	if (size < 16 || !w[0] || w[0] >> 32 || (w[1] & 7) || w[1] < 4096)
		return NULL;
	f = look(table, c, w[1], FAMILY_PYTHON);
	if (!f || data_word(c, w[1] + 32) > size || python_head(data_word(c, w[1] + 168)) != head)
		return NULL;
	return f;
}

static struct foreign *python_of(struct foreign *table, const struct census *c,
				 const struct census_block *b)
{
	struct foreign *f = NULL;
	size_t head;

	for (head = 0; !f && head <= 32 && head + 16 <= b->size; head += 16)
		f = python_at(table, c, b->address + head, b->size - head, head);
	return f;
}

/* The first rule that holds for a block. */
static struct foreign *rule_of(struct foreign *table, const struct census *c,
			       const struct census_block *b)
{
	struct foreign *f = NULL;
	uintptr_t key;
	unsigned i;

	if (b->size > OBJECT_MOST)
		return NULL;
	for (i = 0; !f && i < rule_n; i++) {
		key = rule_class(c, i, b);
		f = key ? look(table, c, key, FAMILY_RULE + i) : NULL;
	}
	return f;
}

/* The table a second time inside a block: an array, or an arena. */
static int again(const struct census_block *b, uintptr_t key)
{
	size_t i, n = 0;

	for (i = 0; n < 2 && i + 8 <= b->size; i += 8)
		n += *(const uintptr_t *)(b->address + i) == key;
	return n > 1;
}

/* Is a block one object of what its key says? */
static int alone(const struct census_block *b, const struct foreign *f)
{
	int varying = f->family >= FAMILY_RULE && rule_varying(f->family - FAMILY_RULE);

	return (varying || b->size == f->size) && !again(b, f->key);
}

static int candidate(const struct census_block *b)
{
	unsigned kind = nodes[b->now].kind;

	return !(b->address & 7) &&
	       (kind == NODE_UNTYPED ||
		(kind == NODE_CLASS && classes[nodes[b->now].id].family >= FAMILY_CXX));
}

void foreign_find(struct census *c)
{
	struct foreign *table = area_map(HASH * sizeof(*table)), *f;
	int pass;
	size_t i;

	if (!table)
		return;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < c->n; i++) {
			struct census_block *b = &c->at[i];

			if (!candidate(b))
				continue;
			f = cxx_of(table, c, b);
			/* Its type says how large an object of CPython is: no other need be known first. */
			if (!f && (pass || rule_n)) {
				f = python_of(table, c, b);
				if (f && pass)
					b->now = node_change(b->node, NODE_CLASS, f->class,
							     nodes[b->node].owner);
				if (f)
					continue;
				f = rule_of(table, c, b);
			}
			if (f && pass && alone(b, f))
				b->now = node_change(b->node, NODE_CLASS, f->class,
						     nodes[b->node].owner);
			if (f && !pass && b->size < f->size)
				f->size = b->size;
		}
	}
	area_unmap(table, HASH * sizeof(*table));
}
