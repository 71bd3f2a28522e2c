/* otf2_definitions.c: texts of an archive's definitions, and our regions that represent functions of samples. */
#include "tap.h"

#ifdef HAVE_OTF2
#include <string.h>

#include "convert/otf2/definitions.h"

static uint32_t string_add(struct archive_raw *d, uint32_t ref, const char *s)
{
	map_set(&d->string_of, ref, (uint32_t)d->string_n);
	*array_add(d, string) = mem_string(s);
	*array_add(d, length) = (uint32_t)strlen(s);
	return ref;
}

/* A text of 1 MB that 10 regions have, and one that 1,000 have; names of usual length that very many have. */
static void test_shared_texts(struct archive_raw *d)
{
	char *text = memset(mem_alloc((1 << 20) + 1), 'x', 1 << 20);

	string_add(d, 1000, text);
	string_add(d, 1001, "/usr/src/application/source/main.c");
	for (int i = 0; i < 10; i++)
		*array_add(d, region) = (struct raw_region){.name = 7, .file = 1000};
	for (int i = 0; i < 100000; i++)
		*array_add(d, region) = (struct raw_region){.name = 7, .file = 1001};
	ok(!archive_is_vast(d), "a long text that few regions share, and a short one that many share");
	for (int i = 0; i < 1000; i++)
		*array_add(d, region) = (struct raw_region){.name = 7, .file = 1000};
	ok(archive_is_vast(d), "a long text that many regions share");
	free(text);
}

int main(void)
{
	static const struct {
		const char *text;
		int ours, code;
	} cases[] = {{"tau:code a.out", 1, 1}, {"tau:code a.out", 0, 0}, {"tau:inline f", 1, 1}, {"tau:groups X", 1, 0}, {"code", 1, 0}, {"", 1, 0}};
	struct trace t = {.path = "t"};
	struct archive run = {.ours = 0};
	struct archive_raw d = {.trace = &t, .run = &run};

	string_add(&d, 7, "main");
	ok(!strcmp(archive_text(&d, 7), "main"), "a text by its reference");
	ok(!strcmp(archive_text(&d, 8), "") && !strcmp(archive_text(&d, UINT32_MAX), ""), "a reference that nothing defines");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct raw_region r = {.description = string_add(&d, 100 + (uint32_t)i, cases[i].text)};

		run.ours = cases[i].ours;
		ok(!!archive_is_code(&d, &r) == cases[i].code, "'%s' in %s archive %s", cases[i].text, cases[i].ours ? "our" : "another",
		   cases[i].code ? "is code" : "is a region");
	}
	test_shared_texts(&d);
	archive_raw_release(&d);
	return tap_end();
}
#else
int main(void)
{
	skip("definitions", "no OTF2 library");
	return tap_end();
}
#endif
