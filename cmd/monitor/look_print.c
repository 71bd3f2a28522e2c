/* look_print.c: prints a look for people, as CSV and in the format of OpenMetrics. */
#include "cmd/monitor/look_print.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "cmd/monitor/look_hang.h"
#include "cmd/monitor/look_processes.h"
#include "cmd/monitor/look_summary.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

const char *const look_orders[LOOK_ORDERS] = {"recent", "exclusive", "inclusive", "calls", "name"};

/* ---- order ---- */

static double key(const struct look_region *x, enum look_order order)
{
	switch (order) {
	case LOOK_BY_NEW:
		return isnan(x->new_excl) ? x->excl : x->new_excl;
	case LOOK_BY_INCLUSIVE:
		return x->incl;
	case LOOK_BY_CALLS:
		return x->calls;
	case LOOK_BY_NAME:
		return 0;
	default:
		return x->excl;
	}
}

struct ranked_region {
	double key;
	struct look_region region;
};

static int by_key(const void *x, const void *y)
{
	const struct ranked_region *a = x, *b = y;

	return a->key != b->key ? (a->key < b->key) - (a->key > b->key)
				: strcmp(a->region.name, b->region.name);
}

void look_sort(struct look *l, enum look_order order)
{
	struct ranked_region *r = mem_alloc((l->region_n + 1) * sizeof(*r));

	for (size_t i = 0; i < l->region_n; i++)
		r[i] = (struct ranked_region){key(&l->region[i], order), l->region[i]};
	qsort(r, l->region_n, sizeof(*r), by_key);
	for (size_t i = 0; i < l->region_n; i++)
		l->region[i] = r[i].region;
	free(r);
}

/* ---- text ---- */

static size_t rows(size_t n, size_t top)
{
	return top && top < n ? top : n;
}

/* Tables that have a column: rates need a look before. */
enum { WITH_RATES = 1, WITHOUT_RATES = 2 };

/* One row, a member for each column. */
struct look_region_cells {
	int64_t calls;
	double exclusive, inclusive, rate, recent;
	const char *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field region_fields[] = {
	{FIELD(struct look_region_cells, calls), TABLE_INTEGER, "calls", NULL,
	 .meaning = "number of calls over all threads"},
	{FIELD(struct look_region_cells, exclusive), TABLE_NUMBER, "exclusive", NULL, "s",
	 .precision = 3,
	 .meaning = "time in the region itself, without the regions that it called"},
	{FIELD(struct look_region_cells, inclusive), TABLE_NUMBER, "inclusive", NULL, "s",
	 .precision = 3, .meaning = "time from enter to leave, with the regions that it called"},
	{FIELD(struct look_region_cells, rate), TABLE_NUMBER, "calls_rate", "calls/s",
	 .precision = 1, .spare = 1, .only = WITH_RATES,
	 .meaning = "calls per second since the look before"},
	{FIELD(struct look_region_cells, recent), TABLE_NUMBER, "recent", "recent", "s",
	 .precision = 3, .only = WITH_RATES, .meaning = "exclusive time since the look before"},
	{FIELD(struct look_region_cells, region), TABLE_TEXT, "region", NULL,
	 .fit = region_name_fit, .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void region_put(struct table *t, const struct look *l, const struct look_region *x)
{
	char *name = region_name_short(x->name);

	table_row(t);
	table_put_fields(t, &(struct look_region_cells){
				    .calls = (int64_t)x->calls,
				    .exclusive = x->excl / 1e6,
				    .inclusive = x->incl / 1e6,
				    .rate = l->elapsed > 0 ? x->new_calls / l->elapsed : NAN,
				    .recent = x->new_excl / 1e6,
				    .region = name,
			    });
	free(name);
}

static void regions_text(const struct look *l, const char *path, size_t top, size_t width, FILE *f)
{
	struct table *t = table_new(NULL);
	char *summary = look_summary(l, 0), *alarm = look_hang_alarm(l->hang);
	size_t shown = rows(l->region_n, top);
	char at[QUANTITY_TEXT];

	table_note(t, "%s at %s: %s.", path, quantity_in_text(l->now, 3, "s", at), summary);
	if (alarm)
		table_note(t, "%s.", alarm);
	table_fields(t, region_fields, l->elapsed > 0 ? WITH_RATES : WITHOUT_RATES, NULL);
	for (size_t i = 0; i < shown; i++)
		region_put(t, l, &l->region[i]);
	if (l->unknown && !l->host_n)
		table_remark(t, "%zu process%s may still run on other hosts; --hosts auto looks "
				"there.", l->unknown, l->unknown == 1 ? "" : "es");
	if (shown < l->region_n)
		table_remark(t, "%zu of %zu regions; --top 0 lists all.", shown, l->region_n);
	table_print(t, f, TABLE_AS_TEXT, width);
	table_free(t);
	free(summary);
	free(alarm);
}

static const char *no_open(const struct look_thread *x)
{
	return x->running ? "(none)" : x->unknown ? "(unknown)" : "(ended)";
}

/* One row, a member for each column. */
struct look_thread_cells {
	const char *thread;
	int64_t calls;
	double since;
	const char *open;
};

/* clang-format off: one column, one paragraph */
static const struct table_field thread_fields[] = {
	{FIELD(struct look_thread_cells, thread), TABLE_TEXT, "thread", NULL,
	 .meaning = "rank and number of the thread"},
	{FIELD(struct look_thread_cells, calls), TABLE_INTEGER, "calls", NULL,
	 .meaning = "number of calls"},
	{FIELD(struct look_thread_cells, since), TABLE_NUMBER, "since", "since ms", .precision = 1,
	 .meaning = "time since the innermost region began"},
	{FIELD(struct look_thread_cells, open), TABLE_TEXT, "open", "open regions",
	 .fit = region_name_fit, .meaning = "open regions, the innermost last"},
	{0},
};
/* clang-format on */

static void threads_text(const struct look *l, size_t top, size_t width, FILE *f)
{
	struct table *t = table_new("Threads, and what they have open");

	table_fields(t, thread_fields, 0, NULL);
	for (size_t i = 0; i < rows(l->thread_n, top); i++) {
		const struct look_thread *x = &l->thread[i];
		char *name = mem_printf("%d.%d", x->node, x->thread);
		char *open = x->open ? region_name_short(x->open) : NULL;

		table_row(t);
		table_put_fields(t, &(struct look_thread_cells){
					    .thread = name,
					    .calls = (int64_t)x->calls,
					    .since = x->since / 1e3,
					    .open = open ? open : no_open(x),
				    });
		free(name);
		free(open);
	}
	if (rows(l->thread_n, top) < l->thread_n)
		table_remark(t, "%zu of %zu threads.", rows(l->thread_n, top), l->thread_n);
	table_print(t, f, TABLE_AS_TEXT, width);
	table_free(t);
}

/* One row, a member for each column. */
struct memory_cells {
	double live;
	int64_t blocks;
	const char *type;
};

/* clang-format off: one column, one paragraph */
static const struct table_field memory_fields[] = {
	{FIELD(struct memory_cells, live), TABLE_BYTES, "live", NULL,
	 .meaning = "live bytes"},
	{FIELD(struct memory_cells, blocks), TABLE_INTEGER, "blocks", NULL,
	 .meaning = "number of live blocks"},
	{FIELD(struct memory_cells, type), TABLE_TEXT, "type", NULL,
	 .meaning = "type of the objects"},
	{0},
};
/* clang-format on */

static void memory_rows_text(const struct look *l, size_t top, size_t width, FILE *f)
{
	struct table *t = table_new("Live memory by type, all PEs");

	table_fields(t, memory_fields, 0, NULL);
	for (size_t i = 0; i < rows(l->memory_n, top); i++) {
		table_row(t);
		table_put_fields(t, &(struct memory_cells){
					    .live = l->memory[i].bytes,
					    .blocks = isnan(l->memory[i].blocks)
							      ? FIELD_MISSING
							      : (int64_t)l->memory[i].blocks,
					    .type = l->memory[i].type,
				    });
	}
	table_print(t, f, TABLE_AS_TEXT, width);
	table_free(t);
}

void look_text(const struct look *l, const char *path, size_t top, size_t width, FILE *f)
{
	regions_text(l, path, top, width, f);
	if (l->thread_n) {
		fputc('\n', f);
		threads_text(l, top, width, f);
	}
	if (l->memory_n) {
		fputc('\n', f);
		memory_rows_text(l, top, width, f);
	}
	if (l->thread_n) {
		struct table *t = look_processes_table(l, 0, top);

		fputc('\n', f);
		table_print(t, f, TABLE_AS_TEXT, width);
		table_free(t);
	}
}

/* ---- CSV ---- */

static void number_or_nothing(double v, FILE *f)
{
	if (isfinite(v))
		table_number(f, v);
}

/* In quotes if it needs them; a cell that a spreadsheet would run begins with a '. */
static void csv_text(const char *s, FILE *f)
{
	int quoted = s[strcspn(s, ",\"\r\n")] != 0;

	if (quoted)
		fputc('"', f);
	if (*s && strchr("=+-@", *s))
		fputc('\'', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	if (quoted)
		fputc('"', f);
}

void look_csv(const struct look *l, int header, FILE *f)
{
	size_t hosts[LOOK_HOST_STATES];

	look_host_counts(l, hosts);
	if (header)
		fputs("time_s,region,groups,calls,exclusive_us,inclusive_us,new_calls,"
		      "new_exclusive_us,hosts_missing\n",
		      f);
	for (size_t i = 0; i < l->region_n; i++) {
		const struct look_region *x = &l->region[i];
		const double v[] = {x->calls, x->excl, x->incl, x->new_calls, x->new_excl};

		table_number(f, l->now);
		fputc(',', f);
		csv_text(x->name, f);
		fputc(',', f);
		csv_text(x->groups, f);
		for (size_t k = 0; k < sizeof(v) / sizeof(*v); k++) {
			fputc(',', f);
			number_or_nothing(v[k], f);
		}
		fprintf(f, ",%zu\n", l->host_n - hosts[LOOK_HOST_SHOWN]);
	}
}

/* ---- OpenMetrics ---- */

/* A label's value: backslash, quote and line feed are escaped. */
static void label(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '\n') {
			fputs("\\n", f);
			continue;
		}
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

static void family(FILE *f, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(f, "# TYPE %s %s\n", name, type);
	if (unit)
		fprintf(f, "# UNIT %s %s\n", name, unit);
	fprintf(f, "# HELP %s %s\n", name, help);
}

static void sample(FILE *f, const char *name, const char *key, const char *value, const char *path,
		   double v)
{
	fprintf(f, "%s{run=", name);
	label(f, path);
	if (key) {
		fprintf(f, ",%s=", key);
		label(f, value);
	}
	fputs("} ", f);
	table_number(f, v);
	fputc('\n', f);
}

static void openmetrics_regions(const struct look *l, const char *path, FILE *f)
{
	family(f, "tau_region_calls", "counter", NULL, "Calls of a region, all threads.");
	for (size_t i = 0; i < l->region_n; i++)
		sample(f, "tau_region_calls_total", "region", l->region[i].name, path,
		       l->region[i].calls);
	family(f, "tau_region_exclusive_seconds", "counter", "seconds",
	       "Time in a region without those that it calls, all threads.");
	for (size_t i = 0; i < l->region_n; i++)
		sample(f, "tau_region_exclusive_seconds_total", "region", l->region[i].name, path,
		       l->region[i].excl / 1e6);
	family(f, "tau_region_inclusive_seconds", "counter", "seconds",
	       "Time in a region and those that it calls, all threads.");
	for (size_t i = 0; i < l->region_n; i++)
		sample(f, "tau_region_inclusive_seconds_total", "region", l->region[i].name, path,
		       l->region[i].incl / 1e6);
}

static void openmetrics_hosts(const struct look *l, const char *path, FILE *f)
{
	size_t n[LOOK_HOST_STATES];

	look_host_counts(l, n);
	family(f, "tau_hosts", "gauge", NULL, "Hosts by state.");
	for (int i = 0; i < LOOK_HOST_STATES; i++)
		sample(f, "tau_hosts", "state", look_host_states[i], path, (double)n[i]);
}

/* Of those that are known. */
static void openmetrics_processes(const struct look *l, const char *path, FILE *f)
{
	static const struct {
		const char *name, *type, *unit, *help, *sample;
		size_t offset;
	} number[] = {
		{"tau_process_cpu_seconds", "counter", "seconds", "Processor time of a process.",
		 "tau_process_cpu_seconds_total", offsetof(struct process_use, cpu)},
		{"tau_process_resident_bytes", "gauge", "bytes", "Memory of a process.",
		 "tau_process_resident_bytes", offsetof(struct process_use, resident)},
		{"tau_process_read_bytes", "counter", "bytes", "Bytes that a process has read.",
		 "tau_process_read_bytes_total", offsetof(struct process_use, read)},
		{"tau_process_written_bytes", "counter", "bytes",
		 "Bytes that a process has written.", "tau_process_written_bytes_total",
		 offsetof(struct process_use, written)},
	};

	for (size_t k = 0; k < sizeof(number) / sizeof(*number); k++) {
		size_t known = 0;

		for (size_t i = 0; i < l->process_n; i++) {
			char node[16];
			double v;

			memcpy(&v, (const char *)&l->process[i].use + number[k].offset, sizeof(v));
			if (isnan(v))
				continue;
			if (!known++)
				family(f, number[k].name, number[k].type, number[k].unit,
				       number[k].help);
			snprintf(node, sizeof(node), "%d", l->process[i].node);
			sample(f, number[k].sample, "node", node, path, v);
		}
	}
}

static void openmetrics_hang(const struct look *l, const char *path, FILE *f)
{
	if (!l->hang)
		return;
	family(f, "tau_threads_blocked", "gauge", NULL,
	       "Threads that wait for what can never come.");
	sample(f, "tau_threads_blocked", NULL, NULL, path, (double)l->hang->blocked);
}

void look_openmetrics(const struct look *l, const char *path, FILE *f)
{
	openmetrics_regions(l, path, f);
	if (l->memory_n)
		family(f, "tau_memory_live_bytes", "gauge", "bytes",
		       "Live memory by type, all PEs.");
	for (size_t i = 0; i < l->memory_n; i++)
		sample(f, "tau_memory_live_bytes", "type", l->memory[i].type, path,
		       l->memory[i].bytes);
	family(f, "tau_processes_running", "gauge", NULL, "Processes that are being recorded.");
	sample(f, "tau_processes_running", NULL, NULL, path, (double)l->running);
	family(f, "tau_processes_ended", "gauge", NULL, "Processes that have ended.");
	sample(f, "tau_processes_ended", NULL, NULL, path, (double)l->ended);
	family(f, "tau_processes_unknown", "gauge", NULL,
	       "Processes on other hosts, which are not reached.");
	sample(f, "tau_processes_unknown", NULL, NULL, path, (double)l->unknown);
	if (l->host_n)
		openmetrics_hosts(l, path, f);
	openmetrics_processes(l, path, f);
	openmetrics_hang(l, path, f);
	family(f, "tau_threads", "gauge", NULL, "Threads with a stream.");
	sample(f, "tau_threads", NULL, NULL, path, (double)l->threads);
	family(f, "tau_records", "counter", NULL, "Records in the streams.");
	sample(f, "tau_records_total", NULL, NULL, path, l->records);
	family(f, "tau_lost_events", "counter", NULL, "Events that were not recorded.");
	sample(f, "tau_lost_events_total", NULL, NULL, path, l->lost);
	if (!isnan(l->messages)) {
		family(f, "tau_messages_in_flight", "gauge", NULL,
		       "Messages sent and not yet received.");
		sample(f, "tau_messages_in_flight", NULL, NULL, path, l->messages);
	}
	fputs("# EOF\n", f);
}
