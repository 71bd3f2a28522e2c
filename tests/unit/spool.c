/* spool.c: profiles as bytes, and through a temporary file, come back as they were; other bytes are refused. */
#include "convert/spool.h"

#include <stdlib.h>
#include <string.h>

#include "convert/profile_bytes.h"
#include "profiles.h"
#include "seed.h"
#include "tap.h"

#define ROUNDS 40

static void test_bytes(uint64_t *s)
{
	size_t same = 0, refused = 0, cuts = 0;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct profile *p = profiles_make(s, i), *q;
		struct packed_bytes out = {0};

		profile_put(&out, p);
		q = profile_get(out.v, out.v_n);
		same += q && profiles_same(p, q);
		if (q)
			profile_free(q);
		for (size_t n = 0; n < out.v_n; n += 1 + out.v_n / 50, cuts++) {
			unsigned char *cut = malloc(n ? n : 1);

			memcpy(cut, out.v, n);
			q = profile_get(cut, n);
			refused += !q;
			if (q)
				profile_free(q);
			free(cut);
		}
		free(out.v);
		profile_free(p);
	}
	ok(same == ROUNDS, "%zu of %d random profiles come back from their bytes", same, ROUNDS);
	ok(refused == cuts, "%zu of %zu shorter texts are no profile", refused, cuts);
}

static void test_file(uint64_t *s)
{
	struct profile *p[ROUNDS], *q;
	struct spool *spool;
	struct error e = {0};
	size_t same = 0;

	if (!ok(!spool_open(&spool, &e), "a spool is made: %s", e.text))
		return;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		p[i] = profiles_make(s, i + 1);
		if (spool_put(spool, p[i], &e))
			ok(0, "%s", e.text);
	}
	for (size_t i = 0; i < ROUNDS; i++) {
		if (spool_next(spool, &q, &e))
			break;
		same += profiles_same(p[i], q);
		profile_free(q);
	}
	ok(same == ROUNDS, "%zu profiles come out in the order in which they went in", same);
	spool_close(spool);
	spool_close(NULL);
	setenv("TMPDIR", "/nonexistent", 1);
	ok(spool_open(&spool, &e) == ERROR_SYSTEM, "without a directory: %s", e.text);
	for (size_t i = 0; i < ROUNDS; i++)
		profile_free(p[i]);
}

int main(void)
{
	uint64_t s = test_seed(77);

	test_bytes(&s);
	test_file(&s);
	return tap_end();
}
