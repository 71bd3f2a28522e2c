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

	for (size_t s = 0; s < p->stream_n; s++) {
		n += t->stream[p->stream[s]].records;
		to->lost += t->stream[p->stream[s]].lost;
	}
	to->events += n;
	to->folded += folded;
	to->told += told;
	to->cost_ns +=
		((double)n - told + 2 * folded) * meta_number(p, "TAU Event Cost (ps)") / 1000;
	to->cost_ns += meta_number(p, "TAU Sampling Cost (ns)");
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

static void select_write(const char *directory, const char *const *name, size_t n)
{
	char *path = mem_printf("%s/" SELECTION_FILE, directory);
	FILE *f = fopen(path, "we");

	if (f) {
		fputs("# Regions that cost more than the budget: for tau-record --select\n"
		      "BEGIN_EXCLUDE_LIST\n",
		      f);
		for (size_t i = 0; i < n; i++)
			fprintf(f, "\"%.*s\"\n", name_length(name[i]), name[i]);
		fputs("END_EXCLUDE_LIST\n", f);
	}
	if (f && fclose(f) == 0)
		fprintf(stderr, "tau-record: to keep them out from the start: --select %s\n", path);
	else
		fprintf(stderr, "tau-record: %s: cannot be written\n", path);
	free(path);
}

static void say_dropped(const struct trace *t, const char *directory)
{
	static const char *const prefixes[] = {"TAU Throttled: ", "TAU Dropped: "};
	struct {
		const char **v;
		size_t v_n, v_cap;
	} dropped = {0};

	for (size_t p = 0; p < t->process_n; p++)
		for (size_t i = 0; i < t->process[p].meta_n; i++)
			for (size_t k = 0; k < COUNT(prefixes); k++) {
				const struct trace_attribute *a = &t->process[p].meta[i];
				size_t n = strlen(prefixes[k]), seen = 0;

				if (strncmp(a->name, prefixes[k], n) != 0)
					continue;
				fprintf(stderr, "tau-record: %s of node %d, %s\n", a->name + 4,
					(int)t->process[p].node, a->value);
				while (seen < dropped.v_n &&
				       strcmp(dropped.v[seen], a->name + n) != 0)
					seen++;
				if (seen == dropped.v_n)
					*array_add(&dropped, v) = a->name + n;
			}
	if (dropped.v_n)
		select_write(directory, dropped.v, dropped.v_n);
	free(dropped.v);
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
	say_dropped(t, directory);
	trace_free(t);
}
