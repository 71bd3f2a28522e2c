/* commands_noted.c: notes about commands that changed what was recorded while a program ran. */
#include "convert/commands_noted.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/quantity.h"
#include "record/metadata.h"

#define NAMED 8 /* number of ranks in a note */

/* Execution of a command by a process. */
struct execution {
	uint64_t number;
	size_t process;
	int32_t node;
	int64_t at, until; /* equal: it changed nothing, or allowed more; INT64_MAX: it was not undone */
	const char *text;
};
struct executions {
	struct execution *v;
	size_t v_n, v_cap;
};

static const struct verb {
	const char *word, *undo; /* with their blank if a name follows */
	const char *what, *when; /* when: in front of the time */
	const char *on;          /* after the time */
} verbs[] = {
	{"off", "on", "recording off", "from", " on"},
	{"on", NULL, "recording on", "from", " on"},
	{"flush", NULL, "what was recorded was stored", "at", ""},
	{"mark ", NULL, "mark", "at", ""},
	{"no-group ", "group ", "without group", "from", " on"},
	{"group ", NULL, "with group", "from", " on"},
	{"exclude ", "include ", "without regions", "from", " on"},
	{"include ", NULL, "with regions", "from", " on"},
	{"no-sample", "sample ", "without samples", "from", " on"},
	{"sample ", NULL, "samples every", "from", " on"},
	{"no-metrics", "metrics", "without metrics", "from", " on"},
	{"metrics", NULL, "with metrics", "from", " on"},
	{"no-memory", "memory", "without memory tracking", "from", " on"},
	{"memory", NULL, "with memory tracking", "from", " on"},
	{"dump ", NULL, "the run was copied to", "at", ""},
	{"", NULL, "command", "at", ""}, /* of a later version */
};

static const struct verb *verb_of(const char *text, const char **name)
{
	const struct verb *v = verbs;
	size_t n;

	while ((n = strlen(v->word)) && (v->word[n - 1] == ' ' ? strncmp(text, v->word, n)
							       : strcmp(text, v->word)))
		v++;
	*name = text + n;
	return v;
}

static int undoes(const char *later, const char *earlier)
{
	const char *name;
	const struct verb *v = verb_of(earlier, &name);
	size_t n = v->undo ? strlen(v->undo) : 0;

	if (!n || strncmp(later, v->undo, n) != 0)
		return 0;
	return !strcmp(later + n, name) || (!*name && v->undo[n - 1] == ' ');
}

/* ---- which were executed ---- */

/* N of "PREFIX" and N; 0: it is no such name. */
static uint64_t number_after(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	char *end = NULL;
	uint64_t number = 0;

	if (!strncmp(name, prefix, n) && isdigit((unsigned char)name[n]))
		number = strtoull(name + n, &end, 10);
	return end && !*end ? number : 0;
}

static int time_of(const struct trace_process *p, uint64_t number, int64_t *at)
{
	char *name = mem_printf(TAU_META_COMMAND_TIME_NS "%llu", (unsigned long long)number);
	double ns = trace_process_meta_number(p, name);

	free(name);
	return ns >= 0 && ns < 0x1p62 && !__builtin_add_overflow(p->start, (int64_t)ns, at);
}

static void process_commands(struct executions *all, const struct trace *t, size_t process)
{
	const struct trace_process *p = &t->process[process];
	size_t first = all->v_n;

	for (size_t k = 0; k < p->meta_n; k++) {
		uint64_t number = number_after(p->meta[k].name, TAU_META_COMMAND);
		int64_t at;

		if (number && time_of(p, number, &at))
			*array_add(all, v) = (struct execution){
				number, process, p->node, at, at, p->meta[k].value};
	}
	for (size_t i = first; i < all->v_n; i++) {
		struct execution *x = &all->v[i];
		const char *name;
		size_t k = i + 1;

		while (k < all->v_n && !undoes(all->v[k].text, x->text))
			k++;
		if (verb_of(x->text, &name)->undo)
			x->until = k < all->v_n ? all->v[k].at : INT64_MAX;
	}
}

static int by_number(const void *va, const void *vb)
{
	const struct execution *a = va, *b = vb;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

static int affects(const struct execution *x, const struct windows *w)
{
	for (size_t i = 0; i < w->v_n; i++) {
		const struct window_spans *s = window_spans(&w->v[i], x->process);

		for (size_t k = 0; k < s->v_n && x->at < s->v[k].end; k++)
			if (x->at >= s->v[k].begin || x->until > s->v[k].begin)
				return 1;
	}
	return !w->v_n;
}

/* ---- sentences ---- */

/* Processes that ran while the command was executed. */
static size_t running(const struct trace *t, const struct filter *only, int64_t first, int64_t last)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++)
		n += filter_process(only, &t->process[i]) && t->process[i].start <= last &&
		     t->process[i].end >= first;
	return n;
}

/* ", in 2 of 4 processes: nodes 1, 3" */
static void processes_text(FILE *to, const struct trace *t, const struct execution *x, size_t n,
			   size_t all)
{
	if (t->process_n == 1)
		return;
	if (n >= all) {
		if (n < t->process_n)
			fprintf(to, ", in all that ran then: %zu of %zu processes", n,
				t->process_n);
		else
			fprintf(to, ", in all %zu processes", n);
		return;
	}
	fprintf(to, ", in %zu of %zu processes: node%s", n, all, plural(n));
	for (size_t i = 0; i < n && i < NAMED; i++)
		fprintf(to, "%s %d", i ? "," : "", x[i].node);
	if (n > NAMED)
		fprintf(to, " and %zu more", n - NAMED);
}

/* Of a command that n processes executed. */
static char *command_text(const struct trace *t, const struct filter *only,
			  const struct execution *x, size_t n)
{
	int64_t first = x->at, last = x->at;
	const char *name;
	const struct verb *v = verb_of(x->text, &name);
	char *text = NULL, at[QUANTITY_TEXT];
	size_t size;
	FILE *to = mem_stream(&text, &size);

	for (size_t i = 1; i < n; i++) {
		first = x[i].at < first ? x[i].at : first;
		last = x[i].at > last ? x[i].at : last;
	}
	fprintf(to, "%s: command %llu: %s", t->path, (unsigned long long)x->number, v->what);
	if (*name)
		fprintf(to, " '%s'", name);
	fprintf(to, " %s %s%s", v->when, quantity_moment_text((double)first, at), v->on);
	if (last > first)
		fprintf(to, " (the last process: %s)", quantity_moment_text((double)last, at));
	processes_text(to, t, x, n, running(t, only, first, last));
	fclose(to);
	return text;
}

void commands_note(const struct trace *t, const struct windows *w, const struct filter *only,
		   struct load_report *r)
{
	struct executions all = {0};
	size_t n;

	for (size_t i = 0; i < t->process_n; i++)
		if (filter_process(only, &t->process[i]))
			process_commands(&all, t, i);
	if (all.v_n)
		qsort(all.v, all.v_n, sizeof(*all.v), by_number);
	for (size_t i = 0; i < all.v_n; i += n) {
		const struct execution *x = &all.v[i];
		int64_t first = x->at;
		int any = 0;

		for (n = 0; i + n < all.v_n && x[n].number == x->number; n++) {
			any |= affects(&x[n], w);
			first = x[n].at < first ? x[n].at : first;
		}
		if (any)
			*array_add(r, note) = (struct note){.kind = NOTE_COMMAND,
							    .process = n == 1 ? x->process + 1 : 0,
							    .number = (double)x->number,
							    .seconds = (double)first / 1e9,
							    .text = command_text(t, only, x, n)};
	}
	free(all.v);
}
