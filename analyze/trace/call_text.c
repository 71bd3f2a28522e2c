/* call_text.c: stacks of calls to text. */
#include "analyze/trace/call_text.h"

#include <string.h>

#define CALLS_MOST 4096 /* a longer chain of callers is damage */

/* The functions of a call path, innermost first. */
struct path_parts {
	char **v;
	size_t v_n, v_cap;
	size_t main; /* number of parts of v up to and including main(); 0: main() is not in the
		      * path */
};

static char *code_text(struct trace *t, uint32_t code, const struct trace_code *c)
{
	struct trace_address a;

	if (c->name && c->file && c->line)
		return mem_printf("%s [{%s} {%u}]", c->name, c->file, c->line);
	if (c->name)
		return mem_printf("%s [%s]", c->name, c->module);
	if (t->ops->code(t, code, NULL, &a))
		return mem_printf("addr=<0x%llx> [%s]", (unsigned long long)a.at, c->module);
	return mem_printf("addr=<unknown> [%s]", c->module);
}

static void parts_add(struct path_parts *p, struct trace *t, uint32_t code)
{
	struct trace_place place;

	if (code == TRACE_NONE) {
		*array_add(p, v) = mem_string(CALLS_CUT);
		return;
	}
	place = trace_place(t, code);
	for (size_t i = 0; i < place.n; i++) {
		*array_add(p, v) = code_text(t, code, &place.code[i]);
		if (place.code[i].name && !strcmp(place.code[i].name, "main"))
			p->main = p->v_n;
	}
}

char *calls_text(struct trace *t, uint32_t call)
{
	struct path_parts p = {0};
	size_t n = 1, at = 0;
	char *text;

	for (size_t i = 0; call != TRACE_NONE && i < CALLS_MOST; call = t->call[call].caller, i++)
		parts_add(&p, t, t->call[call].code);
	if (!p.main)
		p.main = p.v_n;
	for (size_t i = 0; i < p.main; i++)
		n += strlen(p.v[i]) + strlen(CALLS_ARROW);
	text = mem_alloc(n);
	for (size_t i = p.main; i-- > 0;) {
		size_t length = strlen(p.v[i]);

		memcpy(text + at, p.v[i], length);
		at += length;
		if (i) {
			memcpy(text + at, CALLS_ARROW, strlen(CALLS_ARROW));
			at += strlen(CALLS_ARROW);
		}
	}
	for (size_t i = 0; i < p.v_n; i++)
		free(p.v[i]);
	free(p.v);
	return text;
}
