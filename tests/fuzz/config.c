/*
 * config.c: fuzzes the reader of configuration files. The first byte selects which options the command line has; the others are the
 * file. What it refuses has a reason.
 */
#include <stdlib.h>

#include "cmd/shared/config.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);
/* Of the sanitizer, if there is one: an option keeps its text until the program ends. */
__attribute__((weak)) void __lsan_disable(void);

static int flag;
static long number;
static const char *text, *maybe;
static struct option_list list;

static const struct option rows[] = {
	OPTION_HEADING("What"),
	{'f', "flag", OPTION_FLAG, NULL, "a switch", &flag},
	{'n', "number", OPTION_NUMBER, "N", "a number", &number},
	{'t', "text", OPTION_TEXT, "TEXT", "a text", &text},
	{0, "maybe", OPTION_MAYBE, "TEXT", "perhaps a text", &maybe},
	{0, "list", OPTION_LIST, "TEXT", "some texts", &list},
	{0},
};
static const struct option_pair pairs[] = {{"flag", "number"}, {"text", "maybe"}, {0}};
static const struct program program = {
	.name = "tau-report", .options = rows, .pairs = pairs, .project = "flag number"};

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	char given[sizeof(rows) / sizeof(*rows)] = {0};
	struct error e = {0};

	if (!n)
		return 0;
	if (__lsan_disable)
		__lsan_disable();
	for (size_t i = 1; i + 1 < sizeof(given); i++)
		given[i] = *p >> i & 1 ? GIVEN_ON_LINE : GIVEN_NOT;
	place_open();
	if (config_apply(&program, given, place_put("config", p + 1, n - 1), &e) && !*e.text)
		abort();
	place_close();
	free(list.v);
	list = (struct option_list){0};
	return 0;
}
