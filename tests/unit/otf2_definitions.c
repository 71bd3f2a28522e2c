/* otf2_definitions.c: texts of an archive's definitions, and our regions that represent functions of samples. */
#include "tap.h"

#if __has_include(<otf2/otf2.h>)
#include <string.h>

#include "convert/otf2/definitions.h"

static uint32_t string_add(struct archive_raw *d, uint32_t ref, const char *s)
{
	map_set(&d->string_of, ref, (uint32_t)d->string_n);
	*array_add(d, string) = mem_string(s);
	return ref;
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
