/* overview_facts.c: what ran, where the time went, how well PEs are used, messages, memory, files,
 * from a profile. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/efficiency.h"
#include "analyze/profile/message_counter.h"
#include "analyze/profile/processor_waits.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/queue_use.h"
#include "analyze/profile/region_rows.h"
#include "analyze/stream/counters.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/timer_name.h"
#include "cmd/profile/profile_table.h"
#include "cmd/report/events/comm_variables.h"
#include "cmd/report/overview/overview.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/region_name.h"
#include "record/metadata.h"

#define REGIONS 5
#define QUEUES  5 /* of devices */

/* The first thread that has it, or the trial. */
static const char *meta_of(const struct profile *p, const char *name)
{
	const char *value = profile_meta(p, UINT32_MAX, name);

	for (uint32_t i = 0; i < p->thread_n && !value; i++)
		value = profile_meta(p, i, name);
	return value;
}

/* ---- what ran ---- */

static char *hosts_of(const struct profile *p, size_t *n)
{
	struct names hosts = {0};
	char *list = mem_string("");

	for (uint32_t i = 0; i < p->thread_n; i++) {
		const char *host = profile_meta(p, i, TAU_META_HOSTNAME);

		if (host && *host)
			names_add(&hosts, host, strlen(host));
	}
	for (size_t i = 0; i < hosts.name_n && i < 4; i++) {
		char *more = mem_printf("%s%s%s", list, i ? ", " : "", hosts.name[i]);

		free(list);
		list = more;
	}
	*n = hosts.name_n;
	if (hosts.name_n > 4) {
		char *more = mem_printf("%s ...", list);

		free(list);
		list = more;
	}
	names_release(&hosts);
	return list;
}

static void add_run(struct overview *x)
{
	const char *command = meta_of(x->p, "Command Line");
	double span =
		x->p->end_us > x->p->begin_us ? x->p->end_us - x->p->begin_us : x->use.runtime;
	size_t n;
	char *list;

	if (!command)
		command = meta_of(x->p, TAU_META_EXECUTABLE);
	if (command)
		overview_add(x, SECTION_RUN, mem_string("command"), UNIT_NONE, NAN,
			     mem_string(command));
	list = profile_programs(x->p, &n);
	if (list)
		overview_add(x, SECTION_RUN, mem_string("programs"), UNIT_COUNT, (double)n, list);
	list = hosts_of(x->p, &n);
	overview_add(x, SECTION_RUN, mem_string("PEs"), UNIT_COUNT, (double)profile_pes(x->p),
		     NULL);
	overview_add(x, SECTION_RUN, mem_string("threads"), UNIT_COUNT, x->rows.threads,
		     x->rows.waiting ? mem_printf("and %u that %s wait", x->rows.waiting,
						  x->rows.did ? "mostly" : "only")
				     : NULL);
	if (x->queues)
		overview_add(x, SECTION_RUN, mem_string("queues of devices"), UNIT_COUNT, x->queues,
			     NULL);
	if (n)
		overview_add(x, SECTION_RUN, mem_string("hosts"), UNIT_COUNT, (double)n,
			     mem_string(list));
	overview_add(x, SECTION_RUN, mem_string("time"), UNIT_TIME, span,
		     x->p->window ? mem_printf("window %s", x->p->window) : NULL);
	overview_overhead(x);
	overview_recorder(x);
	free(list);
}

/* ---- where the time went ---- */

char *overview_place(const struct overview *x, uint32_t thread)
{
	int threads = profile_has_threads(x->p);
	char *name = profile_thread_name(&x->p->thread[thread], threads);
	char *place = mem_printf("%s %s", threads ? "thread" : "rank", name);

	free(name);
	return place;
}

static double samples_of(const struct overview *x)
{
	size_t first = region_rows_first(&x->rows, TIMER_SAMPLE);
	double n = 0;

	for (size_t i = first; i < first + x->rows.kind_n[TIMER_SAMPLE]; i++)
		n += x->rows.v[i].calls;
	return n;
}

/* The text beside the time of a row. samples: in all, 0: it is a region. The doubt is twice the standard deviation. NULL: none. */
static char *row_detail(const struct overview *x, const struct region_row *r, double samples)
{
	int spread = x->rows.threads > 1 && !isnan(region_row_imbalance(r));
	double doubt = samples > 0 ? 2 * sqrt(r->calls * (1 - r->calls / samples)) : 0;
	char *place = spread ? overview_place(x, r->largest_at) : NULL, *name = NULL, *out = NULL;

	if (samples > 0 && spread) {
		name = profile_thread_name(&x->p->thread[r->largest_at], profile_has_threads(x->p));
		out = mem_printf("%.0f +/- %.0f; max/mean %.2f on %s", r->calls, doubt,
				 region_row_imbalance(r), name);
	} else if (samples > 0) {
		out = mem_printf(doubt >= 0.5 ? "%.0f sample%s +/- %.0f" : "%.0f sample%s",
				 r->calls, plural((size_t)r->calls), doubt);
	} else if (spread) {
		out = mem_printf("max/mean %.2f, most on %s", region_row_imbalance(r), place);
	}
	free(name);
	free(place);
	return out;
}

/* How many samples there are, so how far the times of functions can be trusted. */
static void add_samples(struct overview *x)
{
	double n = samples_of(x), whole = x->rows.whole[TIMER_SAMPLE];
	char period[QUANTITY_TEXT];

	if (n > 0)
		overview_add(x, SECTION_SAMPLES, mem_string("samples"), UNIT_COUNT, n,
			     mem_printf("one per %s of CPU time",
					time_short(x->o, x->p, x->metric, whole / n, period)));
}

/* The rows of a kind that have most time; shares are of this kind. */
static void add_rows(struct overview *x, enum overview_section section,
		     enum profile_timer_kind kind)
{
	size_t first = region_rows_first(&x->rows, kind), n = x->rows.kind_n[kind];
	size_t from = x->fact_n, shown = 0, others = 0;
	double rest = 0, whole = x->rows.whole[kind];
	double samples = kind == TIMER_SAMPLE ? samples_of(x) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct region_row *r = &x->rows.v[first + i];
		const struct profile_timer *t = &x->p->timer[x->p->path[r->path].timer];
		const char *name = t->name, *code = profile_timer_code(name);

		if (shown == REGIONS) {
			rest += r->excl;
			others++;
			continue;
		}
		shown++;
		overview_add(x, section, overview_name(x, code ? code : name, SIZE_MAX), UNIT_TIME,
			     r->excl, row_detail(x, r, samples));
	}
	if (others)
		overview_add(x, section,
			     mem_printf("(%zu other %s%s)", others,
					kind == TIMER_SAMPLE ? "function" : "region",
					plural(others)),
			     UNIT_TIME, rest, NULL);
	for (size_t i = from; i < x->fact_n; i++)
		x->fact[i].share = whole > 0 ? 100 * x->fact[i].value / whole : NAN;
}

/* The factors of efficiency.h, as tau-report efficiency prints them. */
static void add_efficiency(struct overview *x)
{
	const struct efficiency *f = &x->efficiency;
	double balance = efficiency_balance(f), serial = efficiency_serialisation(f),
	       transfer = efficiency_transfer(f);
	double own = efficiency_has_own(f) ? efficiency_own(f) : 1;
	const char *time = own < 1 ? "time outside of messages" : "useful time";

	overview_add(x, SECTION_USE, mem_string("parallel efficiency"), UNIT_RATIO,
		     balance * (serial * transfer) * own, mem_string("mean useful time / runtime"));
	overview_add(x, SECTION_USE, mem_string("load balance"), UNIT_RATIO, balance,
		     mem_printf("mean / largest %s", time));
	overview_add(x, SECTION_USE, mem_string("communication efficiency"), UNIT_RATIO,
		     serial * transfer, mem_printf("largest %s / runtime", time));
	overview_add(x, SECTION_USE, mem_string("serialisation"), UNIT_RATIO, serial,
		     mem_string("on an ideal network"));
	overview_add(x, SECTION_USE, mem_string("transfer"), UNIT_RATIO, transfer, NULL);
	if (own < 1)
		overview_add(x, SECTION_USE, mem_string("waits for threads and devices"),
			     UNIT_RATIO, own,
			     mem_string("mean useful time / mean time outside of messages"));
}

/* The share of regions without a name in the time of all threads: whether they are messages is unknown. */
static double unnamed(const struct overview *x)
{
	double time = 0, all = 0;

	for (size_t i = 0; i < x->rows.kind_n[TIMER_MEASURED]; i++) {
		const struct region_row *r =
			&x->rows.v[region_rows_first(&x->rows, TIMER_MEASURED) + i];
		const char *name = x->p->timer[x->p->path[r->path].timer].name;

		all += r->excl;
		time += strncmp(name, REGION_UNDEFINED, strlen(REGION_UNDEFINED)) ? 0 : r->excl;
	}
	return all > 0 ? 100 * time / all : 0;
}

static void add_use(struct overview *x)
{
	const struct pe_use *u = &x->use;
	const struct thread_row *most = &x->threads.v[u->largest_at],
				*least = &x->threads.v[u->least_at];

	if (u->n < 2)
		return;
	if (unnamed(x) >= 1) {
		overview_add(x, SECTION_USE, mem_string("parallel efficiency"), UNIT_RATIO, NAN,
			     mem_string("unknown: regions without names may be messages"));
		return;
	}
	if (x->efficiency.n) {
		add_efficiency(x);
	} else {
		overview_add(x, SECTION_USE, mem_string("parallel efficiency"), UNIT_RATIO,
			     u->parallel, mem_string("useful time / time, first threads"));
		overview_add(
			x, SECTION_USE, mem_string("load balance"), UNIT_RATIO, u->load_balance,
			mem_printf("rank %d computes most, %d least", most->node, least->node));
		overview_add(x, SECTION_USE, mem_string("communication efficiency"), UNIT_RATIO,
			     u->communication, NULL);
	}
	if (u->others)
		overview_add(x, SECTION_USE, mem_string("of other programs"), UNIT_COUNT,
			     (double)u->others,
			     mem_string("processes, which are not included here"));
	if (u->threads > u->n)
		overview_add(x, SECTION_USE, mem_string("hybrid efficiency"), UNIT_RATIO, u->hybrid,
			     mem_printf("useful, all %zu threads / runtime", u->threads));
	for (int w = 0; w < WORK_KINDS; w++)
		if (u->work[w] > 0)
			overview_add(x, SECTION_USE, mem_string(region_work_name(w)), UNIT_TIME,
				     u->work[w], mem_string("of first threads"));
}

/* ---- devices ---- */

/* The busiest queues; shares are of the time of their process. */
static void add_devices(struct overview *x)
{
	struct queue_use q;
	double rest = 0;
	size_t i;

	if (!x->queues)
		return;
	queue_use_make(&q, x->p, x->metric);
	for (i = 0; i < q.v_n && i < QUEUES && q.v[i].busy > 0; i++) {
		const struct queue_row *r = &q.v[i];
		char life[QUANTITY_TEXT],
			*name = overview_name(x, x->p->timer[r->top].name, OVERVIEW_REGION);
		char *place = overview_place(x, r->thread);

		overview_add(x, SECTION_DEVICES, mem_string(r->name ? r->name : place), UNIT_TIME,
			     r->busy,
			     mem_printf("busy, of the %s of rank %d; most in %s",
					time_short(x->o, x->p, x->metric, r->life, life),
					x->p->thread[r->thread].node, name));
		x->fact[x->fact_n - 1].share = 100 * queue_share(r);
		free(place);
		free(name);
	}
	for (size_t k = i; k < q.v_n; k++)
		rest += q.v[k].busy;
	if (i < q.v_n) {
		overview_add(x, SECTION_DEVICES,
			     mem_printf("(%zu other queue%s)", q.v_n - i, plural(q.v_n - i)),
			     UNIT_TIME, rest, NULL);
		x->fact[x->fact_n - 1].share = NAN;
	}
	queue_use_release(&q);
}

/* ---- imbalance ---- */

#define IMBALANCES 3
#define EXPLAINED  0.3  /* of it: if others wait that long for late ranks, these are the finding */
#define LEAST_LOST 0.01 /* of all time, of those after the first */

/* Is one slow instance the reason, which is a finding of its own? */
static int is_slow_instance(const struct overview *x, const struct imbalance_row *r,
			    const char *name)
{
	return x->slow_region && !strcmp(x->slow_region, name) &&
	       x->p->thread[r->largest_at].node == x->slow_node &&
	       2 * x->slow_most_us >= r->largest - imbalance_mean(r);
}

/* Shares of metrics that are no time have a base of their own (imbalance.h). */
static void share_lost(const struct overview *x, struct overview_fact *f)
{
	f->share = x->imbalance.whole > 0 ? 100 * f->value / x->imbalance.whole : NAN;
}

/* What time outside of all regions is, and what shows more of it. */
static const char *outside(const struct overview *x, const char *region)
{
	if (strcmp(region, REGION_ROOT) != 0)
		return "";
	return x->rows.kind_n[TIMER_SAMPLE]
		       ? "; that is time outside of all recorded regions"
		       : "; that is time outside of all recorded regions, whose functions "
			 "samples show (tau-record without --sample=none)";
}

static void add_imbalance_of(struct overview *x, const struct imbalance_row *r, int shown)
{
	const char *full = x->p->timer[x->p->path[r->path].timer].name;
	char *name = overview_name(x, full, SIZE_MAX), *word = overview_word(x, full);
	char *brief = overview_name(x, full, OVERVIEW_REGION);
	char *most = overview_place(x, r->largest_at), *least = overview_place(x, r->least_at),
	     *run = overview_run(x), largest[QUANTITY_TEXT], mean[QUANTITY_TEXT];

	if (shown) {
		overview_add(x, SECTION_IMBALANCE, mem_string(name), UNIT_TIME, r->lost,
			     mem_printf("max/mean %.2f, most on %s, least on %s",
					imbalance_ratio(r), most, least));
		share_lost(x, &x->fact[x->fact_n - 1]);
	}
	if (!is_slow_instance(x, r, full) && overview_late(x, full) < EXPLAINED * r->lost) {
		overview_find(x, TOPIC_IMBALANCE, mem_printf("imbalance of %s", brief), UNIT_TIME,
			      r->lost,
			      mem_printf("%s has %s, the mean of %u is %s%s", most,
					 time_short(x->o, x->p, x->metric, r->largest, largest),
					 r->n,
					 time_short(x->o, x->p, x->metric, imbalance_mean(r), mean),
					 outside(x, full)),
			      mem_printf("tau-report threads %s %s", word, run));
		share_lost(x, &x->finding[x->finding_n - 1]);
	}
	free(name);
	free(brief);
	free(word);
	free(most);
	free(least);
	free(run);
}

static void add_imbalance(struct overview *x)
{
	for (size_t i = 0; i < x->imbalance.useful_n && i < IMBALANCES; i++) {
		double lost = x->imbalance.v[i].lost;

		if (lost > 0)
			add_imbalance_of(x, &x->imbalance.v[i],
					 !i || lost >= LEAST_LOST * x->imbalance.whole);
	}
}

/* ---- counters ---- */

struct facts_count {
	double n, sum;
};

/* Sum of counters without context, over all threads; name NULL: of collective operations. */
static struct facts_count counted_of(const struct profile *p, const char *name)
{
	struct facts_count c = {0, 0};

	for (size_t i = 0; i < p->thread_n; i++)
		for (size_t k = 0; p->thread[i].node >= 0 && k < p->thread[i].sample_n; k++) {
			const struct profile_sample *s = &p->thread[i].sample[k];
			const char *counter = p->counter[s->counter].name;

			if (s->path != PROFILE_FLAT ||
			    (name ? strcmp(counter, name) != 0 : !counters_collective(counter)))
				continue;
			c.n += s->n;
			c.sum += s->n * s->mean;
		}
	return c;
}

static void add_counter(struct overview *x, enum overview_section section, const char *item,
			const char *counter, const char *what)
{
	struct facts_count c = counted_of(x->p, counter);
	int moved = counter && section == SECTION_MESSAGES;
	size_t pes = profile_pes(x->p);

	x->moved += moved ? c.n : 0;
	x->moved_bytes += moved ? c.sum : 0;
	if (c.n > 0)
		overview_add(x, section, mem_string(item), UNIT_BYTES, c.sum,
			     mem_printf("%.0f %s%s, %.6g per PE", c.n, what, c.n > 1 ? "s" : "",
					c.n / (pes ? (double)pes : 1)));
}

static int is_heap_used(const char *counter)
{
	return !strcmp(counter, TAU_EVENT_SYMMETRIC_HEAP_USED);
}

/* The largest value of the counters that is_meant() names, -1 without any. *at: its thread. */
static double counter_most(const struct profile *p, int (*is_meant)(const char *), uint32_t *at)
{
	double most = -1;

	for (uint32_t i = 0; i < p->thread_n; i++)
		for (size_t k = 0; p->thread[i].node >= 0 && k < p->thread[i].sample_n; k++) {
			const struct profile_sample *s = &p->thread[i].sample[k];

			if (s->path != PROFILE_FLAT || !(s->max > most) ||
			    !is_meant(p->counter[s->counter].name))
				continue;
			most = s->max;
			*at = i;
		}
	return most;
}

/* The longest queue of unexpected messages, where it was recorded. */
static void add_unexpected(struct overview *x)
{
	uint32_t at = 0;
	double most = counter_most(x->p, comm_is_unexpected, &at);
	char *place;

	if (most < 0)
		return;
	place = overview_place(x, at);
	overview_add(x, SECTION_MESSAGES, mem_string("unexpected queue"), UNIT_COUNT, most,
		     mem_printf("messages without a receive at most, on %s", place));
	free(place);
}

static void add_counters(struct overview *x)
{
	add_counter(x, SECTION_MESSAGES, "sent", message_counter_all(MESSAGE_SENT), "message");
	add_counter(x, SECTION_MESSAGES, "collective operations", NULL, "operation");
	add_counter(x, SECTION_MESSAGES, "put", message_counter_all(MESSAGE_PUT), "put");
	add_counter(x, SECTION_MESSAGES, "got", message_counter_all(MESSAGE_GOT), "get");
	add_counter(x, SECTION_MESSAGES, "atomic", message_counter_all(MESSAGE_ATOMIC), "atomic");
	add_unexpected(x);
	add_counter(x, SECTION_FILES, "read", COUNTERS_BYTES_READ, "read");
	add_counter(x, SECTION_FILES, "written", COUNTERS_BYTES_WRITTEN, "write");
	add_counter(x, SECTION_FILES, "read by MPI", COUNTERS_MPI_BYTES_READ, "read");
	add_counter(x, SECTION_FILES, "written by MPI", COUNTERS_MPI_BYTES_WRITTEN, "write");
}

/* ---- memory ---- */

/* Programs that use memory without asking whether they got it crash later. */
static void add_symmetric_heap(struct overview *x)
{
	struct facts_count refused = counted_of(x->p, TAU_EVENT_SYMMETRIC_HEAP_REFUSED);
	uint32_t at = 0;
	double most = counter_most(x->p, is_heap_used, &at);
	char *run;

	if (most >= 0)
		overview_add(x, SECTION_MEMORY, mem_string("symmetric heap"), UNIT_BYTES, most,
			     mem_printf("rank %d, most in use at once", x->p->thread[at].node));
	if (!(refused.n > 0))
		return;
	run = overview_run(x);
	overview_find(x, TOPIC_MEMORY, mem_string("requests that the symmetric heap refused"),
		      UNIT_BYTES, refused.sum,
		      mem_printf("%.0f request%s got no memory; SHMEM_SYMMETRIC_SIZE sets the size "
				 "of the heap",
				 refused.n, refused.n > 1 ? "s" : ""),
		      mem_printf("tau-report tree %s", run));
	free(run);
}

static void add_memory(struct overview *x)
{
	double most = 0, sum = 0, lost = 0;
	uint32_t at = 0, n = 0;

	for (uint32_t i = 0; i < x->p->thread_n; i++) {
		double peak = profile_meta_number(x->p, i, TAU_META_PEAK_RESIDENT_KB),
		       bytes = isnan(peak) ? 0 : 1024 * peak,
		       leak = profile_meta_number(x->p, i, TAU_META_MEMORY_LOST_BYTES);

		if (x->p->thread[i].node < 0 || x->p->thread[i].thread)
			continue;
		lost += isnan(leak) ? 0 : leak;
		sum += bytes;
		n += bytes > 0;
		if (bytes > most) {
			most = bytes;
			at = i;
		}
	}
	if (n) {
		overview_add(x, SECTION_MEMORY, mem_string("largest process"), UNIT_BYTES, most,
			     mem_printf("rank %d, peak resident size", x->p->thread[at].node));
		overview_add(x, SECTION_MEMORY, mem_string("mean of processes"), UNIT_BYTES,
			     sum / n, NULL);
	}
	if (lost > 0) {
		char *run = overview_run(x);

		overview_add(x, SECTION_MEMORY, mem_string("leaked"), UNIT_BYTES, lost, NULL);
		overview_find(x, TOPIC_MEMORY, mem_string("blocks that were never freed"),
			      UNIT_BYTES, lost, mem_string("nothing points to them at the end"),
			      mem_printf("tau-report leaks %s", run));
		free(run);
	}
	add_symmetric_heap(x);
}

/* ---- waiting for processors ---- */

/* "4.0 threads at once share 2 processors of n1; at least 30 % is because of other work there". To be freed. */
static char *why_waiting(const struct processor_waits *w)
{
	const char *host = w->host ? w->host : "a host";
	char other[64 + QUANTITY_TEXT] = "", share[QUANTITY_TEXT];

	if (w->other >= 0.1 * w->us)
		snprintf(other, sizeof(other), "; at least %s is because of other work there",
			 quantity_in_text(100 * w->other / w->us, 0, "%", share));
	if (w->crowd == CROWD_HOST)
		return mem_printf("%.1f threads at once share %.0f processor%s of %s%s", w->at_once,
				  w->processors, plural((size_t)w->processors), host, other);
	if (w->crowd == CROWD_PROCESS)
		return mem_printf("%.1f threads of rank %d are bound to %.0f processor%s of %s",
				  w->at_once, w->node, w->processors,
				  plural((size_t)w->processors), host);
	return mem_printf("most on rank %d; other work on %s", w->node, host);
}

/* The kernel counts it for the whole run. */
static void add_processors(struct overview *x)
{
	struct processor_waits w;
	char *run;

	if (x->p->window || !profile_is_time(x->p, x->metric))
		return;
	processor_waits_make(&w, x->p, &x->threads);
	if (!w.threads || w.us * 1000 < x->whole)
		return;
	x->processors = w.us;
	overview_add(x, SECTION_WAITING, mem_string("for a processor"), UNIT_TIME, w.us,
		     why_waiting(&w));
	run = overview_run(x);
	overview_find(x, TOPIC_CONDITION,
		      mem_string(w.crowd ? "too few processors" : "other work on the processors"),
		      UNIT_TIME, w.us, why_waiting(&w),
		      mem_printf("tau-report profile --by thread %s", run));
	free(run);
}

void overview_facts(struct overview *x, int waits)
{
	add_run(x);
	add_rows(x, SECTION_TIME, TIMER_MEASURED);
	add_samples(x);
	add_rows(x, SECTION_SAMPLES, TIMER_SAMPLE);
	add_use(x);
	add_devices(x);
	add_imbalance(x);
	add_counters(x);
	add_processors(x);
	overview_asleep(x);
	add_memory(x);
	overview_work(x, waits);
}
