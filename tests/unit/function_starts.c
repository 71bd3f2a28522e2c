/* function_starts.c: the first addresses of functions in the table of .eh_frame_hdr, also of one that is damaged. */
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/code/function_starts.h"
#include "tap.h"

__attribute__((noinline)) static int counted(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static int has(const uint64_t *start, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (start[i] == address)
			return 1;
	return 0;
}

static int ascend(const uint64_t *start, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (start[i] < start[i - 1])
			return 0;
	return 1;
}

/* From its first address on, an address is in a function up to its end, which is at the next start or before. */
static void ends(Elf *elf, const uint64_t *start, size_t n)
{
	size_t early = 0, late = 0, known = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		early += start[i] < start[i + 1] && function_ends_before(elf, start[i], start[i]);
		known += function_ends_before(elf, start[i], start[i + 1]);
		late += !function_ends_before(elf, start[i], UINT64_MAX);
	}
	ok(!early, "no function ends before its first byte");
	ok(known == n - 1 && !late, "all end before the next one begins (%zu of %zu)", known, n - 1);
	ok(!function_ends_before(elf, start[0] + 1, UINT64_MAX), "nothing is known of an address where no function begins");
}

/* Where the table of the file is; 0: nowhere. */
static size_t table_at(Elf *elf)
{
	size_t n = 0;
	GElf_Phdr h;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_GNU_EH_FRAME)
			return h.p_offset;
	return 0;
}

/* The number of starts in the file with four bytes of the table changed. */
static size_t changed(const char *bytes, size_t size, size_t at, uint32_t to)
{
	char *copy = malloc(size);
	uint64_t *start;
	size_t n;
	Elf *elf;

	memcpy(copy, bytes, size);
	memcpy(copy + at, &to, sizeof(to));
	elf = elf_memory(copy, size);
	n = function_starts(elf, &start);
	ok(!n == !start, "an array, or none");
	free(start);
	elf_end(elf);
	free(copy);
	return n;
}

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	Dl_info here;
	uint64_t *start;
	size_t n, at;
	char *bytes;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	n = function_starts(elf, &start);
	ok(n > 2 && ascend(start, n), "%zu functions, ascending", n);
	dladdr((void *)(uintptr_t)counted, &here);
	ok(has(start, n, (uint64_t)((uintptr_t)counted - (uintptr_t)here.dli_fbase)) || has(start, n, (uint64_t)(uintptr_t)counted),
	   "a function of this program is among them");
	ok(counted(1) == 2, "it is there");
	ends(elf, start, n);
	free(start);
	at = table_at(elf);
	elf_end(elf);
	if (fstat(fd, &st) || !at)
		return 1;
	bytes = malloc((size_t)st.st_size);
	if (pread(fd, bytes, (size_t)st.st_size, 0) != st.st_size)
		return 1;
	ok(changed(bytes, (size_t)st.st_size, at + 8, (uint32_t)n) == n, "the number that it has");
	ok(!changed(bytes, (size_t)st.st_size, at + 8, 0x7fffffff), "more rows than bytes: none");
	ok(!changed(bytes, (size_t)st.st_size, at + 8, 0), "no rows: none");
	ok(!changed(bytes, (size_t)st.st_size, at, 0x3b031b02), "another version: none");
	ok(!changed(bytes, (size_t)st.st_size, at, 0x3c031b01), "another encoding: none");
	free(bytes);
	close(fd);
	return tap_end();
}
