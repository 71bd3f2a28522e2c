/* cluster.c: ranks that spend their time alike form clusters; ranks without such groups form one. */
#include "analyze/profile/cluster.h"

#include <math.h>
#include <string.h>

#include "draw.h"
#include "tap.h"

/* Each rank's time in two regions. */
static struct profile *make(const double (*us)[2], size_t n)
{
	struct profile *p = profile_new();
	static const char *const name[] = {"solve", "MPI_Recv()"};

	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 2; i++)
		profile_add_path(p, profile_add_timer(p, name[i], NULL, NULL, 0), PROFILE_FLAT);
	for (size_t r = 0; r < n; r++) {
		uint32_t t = profile_add_thread(p, (int32_t)r, 0, 0);

		for (uint32_t i = 0; i < 2; i++) {
			struct profile_row *row = profile_add_row(p, t, i);

			row->calls = 1;
			*profile_incl(&p->thread[t], row) = *profile_excl(p, &p->thread[t], row) = us[r][i];
		}
	}
	profile_sort(p);
	return p;
}

/* "AABA": clusters in the order of ranks, A for that of the first. */
static void letters(const struct clusters *c, char *text)
{
	uint32_t seen[CLUSTER_MOST];
	size_t n = 0;

	for (size_t i = 0; i < c->point_n; i++) {
		size_t k = 0;

		while (k < n && seen[k] != c->point[i].cluster)
			k++;
		if (k == n)
			seen[n++] = c->point[i].cluster;
		text[i] = (char)('A' + k);
	}
	text[c->point_n] = 0;
}

static void test_cases(void)
{
	static const struct {
		const char *what;
		double us[8][2];
		size_t n, k;
		const char *groups;
	} cases[] = {
		{"two groups", {{90, 10}, {91, 9}, {40, 60}, {89, 11}, {41, 59}, {39, 61}}, 6, 2, "AABABB"},
		{"size does not matter, shares do", {{90, 10}, {900, 100}, {40, 60}, {400, 600}, {9, 1}, {4, 6}}, 6, 2, "AABBAB"},
		{"all alike", {{90, 10}, {90, 10}, {90, 10}, {90, 10}, {90, 10}, {90, 10}}, 6, 1, "AAAAAA"},
		{"less than 1 % apart", {{90.0, 10.0}, {90.0, 10.0}, {90.4, 9.6}, {90.4, 9.6}, {90.0, 10.0}, {90.4, 9.6}}, 6, 1, "AAAAAA"},
		{"three groups", {{90, 10}, {91, 9}, {50, 50}, {51, 49}, {10, 90}, {11, 89}}, 6, 3, "AABBCC"},
		{"one odd rank", {{90, 10}, {91, 9}, {90, 10}, {89, 11}, {90, 10}, {10, 90}}, 6, 2, "AAAAAB"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = make(cases[i].us, cases[i].n);
		struct clusters c;
		char text[16];
		size_t sum = 0;

		clusters_make(&c, p, NULL, 0);
		letters(&c, text);
		ok(c.k == cases[i].k && !strcmp(text, cases[i].groups), "%s: %s", cases[i].what, text);
		for (size_t k = 0; k < c.k; k++)
			sum += c.size[k];
		ok(sum == cases[i].n && (c.k < 2 || c.size[0] >= c.size[1]), "all ranks are in one, the largest cluster is first");
		if (c.k > 1)
			ok(c.silhouette >= CLUSTER_SILHOUETTE && c.best == c.k, "its silhouette is %.2f", c.silhouette);
		clusters_release(&c);
		profile_free(p);
	}
}

static void test_values(void)
{
	static const double us[4][2] = {{80, 20}, {80, 20}, {20, 80}, {40, 160}};
	struct profile *p = make(us, 4);
	struct clusters c;
	size_t first;

	clusters_make(&c, p, NULL, 0);
	first = c.point[0].cluster;
	ok(c.dims == 2 && fabs(c.share[0] - 0.8) < 1e-12 && c.point[3].time == 200, "points have shares and their time");
	ok(c.k == 2 && fabs(c.centre[first * 2] - 0.8) < 1e-12 && fabs(c.centre[(1 - first) * 2] - 0.2) < 1e-12, "centres are means");
	ok(fabs(clusters_others(&c, first, 0) - 0.2) < 1e-12, "the others' share");
	ok(c.silhouette == 1, "equal points: silhouette 1");
	clusters_release(&c);
	profile_free(p);
}

/* Shares without groups: even between 0 and 1. */
static void test_even(void)
{
	double us[64][2];
	size_t found = 0;

	draw_seed(11);
	for (int round = 0; round < 50; round++) {
		struct profile *p;
		struct clusters c;

		for (size_t i = 0; i < 64; i++) {
			us[i][0] = draw_uniform();
			us[i][1] = 1 - us[i][0];
		}
		p = make((const double (*)[2])us, 64);
		clusters_make(&c, p, NULL, 0);
		found += c.k > 1;
		clusters_release(&c);
		profile_free(p);
	}
	ok(found <= 2, "even shares rarely look like clusters: %zu of 50", found);
}

int main(void)
{
	test_cases();
	test_values();
	test_even();
	return tap_end();
}
