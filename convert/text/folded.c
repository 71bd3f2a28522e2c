/*
 * folded.c: reads and writes folded stacks, from which flame graphs are made: lines
 * "main;solve;MPI_Send() 12". The reader takes the number as metric COUNT, since the file does not
 * name its metric, and calls are unknown. The writer writes the exclusive time in whole nanoseconds
 * (the exclusive value of another metric), all threads added up.
 */
#include <math.h>
#include <string.h>

#include "analyze/profile/context.h"
#include "analyze/profile/profile.h"
#include "convert/calltree.h"
#include "analyze/base/number.h"
#include "convert/profile_format.h"
#include "record/metadata.h"

#define DEPTH_MAX 4096

/* ---- reading ---- */

struct folded_reader {
	const char *path;
	struct error *e;
	struct profile *p;
	size_t line;
	struct calltree_node *node;
	size_t node_n, node_cap;
	struct names nodes; /* (timer, parent) -> node */
	double *value;
	size_t value_n, value_cap;
	size_t stacks, odd, odd_line; /* odd: lines without a stack; the first of them */
	size_t pairs, single_line;    /* stacks with two numbers; the first line with one, 0: there is none */
	struct names firsts;	      /* what is before both */
	const char *odd_what;
};

static int bad(struct folded_reader *r, const char *what)
{
	return error_set(r->e, ERROR_INPUT, "%s: line %zu: %s", r->path, r->line, what);
}

/* A line that is not included. */
static void odd(struct folded_reader *r, const char *what)
{
	if (!r->odd++) {
		r->odd_line = r->line;
		r->odd_what = what;
	}
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The begin of the number at the end of a line, after a blank; NULL: there is none. */
static const char *number_at(const char *line, const char *end)
{
	const char *s = end;
	int dots = 0;

	while (s > line && ((s[-1] >= '0' && s[-1] <= '9') || s[-1] == '.'))
		dots += *--s == '.';
	return s == end || s - line < 2 || !is_blank(s[-1]) || dots > 1 || *s == '.' ? NULL : s;
}

static uint32_t node_for(struct folded_reader *r, const char *name, size_t n, uint32_t parent)
{
	char *copy = mem_printf("%.*s", (int)n, name);
	uint32_t key[2] = {context_add_timer(r->p, copy, NULL), parent};
	uint32_t id = names_add(&r->nodes, (const char *)key, sizeof(key));

	free(copy);
	if (id == r->node_n) {
		*array_add(r, node) = (struct calltree_node){.timer = key[0], .parent = parent};
		*array_add(r, value) = 0;
	}
	return id;
}

/* Notes a stack that ends with a number, too, before its number. */
static void read_pair(struct folded_reader *r, const char *line, const char *number)
{
	const char *first;

	while (number > line && is_blank(number[-1]))
		number--;
	first = number_at(line, number);
	if (!first) {
		r->single_line = r->single_line ? r->single_line : r->line;
		return;
	}
	r->pairs++;
	names_add(&r->firsts, line, (size_t)(first - line));
}

/*
 * Two numbers in most lines, or names that end with one, as "step 1" and "step 2"? Without their numbers, such names are mostly the
 * same, whereas the stacks of two files that were compared differ. One line shows nothing.
 */
static int is_compared(const struct folded_reader *r)
{
	return r->pairs > 1 && r->pairs > r->stacks / 2 && r->firsts.name_n == r->pairs;
}

/* Is the stack before the number one that can be read? NULL, or what is wrong. */
static const char *stack_wrong(const char *line, const char *number)
{
	size_t depth = 0, names = 0;

	while (line < number) {
		const char *semicolon = memchr(line, ';', (size_t)(number - line));
		const char *behind = semicolon ? semicolon : number;

		if (behind - line > INT32_MAX / 2 || ++depth > DEPTH_MAX)
			return "a stack of more than 4096 frames, or a name too long";
		while (line < behind && is_blank(*line))
			line++;
		names += line < behind;
		line = behind + (semicolon != NULL);
	}
	return names ? NULL : "a stack without frames";
}

static void read_line(struct folded_reader *r, const char *line, const char *end)
{
	const char *number = number_at(line, end), *wrong;
	uint32_t node = PROFILE_FLAT;

	wrong = memchr(line, 0, (size_t)(end - line)) ? "a NUL byte in a text file"
		: number			       ? stack_wrong(line, number)
						       : "expected 'a;b;c NUMBER'";
	if (wrong) {
		odd(r, wrong);
		return;
	}
	read_pair(r, line, number);
	r->stacks++;
	while (line < number) {
		const char *semicolon = memchr(line, ';', (size_t)(number - line));
		const char *behind = semicolon ? semicolon : number, *stop = behind;

		/* There are blanks before the number, so names end without blanks. */
		while (stop > line && is_blank(stop[-1]))
			stop--;
		while (line < stop && is_blank(*line))
			line++;
		if (stop > line)
			node = node_for(r, line, (size_t)(stop - line), node);
		line = behind + (semicolon != NULL);
	}
	r->value[node] += strtod(number, NULL);
}

/* The next line, without blanks and a carriage return at its end. */
static const char *line_end(const char *line, const char *end, const char **next)
{
	const char *stop = memchr(line, '\n', (size_t)(end - line));

	*next = stop ? stop + 1 : end;
	stop = stop ? stop : end;
	while (stop > line && is_blank(stop[-1]))
		stop--;
	return stop;
}

/* Lines without a stack: blank ones, and comments such as the "# mode: wall" of Austin. */
static int is_empty(const char *line, const char *end)
{
	return line == end || (end - line > 1 && line[0] == '#' && is_blank(line[1]));
}

/*
 * Of the first lines, up to eight, at most one in three is no stack, and none if no stack has two frames, because any text may have
 * numbers at the ends of its lines. The last one may be cut where only the begin of a file is known.
 */
int folded_is(const unsigned char *p, size_t n)
{
	const char *line = (const char *)p, *end = line + n, *next;
	int lines = 0, odd = 0, deep = 0;

	if (memchr(p, 0, n < 4096 ? n : 4096))
		return 0;
	for (int i = 0; i < 8 && line < end; i++, line = next) {
		const char *stop = line_end(line, end, &next);

		if (is_empty(line, stop))
			continue;
		if (number_at(line, stop)) {
			lines++;
			deep |= memchr(line, ';', (size_t)(stop - line)) != NULL;
		} else if (next < end || end[-1] == '\n') {
			odd++;
		}
	}
	return lines > 0 && (!odd || (deep && lines >= 2 * odd));
}

/* Notes what is not included, and an end that may be missing. */
static void odd_note(struct folded_reader *r, int cut)
{
	static const char end[] = "the last line has no line end, so its number may be cut short";
	char *odd = r->odd ? mem_printf("%zu line%s without a stack, the first is line %zu: %s",
					r->odd, plural(r->odd), r->odd_line, r->odd_what)
			   : NULL;
	char *all = cut ? mem_printf("%s%s%s", odd ? odd : "", odd ? "; " : "", end) : NULL;

	if (odd || all)
		profile_set_meta(r->p, UINT32_MAX, TAU_META_TEXT_IGNORED, all ? all : odd);
	free(odd);
	free(all);
}

/* What is no file of folded stacks after all. */
static int check(struct folded_reader *r)
{
	if (r->odd > r->stacks) {
		r->line = r->odd_line;
		return bad(r, r->odd_what);
	}
	if (is_compared(r) && r->single_line)
		return error_set(
			r->e, ERROR_INPUT,
			"%s: %zu of %zu lines have two numbers, as difffolded.pl writes them, and "
			"line %zu has one: take the files that it compared, or keep one number",
			r->path, r->pairs, r->stacks, r->single_line);
	if (is_compared(r))
		return error_set(r->e, ERROR_INPUT,
				 "%s: each line has two numbers, as difffolded.pl writes them: "
				 "take the files that it compared, or keep one number",
				 r->path);
	return 0;
}

int folded_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
		struct error *e)
{
	struct folded_reader r = {.path = path, .e = e, .p = profile_new()};
	const char *line = (const char *)p, *end = line + n, *next;
	int code;

	profile_add_metric(r.p, "COUNT");
	for (; line < end; line = next) {
		const char *stop = line_end(line, end, &next);

		r.line++;
		if (!is_empty(line, stop))
			read_line(&r, line, stop);
	}
	code = check(&r);
	if (!code) {
		double *calls = mem_alloc((r.node_n + 1) * sizeof(*calls));

		odd_note(&r, n && end[-1] != '\n');
		r.p->source = 999;
		calltree_paths(r.p, r.node, r.node_n);
		calltree_rows(r.p, profile_add_thread(r.p, 0, 0, 0), r.node, r.node_n, calls,
			      r.value, "");
		free(calls);
		profile_sort(r.p);
		*out = r.p;
	} else {
		profile_free(r.p);
	}
	names_release(&r.nodes);
	names_release(&r.firsts);
	free(r.node);
	free(r.value);
	return code;
}

/* ---- writing ---- */

static void put_frame(FILE *f, const char *s)
{
	for (; *s; s++)
		putc(*s == ';' ? ',' : *s == '\n' || *s == '\r' ? ' ' : *s, f);
}

static void put_stack(FILE *f, const struct profile *p, uint32_t path, double value)
{
	struct {
		uint32_t *v;
		size_t v_n, v_cap;
	} frame = {0};

	for (; path != PROFILE_FLAT; path = p->path[path].parent)
		*array_add(&frame, v) = p->path[path].timer;
	while (frame.v_n-- > 0) {
		put_frame(f, p->timer[frame.v[frame.v_n]].name);
		putc(frame.v_n ? ';' : ' ', f);
	}
	number_print(f, value);
	putc('\n', f);
	free(frame.v);
}

/* The values of a sample are also part of the timer around it. */
static void sampled_add(const struct profile *p, double *own, uint32_t path, double v)
{
	uint32_t within = profile_path_measured(p, path);

	if (profile_timer_kind(&p->timer[p->path[path].timer]) == TIMER_SAMPLE &&
	    within != PROFILE_FLAT)
		own[within] -= v;
}

/* A timer's own row is the sum over its call paths: what those do not account for is a stack of its
 * own. Samples refine it, so that the whole remains the time that passed. */
void folded_print(FILE *f, struct profile *p, size_t nth, size_t n)
{
	int time = profile_is_time(p, 0);
	double *own = mem_alloc((p->path_n + 1) * sizeof(*own));
	double *below = mem_alloc((p->timer_n + 1) * sizeof(*below));

	(void)nth;
	(void)n;
	for (size_t t = 0; t < p->thread_n && p->metric_n; t++)
		for (size_t i = 0; i < p->thread[t].row_n && p->thread[t].node >= 0; i++) {
			const struct profile_row *r = &p->thread[t].row[i];
			double v = *profile_excl(p, &p->thread[t], r);

			if (profile_timer_kind(&p->timer[p->path[r->path].timer]) == TIMER_STACK)
				continue;
			own[r->path] += v;
			sampled_add(p, own, r->path, v);
			if (p->path[r->path].parent != PROFILE_FLAT)
				below[p->path[r->path].timer] += v;
		}
	for (uint32_t i = 0; i < p->path_n; i++) {
		double v = own[i], whole = fabs(v);

		if (p->path[i].parent == PROFILE_FLAT)
			v -= below[p->path[i].timer];
		/* Sums in another order may differ in their last digits. */
		v = time ? rint(v * 1000) : fabs(v) <= whole * 1e-12 ? 0 : v;
		if (v > 0)
			put_stack(f, p, i, v);
	}
	free(own);
	free(below);
}
