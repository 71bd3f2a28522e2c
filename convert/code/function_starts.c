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

static size_t table_read(const unsigned char *file, size_t size, const GElf_Phdr *h,
			 uint64_t **start)
{
	const unsigned char *p;
	size_t n;
	int sorted = 1;

	if (h->p_offset > size || h->p_filesz > size - h->p_offset || h->p_filesz < HEAD)
		return 0;
	p = file + h->p_offset;
	if (p[0] != VERSION || p[2] != COUNT_ENCODING || p[3] != TABLE_ENCODING)
		return 0;
	n = word_at(p + 8);
	if (n == 0 || n > (h->p_filesz - HEAD) / 8)
		return 0;
	*start = mem_alloc(n * sizeof(**start));
	for (size_t i = 0; i < n; i++) {
		(*start)[i] = h->p_vaddr + (uint64_t)(int64_t)(int32_t)word_at(p + HEAD + 8 * i);
		sorted &= !i || (*start)[i - 1] <= (*start)[i];
	}
	/* Linkers sort them, because the table is for a binary search. */
	if (!sorted)
		qsort(*start, n, sizeof(**start), compare_addresses);
	return n;
}

size_t function_starts(Elf *elf, uint64_t **start)
{
	size_t size = 0, headers = 0, n = 0;
	const unsigned char *file = (const unsigned char *)elf_rawfile(elf, &size);
	GElf_Ehdr header;
	GElf_Phdr h;

	*start = NULL;
	if (!file || !gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	elf_getphdrnum(elf, &headers);
	for (size_t i = 0; i < headers && !n; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_GNU_EH_FRAME)
			n = table_read(file, size, &h, start);
	return n;
}
