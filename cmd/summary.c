/* summary.c: reads the definitions of a run that has ended and says what became of it. */
#include "summary.h"

#include <stdio.h>
#include <string.h>

#include "../convert/native.h"

#define COUNT(a)       (sizeof(a) / sizeof(*(a)))
#define SELECTION_FILE "select.txt"

/* Sums over the processes of a run. */
struct totals {
	unsigned long long events, lost;
	double folded, told; /* calls told by their number, records that tell them */
	double cost_ns, life_ns, cpu_ns;
	double storing_ns;
	double first_bytes, first_records;
};

static double meta_number(const struct trace_process *p, const char *name)
{
	for (size_t i = p->meta_n; i > 0; i--)
		if (!strcmp(p->meta[i - 1].name, name))
			return strtod(p->meta[i - 1].value, NULL);
	return 0;
}

static const char *human(double bytes, char out[32])
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	size_t u = 0;

	while (bytes >= 999.5 && u + 1 < COUNT(units)) {
		bytes /= 1000;
		u++;
	}
	snprintf(out, 32, u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
	return out;
}

static void add(struct totals *to, const struct trace *t, const struct trace_process *p)
{
	unsigned long long n = 0;
	double folded = meta_number(p, "TAU Folded Calls"),
	       told = meta_number(p, "TAU Fold Records");
	double event = meta_number(p, "TAU Event Cost (ps)"),
	       fold = meta_number(p, "TAU Folded Call Cost (ps)");

	for (size_t s = 0; s < p->stream_n; s++) {
		n += t->stream[p->stream[s]].records;
		to->lost += t->stream[p->stream[s]].lost;
	}
	to->events += n;
	to->folded += folded;
	to->told += told;
	to->cost_ns += (((double)n - told) * event + folded * (fold ? fold : 2 * event)) / 1000;
	to->cost_ns += meta_number(p, "TAU Sampling Cost (ns)");
	to->cost_ns += meta_number(p, "TAU Budget Spent On Dropped (ns)");
	to->storing_ns += meta_number(p, "TAU Storing Time (ns)");
	to->life_ns += (double)(p->end - p->start);
	to->cpu_ns +=
		(meta_number(p, "User Time (us)") + meta_number(p, "System Time (us)")) * 1000;
	to->first_bytes += meta_number(p, "TAU First Chunk Bytes");
	to->first_records += meta_number(p, "TAU First Chunk Records");
}

/* ---- what was dropped ---- */

/* The region's name as selection files have it, without its position: its length. */
static int name_length(const char *name)
{
	const char *position = strstr(name, " [{");

	return position ? (int)(position - name) : (int)strlen(name);
}

#define SHOWN 10 /* regions named on the screen; all are in the file and in the metadata */

/* What became of a region somewhere in the run. */
enum limited { LIMIT_OUT, LIMIT_FOLDED };
static const struct limit_kind {
	const char *prefix;
	enum limited what;
} limit_kinds[] = {{"TAU Throttled: ", LIMIT_OUT},
		   {"TAU Dropped: ", LIMIT_OUT},
		   {"TAU Folded: ", LIMIT_FOLDED}};

struct limited_region {
	const char *name;
	enum limited what;
};

struct limited_regions {
	struct limited_region *v;
	size_t v_n, v_cap;
};

static void select_lines(FILE *f, const struct limited_regions *r, enum limited what,
			 const char *before)
{
	for (size_t i = 0; i < r->v_n; i++)
		if (r->v[i].what == what)
			fprintf(f, "%s%.*s\n", before, name_length(r->v[i].name), r->v[i].name);
}

/* out: how many of them are kept out. */
static void select_write(const char *directory, const struct limited_regions *r, size_t out)
{
	char *path = mem_printf("%s/" SELECTION_FILE, directory);
	FILE *f = fopen(path, "we");

	if (f) {
		fputs("# Regions whose recording cost too much: for tau-record --select\n"
		      "BEGIN_EXCLUDE_LIST\n",
		      f);
		select_lines(f, r, LIMIT_OUT, "\"");
		fputs("END_EXCLUDE_LIST\n", f);
		select_lines(f, r, LIMIT_FOLDED, "# folded: ");
	}
	if (f && fclose(f) == 0) {
		if (out)
			fprintf(stderr,
				"tau-record: to keep out from the start what was dropped: --select "
				"%s\n",
				path);
	} else {
		fprintf(stderr, "tau-record: %s: cannot be written\n", path);
	}
	free(path);
}

/* The kind of limit that a line of metadata tells of, NULL: none. */
static const struct limit_kind *limit_of(const struct trace_attribute *a)
{
	for (size_t k = 0; k < COUNT(limit_kinds); k++)
		if (!strncmp(a->name, limit_kinds[k].prefix, strlen(limit_kinds[k].prefix)))
			return &limit_kinds[k];
	return NULL;
}

/* Takes a region in, once however many processes say it; 1: it is new. Dropped outweighs folded. */
static int limited_add(struct limited_regions *r, const char *name, enum limited what)
{
	for (size_t i = 0; i < r->v_n; i++)
		if (!strcmp(r->v[i].name, name)) {
			r->v[i].what = what == LIMIT_OUT ? what : r->v[i].what;
			return 0;
		}
	*array_add(r, v) = (struct limited_region){name, what};
	return 1;
}

static void say_limited(const struct trace *t, const char *directory)
{
	struct limited_regions r = {0};
	size_t out = 0;

	for (size_t p = 0; p < t->process_n; p++)
		for (size_t i = 0; i < t->process[p].meta_n; i++) {
			const struct trace_attribute *a = &t->process[p].meta[i];
			const struct limit_kind *kind = limit_of(a);

			if (kind && limited_add(&r, a->name + strlen(kind->prefix), kind->what) &&
			    r.v_n <= SHOWN)
				fprintf(stderr, "tau-record: %s of node %d, %s\n", a->name + 4,
					(int)t->process[p].node, a->value);
		}
	if (r.v_n > SHOWN)
		fprintf(stderr, "tau-record: and %zu region%s more, which %s/" SELECTION_FILE
			" names\n", r.v_n - SHOWN, plural(r.v_n - SHOWN), directory);
	for (size_t i = 0; i < r.v_n; i++)
		out += r.v[i].what == LIMIT_OUT;
	if (r.v_n)
		select_write(directory, &r, out);
	free(r.v);
}

/* A share that was estimated; large ones come from small differences. */
static const char *percent(double share, char out[40])
{
	snprintf(out, 40, share > 10 ? "more than 1000 %%" : "about %.2g %%", 100 * share);
	return out;
}

/* Did recording stay below the share of the CPU time that it was allowed? */
static void say_budget(const char *directory, const struct trace *t)
{
	double allowed = 0, own = 0, spent = 0, out = 0, records = 0, others = 0;
	char about[40];

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		if (!meta_number(p, "TAU Budget (ppm)"))
			continue;
		allowed = meta_number(p, "TAU Budget (ppm)") / 1e4;
		own += meta_number(p, "TAU Budget Own Time (ns)");
		spent += meta_number(p, "TAU Budget Spent (ns)");
		out += meta_number(p, "TAU Budget Spent On Dropped (ns)");
		records += meta_number(p, "TAU Budget Records");
		others += meta_number(p, "TAU Budget Records Never Dropped");
	}
	if (own <= 0)
		return;
	fprintf(stderr,
		"tau-record: %s: recording cost %s of the program's CPU time, and may cost %.3g "
		"%%\n",
		directory, percent(spent / own, about), allowed);
	if (100 * spent > allowed * own && 2 * others > records)
		fprintf(stderr,
			"tau-record: %s: %.0f of %.0f records are messages, events and "
			"allocations, which are never dropped; --memory=census needs none for each "
			"allocation\n",
			directory, others, records);
	if (200 * out > allowed * own)
		fprintf(stderr,
			"tau-record: %s: calls of dropped functions, whose hooks remain, cost %s "
			"more; a compiler leaves them out with "
			"-finstrument-functions-exclude-function-list\n",
			directory, percent(out / own, about));
}

/* Events that a full trace would have, at the size and the cost that events had here. */
static void say_estimate(const char *directory, const struct trace *t, const struct totals *x)
{
	double events = (double)x->events - x->told + 2 * x->folded;
	double each = x->folded > 0 && x->first_records > 0 ? x->first_bytes / x->first_records
		      : events > 0                          ? (double)t->bytes_total / events
							    : 0;
	double storing = x->events ? x->storing_ns / (double)x->events * events : 0;
	double cost = x->cost_ns + storing;
	double spent = x->cost_ns + x->storing_ns;
	double base = x->cpu_ns > spent ? x->cpu_ns - spent : x->cpu_ns;
	char bytes[32];

	fprintf(stderr,
		"tau-record: %s: a full trace would have about %.0f events and %s, and take %.3g s "
		"(%.2g %%) of "
		"CPU time more\n",
		directory, events, human(events * each, bytes), cost / 1e9,
		base > 0 ? 100 * cost / base : 0.0);
}

void summary(const char *directory, int estimate)
{
	struct error e = {0};
	struct totals x = {0};
	struct trace *t;
	char bytes[32];

	if (native_open_bare(directory, &t, &e) < 0) {
		fprintf(stderr, "tau-record: %s: nothing was recorded (%s)\n", directory, e.text);
		return;
	}
	for (size_t p = 0; p < t->process_n; p++)
		add(&x, t, &t->process[p]);
	fprintf(stderr,
		"tau-record: %s: %zu process%s, %llu events, %s, %llu lost, overhead about %.2g "
		"%%\n",
		directory, t->process_n, t->process_n == 1 ? "" : "es", x.events,
		human((double)t->bytes_total, bytes), x.lost,
		x.life_ns > 0 ? 100 * (x.cost_ns + x.storing_ns) / x.life_ns : 0.0);
	if (estimate)
		say_estimate(directory, t, &x);
	say_limited(t, directory);
	say_budget(directory, t);
	trace_free(t);
}
