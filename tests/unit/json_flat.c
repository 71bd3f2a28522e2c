/* json_flat.c: an object of JSON as names and values, and what is refused. */
#include "convert/io/json_flat.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

struct taken {
	char *text; /* "name=value;" ... */
};

static void receive(void *to, const char *name, const char *value)
{
	struct taken *t = to;
	char *more = mem_printf("%s%s=%s;", t->text ? t->text : "", name, value);

	free(t->text);
	t->text = more;
}

int main(void)
{
	static const struct {
		const char *text, *taken; /* taken NULL: refused */
	} cases[] = {
		{"{}", ""},
		{" { } \n", ""},
		{"{\"a\": \"b\"}", "a=b;"},
		{"{\"a\": 1, \"b\": -2.5e3, \"c\": true, \"d\": null}", "a=1;b=-2.5e3;c=true;"},
		{"{\"host\": {\"cores\": 4, \"cpu\": {\"name\": \"x\"}}}", "host.cores=4;host.cpu.name=x;"},
		{"{\"list\": [1, \"a\", {\"b\": 2}]}", "list=[1, \"a\", {\"b\": 2}];"},
		{"{\"e\": \"\\u00e9\\n\\\"\\\\\"}", "e=\xc3\xa9\n\"\\;"},
		{"{\"clef\": \"\\ud834\\udd1e\"}", "clef=\xf0\x9d\x84\x9e;"},
		{"", NULL},
		{"[1]", NULL},
		{"{\"a\": 1", NULL},
		{"{\"a\" 1}", NULL},
		{"{\"a\": 1,}", NULL},
		{"{a: 1}", NULL},
		{"{\"a\": 1} x", NULL},
		{"{\"a\": \"open}", NULL},
		{"{\"a\": tru}", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct taken t = {NULL};
		struct error e = {0};
		int code = json_flat_read("meta.json", cases[i].text, strlen(cases[i].text),
					  receive, &t, &e);

		if (cases[i].taken)
			ok(!code && !strcmp(t.text ? t.text : "", cases[i].taken), "object %zu: %s", i, t.text && !strchr(t.text, '\n') ? t.text : "");
		else
			ok(code == ERROR_INPUT && !strncmp(e.text, "meta.json: line 1: ", 19), "text %zu is refused: %s", i, e.text);
		free(t.text);
	}
	return tap_end();
}
