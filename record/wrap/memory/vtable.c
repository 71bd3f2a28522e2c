/*
 * vtable.c: the class name and the object sizes of a C++ virtual table.
 *
 * The word before a table leads to the type_info, which has the name; stripped programs keep all of
 * it. No data contain the size of an object, but the code does: the deleting destructor, whose
 * address is in the table, passes the size to operator delete (with g++ from C++14 on, clang from
 * version 19 on or with -fsized-deallocation):
 *
 *     mov $SIZE,%esi ... call or jmp operator delete(void *, size_t)
 *
 * The end of a function is found in the table of .eh_frame_hdr, and the function that a call
 * through the linkage table reaches in the address that is bound there, or in the relocations that
 * will bind it.
 */
#include <link.h>
#include <string.h>
#include "census.h"
#include "cxx.h"
#include "library.h"
#include "rule.h"
#include "vtable.h"

#define NAME_MOST     RULE_NAME
#define SLOTS_MOST    48	/* functions of a table that are looked at */
#define CODE_MOST     4096u	/* bytes of one */
#define CODE_UNKNOWN  256u	/* if the length is unknown */
#define ARGUMENT_FAR  40u	/* the size is loaded at most this many bytes before the call */
#define OBJECT_LARGEST 0x40000000u

#define HEADER_USUAL  0x3b031b01

#define MOV_ESI 0xbe
#define REX_B	0x41

uintptr_t loaded_word(uintptr_t address)
{
	uintptr_t w = 0;

	return segment_known(address) && segment_known(address + 7) ? *(const uintptr_t *)address
								    : w;
}

int loaded_text(char *name, const struct census *c, uintptr_t from)
{
	const struct library_segment *s = segment_known(from);
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
	uintptr_t from = loaded_word(info + 8);

	if ((info & 7) || !segment_known(from) || !loaded_text(name, c, from))
		return 0;
	if (name[0] == '*')
		memmove(name, name + 1, strlen(name));
	return (name[0] >= '1' && name[0] <= '9') || name[0] == 'N' || name[0] == 'S';
}

/* Its type_info is itself an object of a class for classes. */
int vtable_name(char *name, const struct census *c, uintptr_t table)
{
	uintptr_t info, kind;
	char meta[NAME_MOST];

	if ((table & 7) || !segment_known(table - 16) || loaded_word(table - 16))
		return 0;
	info = loaded_word(table - 8);
	if (!info || !type_info(name, c, info))
		return 0;
	kind = loaded_word(info);
	return kind && !(kind & 7) && type_info(meta, c, loaded_word(kind - 8)) &&
	       !strncmp(meta, "N10__cxxabiv1", 13);
}

/* ---- code ---- */

static const struct library_segment *code_at(uintptr_t address)
{
	const struct library_segment *s = segment_known(address);

	return s && !s->writable ? s : NULL;
}

static const ElfW(Phdr) * header_find(const struct library_segment *s, uint32_t type)
{
	const ElfW(Phdr) *h = s->headers;
	uint32_t i;

	for (i = 0; i < s->header_n; i++)
		if (h[i].p_type == type)
			return &h[i];
	return NULL;
}

static int32_t half(uintptr_t at)
{
	int32_t v;

	memcpy(&v, (const void *)at, sizeof(v));
	return v;
}

/*
 * The end of a function, at most CODE_MOST bytes on: where the next one begins in the sorted table of .eh_frame_hdr. Its header:
 * version 1, pointers of 4 bytes relative to themselves, a count of 4 bytes; entries of twice 4 bytes relative to the header.
 */
static uintptr_t function_end(const struct library_segment *s, uintptr_t function)
{
	const ElfW(Phdr) *h = header_find(s, PT_GNU_EH_FRAME);
	uintptr_t at = h ? s->base + h->p_vaddr : 0, end = function + CODE_UNKNOWN;
	uint32_t low = 0, high = 0, mid, n = 0;

	if (h && h->p_memsz >= 12 && half(at) == HEADER_USUAL)
		n = high = (uint32_t)half(at + 8);
	if (n > (h ? h->p_memsz / 8 - 1 : 0))
		n = high = 0;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (at + (uintptr_t)(intptr_t)half(at + 12 + mid * 8ul) <= function)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < n)
		end = at + (uintptr_t)(intptr_t)half(at + 12 + low * 8ul);
	if (end > function + CODE_MOST)
		end = function + CODE_MOST;
	return end < s->end ? end : s->end;
}

/* Will the linker bind it to a place that it has not bound yet? By its relocation, which the dynamic section has. */
static int delete_pending(const struct library_segment *s, uintptr_t place)
{
	const ElfW(Phdr) *h = header_find(s, PT_DYNAMIC);
	const ElfW(Dyn) *d = h ? (const ElfW(Dyn) *)(s->base + h->p_vaddr) : NULL;
	const ElfW(Rela) *r = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	size_t n = 0, i;

	for (; d && d->d_tag != DT_NULL; d++) {
		r = d->d_tag == DT_JMPREL ? (const void *)d->d_un.d_ptr : r;
		n = d->d_tag == DT_PLTRELSZ ? d->d_un.d_val / sizeof(*r) : n;
		symbols = d->d_tag == DT_SYMTAB ? (const void *)d->d_un.d_ptr : symbols;
		names = d->d_tag == DT_STRTAB ? (const void *)d->d_un.d_ptr : names;
	}
	/* The linker has made them addresses, as it does with all but the kernel's own object. */
	if (!segment_known((uintptr_t)r) || !segment_known((uintptr_t)symbols) ||
	    !segment_known((uintptr_t)names))
		return 0;
	for (i = 0; i < n; i++) {
		if (s->base + r[i].r_offset != place)
			continue;
		names += symbols[ELF64_R_SYM(r[i].r_info)].st_name;
		return !strcmp(names, "_ZdlPvm") || !strcmp(names, "_ZdlPvmSt11align_val_t");
	}
	return 0;
}

/* Does a word of the linkage table lead to it? One that is not yet bound leads back to the object itself. */
static int delete_bound(const struct library_segment *s, uintptr_t place)
{
	uintptr_t function = loaded_word(place);

	return cxx_is_delete(function) ||
	       (function > s->base && function < s->end && delete_pending(s, place));
}

/* Does a call or jump at an address lead to operator delete with a size? `end`: what may be read. */
static int delete_called(const struct library_segment *s, uintptr_t at, uintptr_t end)
{
	const uint8_t *p = (const uint8_t *)at;
	uintptr_t stub;

	if (p[0] == 0xff && (p[1] == 0x15 || p[1] == 0x25))
		return at + 6 <= end && delete_bound(s, at + 6 + (uintptr_t)(intptr_t)half(at + 2));
	if (p[0] != 0xe8 && p[0] != 0xe9)
		return 0;
	stub = at + 5 + (uintptr_t)(intptr_t)half(at + 1);
	if (!code_at(stub) || !code_at(stub + 15))
		return 0;
	/* endbr64, and a prefix for the jump */
	if (half(stub) == (int32_t)0xfa1e0ff3)
		stub += 4;
	stub += *(const uint8_t *)stub == 0xf2;
	p = (const uint8_t *)stub;
	return p[0] == 0xff && p[1] == 0x25 &&
	       delete_bound(s, stub + 6 + (uintptr_t)(intptr_t)half(stub + 2));
}

/* Numbers that are loaded into %esi just before a call. */
static unsigned sizes_before(uintptr_t begin, uintptr_t call, uint32_t *to, unsigned room)
{
	uintptr_t at = call - begin > ARGUMENT_FAR ? call - ARGUMENT_FAR : begin;
	unsigned n = 0;
	uint32_t v;

	for (; at + 5 <= call && n < room; at++) {
		if (*(const uint8_t *)at != MOV_ESI ||
		    (at > begin && *(const uint8_t *)(at - 1) == REX_B))
			continue;
		v = (uint32_t)half(at + 1);
		if (v >= 8 && v < OBJECT_LARGEST)
			to[n++] = v;
	}
	return n;
}

/* Appends the sizes that a function frees to the n sizes; returns their new number. */
static unsigned function_sizes(uintptr_t function, uint32_t *sizes, unsigned n)
{
	const struct library_segment *s = code_at(function);
	uintptr_t at = function, end = function_end(s, function);

	for (; at + 5 <= end && n < SIZES_MOST; at++)
		if (delete_called(s, at, end))
			n += sizes_before(function, at, sizes + n, SIZES_MOST - n);
	return n;
}

unsigned vtable_sizes(uintptr_t table, uint32_t *sizes)
{
	unsigned n = 0, i;

	for (i = 0; i < SLOTS_MOST && n < SIZES_MOST; i++) {
		uintptr_t function = loaded_word(table + 8 * i);

		/* Destructors of abstract classes are not there; other things end the table. */
		if (function && !code_at(function))
			break;
		if (function)
			n = function_sizes(function, sizes, n);
	}
	return n;
}
