/*
 * foreign.c: objects of C++ and of CPython, identified in a census by their first words, and those
 * that rules identify.
 *
 * C++: the first word is the address of a virtual table (vtable.c). CPython: the second word is the
 * address of the type, which has the name; an object of a type with garbage collection has a header
 * of 16 bytes before it, one with attributes of its own a header of 32 bytes and, from 3.13 on,
 * their values after it. That holds only if each object is a block of its own, PYTHONMALLOC=malloc.
 * Only in a census: while an object is constructed or destroyed its table is that of a base class.
 *
 * A block is one object of a C++ class only if it has a size that the code of the class frees; if
 * the code contains no size, only if it is as large as the smallest of several blocks that begin
 * with that table, and the table does not appear again inside: otherwise an arena would have the
 * type of the first object in it, and a structure that of its first member. The same holds for
 * objects that the user's rules identify (rule.c), unless a rule allows sizes that vary.
 */
#include <stdlib.h>
#include <string.h>
#include "area.h"
#include "census.h"
#include "class.h"
#include "library.h"
#include "metadata.h"
#include "node.h"
#include "rule.h"
#include "tau.h"
#include "vtable.h"
#include "census_read.h"
#include "rule_table.h"

#define HASH             8192u /* tables and types that are distinguished */
#define NAME_MOST        RULE_NAME
#define COOKIE_MOST      4096u /* limit for the bytes before the objects of an array */
#define PYTHON_COLLECTED (1u << 14) /* tp_flags */
#define PYTHON_DICT      (1u << 4)
#define PYTHON_WEAK      (1u << 3)
#define PYTHON_INLINE    (1u << 2) /* from 3.13 on: the values of the attributes follow the object */
#define PYTHON_STRING    (1u << 28)
#define PYTHON_ASCII     40u
#define META_MOST        4 /* types of types above a type */

struct foreign {
	uintptr_t key;	/* table, or type */
	size_t size;	/* of the smallest block */
	size_t n;	/* blocks of that size */
	unsigned class; /* 0: it is no type, or not yet entered */
	uint8_t family; /* 0: looked at, and it is none */
	uint8_t own_n;
	uint32_t own[SIZES_MOST]; /* of objects, by the code of a C++ class */
};

/* All of a walk's work. */
struct find {
	struct foreign *table;
	struct census *c;
	struct read_window *w;
};

/* The word at an address of loaded data or inside a live block. */
static uintptr_t data_word(const struct census *c, uintptr_t address)
{
	const struct census_block *b;

	if (address & 7)
		return 0;
	if (segment_known(address))
		return loaded_word(address);
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
	return next == up && loaded_text(meta, c, data_word(c, up + 24)) && !strcmp(meta, "type") &&
	       loaded_text(name, c, data_word(c, type + 24));
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
		return vtable_name(name, c, key);
	if (family == FAMILY_PYTHON)
		return python_type(name, c, key);
	return rule_name(name, c, family - FAMILY_RULE, key);
}

/* What a key is, looked up once. */
static struct foreign *look(const struct find *t, uintptr_t key, unsigned family)
{
	struct foreign *f = slot(t->table, key, family);
	char name[NAME_MOST];

	if (!f || f->key)
		return f;
	if (!key_name(name, t->c, key, family))
		return NULL; /* not kept: keys that are none are many */
	f->class = class_add_foreign(key, name, family < FAMILY_RULE ? family : FAMILY_RULE);
	if (!f->class)
		return NULL;
	f->key = key;
	f->family = (uint8_t)family;
	f->size = SIZE_MAX;
	if (family == FAMILY_CXX)
		f->own_n = (uint8_t)vtable_sizes(key, f->own);
	return f;
}

/* A word of a block, 0 where there is none, or it cannot be read. */
static uintptr_t block_word(const struct find *t, const struct census_block *b, size_t offset)
{
	int good = 1;

	if (offset + 8 > b->size)
		return 0;
	return window_word(t->w, b->address + offset, b->address + (b->size & ~7ul), &good);
}

static struct foreign *cxx_at(const struct find *t, const struct census_block *b, size_t offset)
{
	uintptr_t key = block_word(t, b, offset);

	return key && segment_known(key) ? look(t, key, FAMILY_CXX) : NULL;
}

/* What comes before an object of a type, by its flags. */
static size_t python_head(uintptr_t flags)
{
	if (!(flags & PYTHON_COLLECTED))
		return 0;
	return flags & (PYTHON_DICT | PYTHON_WEAK) ? 32 : 16;
}

/*
 * Are the bytes of a block from an offset on the values of attributes? The word at the offset has,
 * as its first byte, how many there is room for, and a byte for each follows them. There may be one
 * more: a class makes room for fewer, one by one, as it has more objects.
 */
static int python_values(const struct find *t, const struct census_block *b, size_t offset)
{
	size_t n = block_word(t, b, offset) & 0xff, have = b->size - offset;

	return offset < b->size && (have == 8 + n * 8 + (n + 7) / 8 * 8 ||
				    have == 16 + n * 8 + (n + 8) / 8 * 8);
}

/*
 * Can an object of a type have this size? Without items it is as large as its type specifies;
 * datetime omits a time zone, and short strings (PyASCIIObject, with at least the 0) are smaller
 * than the size in the type of strings.
 */
static int python_fits(const struct find *t, const struct census_block *b, const struct foreign *f,
		       uintptr_t flags, size_t size)
{
	size_t basic = data_word(t->c, f->key + 32), item = data_word(t->c, f->key + 40);

	if (flags & PYTHON_STRING)
		return size > PYTHON_ASCII;
	if (item)
		return size >= basic;
	if (flags & PYTHON_INLINE)
		return python_values(t, b, basic + (b->size - size));
	return (size + 7) / 8 == (basic + 7) / 8 ||
	       (size + 8 == basic && !strncmp(classes[f->class].name, "datetime.", 9));
}

/* A reference count, then the type; its size must fit, and what comes before. */
static struct foreign *python_at(const struct find *t, const struct census_block *b, size_t head)
{
	uintptr_t references = block_word(t, b, head), type = block_word(t, b, head + 8), flags;
	struct foreign *f;

	if (!references || references >> 32 || (type & 7) || type < 4096)
		return NULL;
	f = look(t, type, FAMILY_PYTHON);
	flags = f ? data_word(t->c, type + 168) : 0;
	if (!f || python_head(flags) != head || !python_fits(t, b, f, flags, b->size - head))
		return NULL;
	return f;
}

static struct foreign *python_of(const struct find *t, const struct census_block *b)
{
	struct foreign *f = NULL;
	size_t head;

	for (head = 0; !f && head <= 32 && head + 16 <= b->size; head += 16)
		f = python_at(t, b, head);
	return f;
}

/* The first rule that holds for a block. */
static struct foreign *rule_of(const struct find *t, const struct census_block *b)
{
	struct foreign *f = NULL;
	uintptr_t key;
	unsigned i;

	for (i = 0; !f && i < rule_n; i++) {
		key = rule_class(t->c, i, b);
		f = key ? look(t, key, FAMILY_RULE + i) : NULL;
	}
	return f;
}

/* The table a second time inside a block: an array, or an arena. */
static int again(const struct find *t, const struct census_block *b, uintptr_t key)
{
	size_t i, n = 0;

	for (i = 0; n < 2 && i + 8 <= b->size; i += 8)
		n += block_word(t, b, i) == key;
	return n > 1;
}

/* Is a block one object of its class, compared with the other blocks of that class? */
static int alone(const struct find *t, const struct census_block *b, const struct foreign *f)
{
	int varying = f->family >= FAMILY_RULE && rule_varying(f->family - FAMILY_RULE);

	return (varying || b->size == f->size) && !again(t, b, f->key);
}

static int own_size(const struct foreign *f, size_t size)
{
	unsigned i;

	for (i = 0; i < f->own_n; i++)
		if (f->own[i] == size)
			return 1;
	return 0;
}

/*
 * Is a block one object of a C++ class? It must have a size that the code of the class frees. If
 * the code contains no size, there must be several blocks of the same size that begin with the same
 * table.
 */
static int cxx_alone(const struct find *t, const struct census_block *b, const struct foreign *f)
{
	return f->own_n ? own_size(f, b->size) : f->n > 1 && alone(t, b, f);
}

/* Objects of one class and nothing else from an offset to the end? */
static int cxx_row(const struct find *t, const struct census_block *b, const struct foreign *f,
		   size_t first, size_t size)
{
	size_t at;

	if (size & 7)
		return 0;
	for (at = first; at + size <= b->size; at += size)
		if (block_word(t, b, at) != f->key)
			return 0;
	return at == b->size;
}

/* An array: the objects alone, or their number, and perhaps room in front of it, then the objects.
 */
static struct foreign *cxx_array(const struct find *t, const struct census_block *b)
{
	struct foreign *f = cxx_at(t, b, 0);
	size_t cookie, n;
	unsigned i;

	for (i = 0; f && i < f->own_n; i++)
		if (b->size > f->own[i] && cxx_row(t, b, f, 0, f->own[i]))
			return f;
	for (cookie = 8; !f && cookie <= COOKIE_MOST && cookie < b->size; cookie *= 2) {
		n = block_word(t, b, cookie - 8);
		if (!n || (b->size - cookie) % n)
			continue;
		f = cxx_at(t, b, cookie);
		if (f && own_size(f, (b->size - cookie) / n) &&
		    cxx_row(t, b, f, cookie, (b->size - cookie) / n))
			return f;
		f = NULL;
	}
	return NULL;
}

static int candidate(const struct census_block *b)
{
	unsigned kind = nodes[b->now].kind;

	return !(b->address & 7) &&
	       (kind == NODE_UNTYPED ||
		(kind == NODE_CLASS && classes[nodes[b->now].id].family >= FAMILY_CXX));
}

static void become(struct census_block *b, unsigned kind, const struct foreign *f)
{
	b->now = node_change(b->node, kind, f->class, nodes[b->now].owner);
	library_get(b->library)->objects = 1;
}

static void count_one(const struct census_block *b, struct foreign *f)
{
	if (b->size < f->size) {
		f->size = b->size;
		f->n = 0;
	}
	f->n += b->size == f->size;
}

static void find_one(const struct find *t, struct census_block *b, int last)
{
	struct foreign *f = cxx_at(t, b, 0);

	if (f && !last) {
		count_one(b, f);
	} else if (f && cxx_alone(t, b, f)) {
		become(b, NODE_CLASS, f);
	} else if (last && (f = cxx_array(t, b))) {
		become(b, NODE_SLAB, f);
	} else if ((last || rule_n) && !cxx_at(t, b, 0)) {
		/*
		 * The type of a CPython object holds its size: other blocks are not needed to
		 * identify it.
		 */
		f = python_of(t, b);
		if (f && last)
			become(b, NODE_CLASS, f);
		if (f)
			return;
		f = rule_of(t, b);
		if (f && !last)
			count_one(b, f);
		else if (f && alone(t, b, f))
			become(b, NODE_CLASS, f);
	}
}

/* Where the interpreter has small objects in arenas of its own, those found are not all. */
static void python_write(const struct find *t)
{
	const char *allocator = getenv("PYTHONMALLOC");
	uint32_t i;

	for (i = 0; i < HASH && t->table[i].family != FAMILY_PYTHON; i++)
		;
	if (i < HASH && (!allocator || strncmp(allocator, "malloc", 6)))
		tau_meta(TAU_META_MEMORY_CPYTHON,
			 "only objects of more than 512 bytes are seen: the others lie in arenas "
			 "of the interpreter's; PYTHONMALLOC=malloc shows them");
}

void foreign_find(struct census *c)
{
	struct find t = {.c = c};
	int last;
	size_t i;

	t.table = area_map(HASH * sizeof(*t.table));
	t.w = window_new();
	for (last = 0; t.table && t.w && last < 2; last++)
		for (i = 0; i < c->n; i++)
			if (candidate(&c->at[i]))
				find_one(&t, &c->at[i], last);
	if (t.table) {
		python_write(&t);
		area_unmap(t.table, HASH * sizeof(*t.table));
	}
	if (t.w)
		window_free(t.w);
}
