/* profile_lines.c: names of call paths composed from pieces are those that csv_cell() and table_json_string() write of the whole name. */
#include <stdlib.h>
#include <string.h>

#include "cmd/profile/profile_lines.h"
#include "cmd/profile/profile_print.h"
#include "cmd/table/table_text.h"
#include "convert/io/csv.h"
#include "tap.h"

static const char *const names[] = {"main",	 "f<a, b>(int)", "say \"x\"", " blank", "end ",   "=cmd()",  "-5",
				    "+1,2",	 "@sum",	 "\xff broken", "a\\b",   "\"",	    "\"\"q\"",  "M\xc3\xbcller",
				    "a => b",	 "x\ty",	 "1e5",	    "-",      "e,\"f\" "};
#define NAMES (sizeof(names) / sizeof(*names))

/* Paths of one, two and three timers, with one row each, in two threads. */
static struct profile *made(void)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	profile_add_metric(p, "PAPI_TOT_INS");
	for (size_t i = 0; i < NAMES; i++)
		profile_add_timer(p, names[i], i % 3 ? "TAU_USER" : i % 2 ? "A|B" : "", NULL, 0);
	for (uint32_t i = 0; i < NAMES; i++)
		profile_add_path(p, i, PROFILE_FLAT);
	for (uint32_t i = 0; i < NAMES * NAMES; i++)
		profile_add_path(p, i % NAMES, i / (uint32_t)NAMES);
	for (uint32_t i = 0; i < NAMES * NAMES; i++)
		profile_add_path(p, (i * 7 + 3) % (uint32_t)NAMES, (uint32_t)NAMES + i);
	for (int32_t k = 0; k < 2; k++) {
		uint32_t thread = profile_add_thread(p, k, 0, 0);

		for (uint32_t i = 0; i < p->path_n; i += k ? 29 : 1) {
			struct profile_row *r = profile_add_row(p, thread, i);

			r->calls = i;
			profile_incl(&p->thread[thread], r)[0] = i * 1.5;
			profile_excl(p, &p->thread[thread], r)[1] = i / 3.0;
		}
	}
	return p;
}

/* The row of a path in the output, or NULL. */
static const char *find(const char *out, const char *cell, double calls, int json)
{
	char *row = json ? mem_printf("{\"name\": %s, \"group\": ", cell) : mem_printf(",0,0,0,timer,%s,", cell);
	char *count = json ? mem_printf(", \"calls\": %.0f,", calls) : mem_printf(",%.0f,0,", calls);
	const char *at = out;

	for (size_t n = strlen(row); (at = strstr(at, row)); at += n) {
		const char *end = strchr(at, '\n');

		if (memmem(at, (size_t)(end - at), count, strlen(count)))
			break;
	}
	free(row);
	free(count);
	return at;
}

static size_t wrong(struct profile *p, int json)
{
	char *out = NULL, *cell = NULL;
	size_t n, bad = 0;
	FILE *f = open_memstream(&out, &n);

	(json ? profile_print_json : profile_print_csv)(f, p, 0, 1);
	fclose(f);
	for (uint32_t i = 0; i < p->path_n; i++) {
		char *name = profile_path_text(p, i);

		f = open_memstream(&cell, &n);
		(json ? table_json_string : csv_cell)(f, name);
		fclose(f);
		if (!find(out, cell, i, json) && !bad++)
			printf("# no row %s\n", cell);
		free(cell);
		free(name);
	}
	free(out);
	return bad;
}

static size_t lines(struct profile *p)
{
	char *out = NULL;
	size_t n, lines = 0;
	FILE *f = open_memstream(&out, &n);

	profile_print_csv(f, p, 1, 2);
	fclose(f);
	for (const char *at = out; (at = strstr(at, "\r\n")); at += 2)
		lines++;
	free(out);
	return lines;
}

int main(void)
{
	struct profile *p = made();
	size_t bad[2] = {wrong(p, 0), wrong(p, 1)};

	ok(!bad[0], "%zu paths have the cell of their name in CSV: %zu wrong", p->path_n, bad[0]);
	ok(!bad[1], "and the string in JSON: %zu wrong", bad[1]);
	ok(lines(p) == p->thread[0].row_n + p->thread[1].row_n, "a line for each row, of a thread with many rows and one with few");
	profile_free(p);
	return tap_end();
}
