/*
 * written.c: fuzzes the writers of profiles: stacks become a profile, which is written in the format that the last byte
 * chooses, and read again where it can be. What loses nothing is the same again.
 */
#include <stdio.h>

#include "profile.h"
#include "tests/profiles.h"

static void write_read(struct profile *p, const struct profile_format *f)
{
	struct profile *again = NULL;
	struct error e = { 0 };
	char *text, *lost = profile_format_lost(f, p);
	size_t n;
	FILE *m = open_memstream(&text, &n);

	f->print(m, p, 0, 1);
	fclose(m);
	/* Packed profiles are read as what is packed in them. Without a value there are no stacks to write. */
	if (f->read && strcmp(f->name, "ppk") && (f->is((unsigned char *)text, n) || strcmp(f->name, "folded"))) {
		if (f->read("again", (unsigned char *)text, n, &again, &e)) {
			fprintf(stderr, "%s\n", e.text);
			abort();
		}
		again->source = p->source;
		if (!lost && (again->timer_n > p->timer_n || !profiles_same(p, again)))
			abort();
		profile_free(again);
	}
	free(text);
	free(lost);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct profile *got = n ? fuzz_read("folded", p, n - 1) : NULL;
	const struct profile_format *f = profile_formats;
	size_t which = n ? p[n - 1] % 8 : 0;

	for (; f->name && which; which--)
		f++;
	if (got && f->name && f->print)
		write_read(got, f);
	profile_free(got);
	return 0;
}
