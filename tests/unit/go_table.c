/* go_table.c: tables of Go's three layouts, and damaged ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/code/go_table.h"
#include "seed.h"
#include "tap.h"

enum { SIZE = 512, TEXT = 0x401000, NAMES = 80, ROWS = 160 };

static unsigned char table[SIZE];
static char got[400];

static void put(size_t at, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		table[at + i] = (unsigned char)(v >> 8 * i);
}

/* Two functions and the end of the last one. */
static void make(uint32_t magic, uint64_t text)
{
	const int early = magic == 0xfffffffa;
	const size_t width = early ? 8 : 4;
	static const uint64_t at[] = {0, 0x40, 0x100};
	static const char names[] = "main.main\0main.(*Queue).push";

	memset(table, 0, SIZE);
	put(0, magic, 4);
	table[6] = 1;
	table[7] = 8;
	put(8, 2, 8);
	if (!early)
		put(24, text, 8);
	put(early ? 24 : 32, NAMES, 8);
	put(early ? 56 : 64, ROWS, 8);
	memcpy(table + NAMES, names, sizeof(names));
	for (size_t i = 0; i < 3; i++) {
		put(ROWS + 2 * width * i, at[i] + (early ? TEXT : 0), width);
		if (i < 2) {
			put(ROWS + 2 * width * i + width, 100 + 40 * i, width);
			put(ROWS + 100 + 40 * i, at[i] + (early ? TEXT : 0), width);
			put(ROWS + 100 + 40 * i + width, i ? 10 : 0, 4);
		}
	}
}

static void note(void *to, uint64_t low, uint64_t high, const char *name)
{
	char *end = got + strlen(got);

	(void)to;
	snprintf(end, sizeof(got) - (size_t)(end - got), "%llx-%llx %s\n", (unsigned long long)low,
		 (unsigned long long)high, name);
}

static size_t read_table(size_t n, uint64_t text)
{
	unsigned char *copy = malloc(n + !n);
	size_t found;

	memcpy(copy, table, n);
	*got = 0;
	found = go_table_read(copy, n, text, note, NULL);
	free(copy);
	return found;
}

int main(void)
{
	static const char want[] = "401000-401040 main.main\n401040-401100 main.(*Queue).push\n";
	size_t most = 0;

	make(0xfffffff1, TEXT);
	ok(read_table(SIZE, 0) == 2 && !strcmp(got, want), "Go 1.20");
	make(0xfffffff0, TEXT);
	ok(read_table(SIZE, 0) == 2 && !strcmp(got, want), "Go 1.18");
	make(0xfffffff0, 0);
	ok(read_table(SIZE, TEXT) == 2 && !strcmp(got, want), "without the address of the code");
	make(0xfffffffa, 0);
	ok(read_table(SIZE, 0) == 2 && !strcmp(got, want), "Go 1.16");
	put(0, 0xfffffffb, 4);
	ok(!read_table(SIZE, 0), "Go 1.2: none");
	make(0xfffffff1, TEXT);
	put(8, UINT64_MAX / 4, 8);
	ok(!read_table(SIZE, 0), "more functions than bytes: none");
	make(0xfffffff1, TEXT);
	put(ROWS + 4, 0xffffff00, 4);
	ok(read_table(SIZE, 0) == 1, "a description outside of the table");
	make(0xfffffff1, TEXT);
	put(ROWS + 104, 0xffffff00, 4);
	ok(read_table(SIZE, 0) == 1, "a name outside of it");
	srand((unsigned)test_seed(9));
	for (int i = 0; i < 20000; i++) {
		size_t found;

		make(i % 2 ? 0xfffffff1 : 0xfffffffa, TEXT);
		for (int k = rand() % 4; k >= 0; k--)
			table[8 + rand() % (SIZE - 8)] = (unsigned char)rand();
		found = read_table((size_t)(rand() % (SIZE + 1)), 0);
		most = found > most ? found : most;
	}
	ok(most <= SIZE / 8, "damaged and short tables, at most %zu functions", most);
	return tap_end();
}
