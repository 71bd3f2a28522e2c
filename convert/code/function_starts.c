/* function_starts.c: reads .eh_frame_hdr, as the Linux Standard Base describes it. */
#include "convert/code/function_starts.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

#define VERSION	       1
#define COUNT_ENCODING 0x03 /* DW_EH_PE_udata4 */
#define TABLE_ENCODING 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define HEAD	       12   /* bytes before the table, whose rows are two words */

static uint32_t word_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The table of .eh_frame_hdr in a file. */
struct frame_table {
	const unsigned char *file;
	size_t size;
	const unsigned char *row; /* n rows of two words: a function and its row in .eh_frame, */
	size_t n;
	uint64_t base; /* from this address on */
};

static int64_t signed_at(const unsigned char *p)
{
	return (int32_t)word_at(p);
}

static int table_find(Elf *elf, struct frame_table *t)
{
	size_t headers = 0;
	const unsigned char *p;
	GElf_Ehdr header;
	GElf_Phdr h;

	t->file = (const unsigned char *)elf_rawfile(elf, &t->size);
	if (!t->file || !gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	elf_getphdrnum(elf, &headers);
	for (size_t i = 0; i < headers; i++) {
		if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_GNU_EH_FRAME ||
		    h.p_offset > t->size || h.p_filesz > t->size - h.p_offset ||
		    h.p_filesz < HEAD)
			continue;
		p = t->file + h.p_offset;
		if (p[0] != VERSION || p[2] != COUNT_ENCODING || p[3] != TABLE_ENCODING)
			continue;
		t->n = word_at(p + 8);
		t->row = p + HEAD;
		t->base = h.p_vaddr;
		if (t->n && t->n <= (h.p_filesz - HEAD) / 8)
			return 1;
	}
	return 0;
}

size_t function_starts(Elf *elf, uint64_t **start)
{
	struct frame_table t = {0};
	int sorted = 1;

	*start = NULL;
	if (!table_find(elf, &t))
		return 0;
	*start = mem_alloc(t.n * sizeof(**start));
	for (size_t i = 0; i < t.n; i++) {
		(*start)[i] = t.base + (uint64_t)signed_at(t.row + 8 * i);
		sorted &= !i || (*start)[i - 1] <= (*start)[i];
	}
	/* Linkers sort them, because the table is for a binary search. */
	if (!sorted)
		qsort(*start, t.n, sizeof(**start), compare_addresses);
	return t.n;
}

/* n bytes at an ELF virtual address, in the file; NULL: they are not there. */
static const unsigned char *bytes_at(Elf *elf, const struct frame_table *t, uint64_t address,
				     size_t n)
{
	size_t headers = 0;
	GElf_Phdr h;

	elf_getphdrnum(elf, &headers);
	for (size_t i = 0; i < headers; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD &&
		    address >= h.p_vaddr && address - h.p_vaddr < h.p_filesz &&
		    h.p_filesz - (address - h.p_vaddr) >= n && h.p_offset <= t->size &&
		    address - h.p_vaddr <= t->size - h.p_offset &&
		    n <= t->size - h.p_offset - (address - h.p_vaddr))
			return t->file + h.p_offset + (address - h.p_vaddr);
	return NULL;
}

/*
 * A row of .eh_frame: its length, its kind, the first address, and the number of bytes. Addresses are
 * mostly words from where they are; that of the start shows if they are.
 */
int function_ends_before(Elf *elf, uint64_t start, uint64_t address)
{
	struct frame_table t = {0};
	const unsigned char *p;
	size_t low = 0, high;
	uint64_t row;

	if (!table_find(elf, &t))
		return 0;
	for (high = t.n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (t.base + (uint64_t)signed_at(t.row + 8 * middle) < start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == t.n || t.base + (uint64_t)signed_at(t.row + 8 * low) != start)
		return 0;
	row = t.base + (uint64_t)signed_at(t.row + 8 * low + 4);
	p = bytes_at(elf, &t, row, 16);
	return p && row + 8 + (uint64_t)signed_at(p + 8) == start &&
	       address >= start + word_at(p + 12);
}
