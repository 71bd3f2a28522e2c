/* reduce.c: the rules of tau_reduce: how they are read, and which regions they exclude. */
#include "analyze/compare/reduce.h"

#include <string.h>

#include "tap.h"

static void test_reading(void)
{
	static const struct {
		const char *text;
		size_t rules;
		int code;
	} cases[] = {
		{REDUCE_RULE, 1, 0},
		{"# nothing\n\n  \n", 0, 0},
		{"numcalls>10\nusec < 5 # short\n", 2, 0},
		{"MPI: percent < 1 & usecs/call = 0", 1, 0},
		{"numcalls >= 3 & numsubs <= 0 & counts/call > 1e3", 1, 0},
		{"calls > 3", 0, ERROR_USAGE},
		{"numcalls 3", 0, ERROR_USAGE},
		{"numcalls > many", 0, ERROR_USAGE},
		{"numcalls > inf", 0, ERROR_USAGE},
		{"numcalls > 3 &", 0, ERROR_USAGE},
		{"numcalls > 3 4", 0, ERROR_USAGE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct reduce_rules *r = reduce_rules_new();
		struct error e = {0};
		int code = reduce_rules_add(r, cases[i].text, "rules.txt", &e);

		ok(code == cases[i].code && (code || reduce_rules_count(r) == cases[i].rules), "text %zu: code %d, %zu rules", i, code,
		   reduce_rules_count(r));
		ok(!code || strstr(e.text, "rules.txt"), "an error names where");
		reduce_rules_free(r);
	}
}

/* Two threads; calls, calls of others, exclusive and inclusive us of each region. */
static struct profile *make(void)
{
	static const struct {
		const char *name, *groups;
		double v[2][4];
	} region[] = {{"main", "TAU_USER", {{1, 3, 100, 5000}, {1, 0, 10, 10}}},
		      {"tiny", "TAU_USER", {{2000, 0, 1000, 1000}, {10, 0, 500, 500}}},
		      {"MPI_Test()", "MPI", {{2000, 0, 1000, 1000}, {0, 0, 0, 0}}},
		      {"solve", "TAU_USER", {{4, 8, 3000, 3000}, {0, 0, 0, 0}}}};
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	for (size_t i = 0; i < 4; i++)
		profile_add_path(p, profile_add_timer(p, region[i].name, region[i].groups, NULL, 0), PROFILE_FLAT);
	for (int t = 0; t < 2; t++) {
		uint32_t thread = profile_add_thread(p, t, 0, 0);

		for (uint32_t i = 0; i < 4; i++) {
			struct profile_row *r;

			if (!region[i].v[t][0])
				continue;
			r = profile_add_row(p, thread, i);
			r->calls = region[i].v[t][0];
			r->subrs = region[i].v[t][1];
			*profile_excl(p, &p->thread[thread], r) = region[i].v[t][2];
			*profile_incl(&p->thread[thread], r) = region[i].v[t][3];
		}
	}
	profile_sort(p);
	return p;
}

static void test_rows(void)
{
	static const struct {
		const char *rules;
		const char *excluded; /* "tiny " ... in the order of calls */
	} cases[] = {
		{"numcalls > 1000", "tiny MPI_Test() "},
		{"numcalls > 2000", ""},
		{"numcalls >= 2000 & usecs/call < 1", "tiny MPI_Test() "},
		{"MPI: numcalls > 1000", "MPI_Test() "},
		{"usec > 2000", "solve "},
		{"cumusec = 5000", "main "},
		{"numsubs > 2", "solve main "},
		{"percent < 21", "tiny MPI_Test() main "}, /* 1000 of 5000 us; main: 10 of 500 us on the second thread */
		{"usecs/call > 40", "tiny solve main "}, /* tiny: 50 us on the second thread only */
		{"usec > 99999\nnumcalls = 4", "solve "},
	};
	struct profile *p = make();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct reduce_rules *r = reduce_rules_new();
		struct error e = {0};
		struct reduce_row *row;
		char excluded[200] = "";
		size_t n;

		if (reduce_rules_add(r, cases[i].rules, "rules", &e))
			ok(0, "%s", e.text);
		row = reduce_make(p, r, &n);
		for (size_t k = 0; k < n; k++)
			if (row[k].rule != SIZE_MAX)
				strcat(strcat(excluded, p->timer[row[k].timer].name), " ");
		ok(n == 4 && !strcmp(excluded, cases[i].excluded), "rules %zu exclude: %s", i, excluded);
		if (!i)
			ok(row[0].calls == 2010 && row[0].incl == 1500 && row[3].calls == 2, "calls and times are sums over threads");
		if (i == 9)
			ok(!strcmp(reduce_rule_text(r, row[2].rule), "numcalls = 4"), "the rule that holds is named");
		free(row);
		reduce_rules_free(r);
	}
	profile_free(p);
}

int main(void)
{
	test_reading();
	test_rows();
	return tap_end();
}
