/*
 * team_waits.c: threads of one process that wait for each other at barriers of OpenMP, for times that
 * are known: what is found must be these, to the nanosecond, with their causes.
 *
 *	         0     1000      2000                                         9000
 *	thread 0 serial [parallel [f ...] implicit barrier] serial [parallel ...]
 *	thread 1        [f ...] [idle                     ] ...
 */
#include <math.h>
#include <string.h>

#include "analyze/messages/waits.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define THREADS 3
#define BEGIN	INT64_C(1000000)

static char dir[] = "/tmp/tau-team-waits.XXXXXX";

static const char *const region[] = {
	"omp parallel: f [{f.c} {1,0}]",	 "f._omp_fn.0 [{f.c} {1,0}]", "work", "extra",
	"omp barrier: f [{f.c} {4,0}]",		 "omp idle",		      "task",
	"omp implicit barrier: f [{f.c} {1,0}]", "MPI_Recv()",		      "serial"};
enum { PARALLEL, OUTLINED, WORK, EXTRA, BARRIER, IDLE, TASK, CLOSING, RECV, SERIAL };
#define REGIONS (sizeof(region) / sizeof(*region))

/* A region of a thread begins (leave 0) or ends. */
struct step {
	int thread, region, leave;
	int64_t at;
};

#define BOTH(thread, region, from, until) {thread, region, 0, from}, {thread, region, 1, until}

static const struct step steps[] = {
	/* The master is late at the first barrier because of extra, and last at the second end. */
	BOTH(0, SERIAL, 0, 1000),
	{0, PARALLEL, 0, 1000},
	{0, OUTLINED, 0, 1010},
	BOTH(0, WORK, 1010, 1110),
	BOTH(0, EXTRA, 1110, 1510),
	BOTH(0, BARRIER, 1510, 1520),
	{0, OUTLINED, 1, 1600},
	BOTH(0, CLOSING, 1600, 2005),
	{0, PARALLEL, 1, 2005},
	BOTH(0, SERIAL, 2005, 3000),
	{0, PARALLEL, 0, 3000},
	{0, OUTLINED, 0, 3000},
	BOTH(0, WORK, 3000, 3900),
	{0, OUTLINED, 1, 3900},
	BOTH(0, CLOSING, 3900, 3910),
	{0, PARALLEL, 1, 3910},
	BOTH(0, SERIAL, 3910, 5000),

	{1, OUTLINED, 0, 1010},
	BOTH(1, WORK, 1010, 1110),
	BOTH(1, BARRIER, 1110, 1530),
	BOTH(1, WORK, 1530, 2000),
	{1, OUTLINED, 1, 2000},
	BOTH(1, IDLE, 2000, 3100),
	{1, OUTLINED, 0, 3100},
	BOTH(1, WORK, 3100, 3200),
	{1, OUTLINED, 1, 3200},
	BOTH(1, IDLE, 3200, 4500),

	/* It executes a task in the barrier, and takes no part in the second team. */
	{2, OUTLINED, 0, 1010},
	BOTH(2, WORK, 1010, 1210),
	{2, BARRIER, 0, 1210},
	BOTH(2, TASK, 1300, 1350),
	{2, BARRIER, 1, 1540},
	{2, OUTLINED, 1, 1900},
	BOTH(2, IDLE, 1900, 4600),
};
#define STEPS (sizeof(steps) / sizeof(*steps))

static int receives; /* the task of thread 2 receives a message */

static void put_receive(struct writer *w, int64_t at)
{
	struct buffer f = {0};

	writer_enter(w, (uint64_t)at, RECV);
	put_zigzag(&f, 0);
	put_zigzag(&f, 1);
	put_varint(&f, 0);
	put_varint(&f, 8);
	writer_extended(w, (uint64_t)at + 5, TAU_REC_RECV, &f);
	writer_leave(w, (uint64_t)at + 5);
}

static void write_thread(const char *run, int thread)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, thread);
	writer_open(&w, path, 100, (uint32_t)thread, (uint64_t)BEGIN, (uint64_t)BEGIN);
	w.limit = 16;
	writer_rank(&w, 0, 1);
	for (size_t i = 0; i < REGIONS; i++)
		writer_region(&w, (uint32_t)i, region[i], i == RECV ? "MPI" : "");
	for (size_t i = 0; i < STEPS; i++) {
		const struct step *s = &steps[i];

		if (s->thread != thread)
			continue;
		if (s->leave)
			writer_leave(&w, (uint64_t)(BEGIN + s->at));
		else
			writer_enter(&w, (uint64_t)(BEGIN + s->at), (uint32_t)s->region);
		if (receives && s->region == TASK && !s->leave)
			put_receive(&w, BEGIN + s->at);
	}
	writer_close(&w);
}

/* ---- what is found ---- */

static struct messages m;
static struct waits x;

static double ns_of(const struct wait_rows *rows, int leaf)
{
	double ns = 0;

	for (size_t i = 0; i < rows->v_n; i++) {
		const struct wait_row *r = &rows->v[i];
		const char *name = r->path ? m.trace->region[m.paths.v[r->path].region].name : "";

		if (r->pattern == WAIT_TEAM && (leaf < 0 || !strcmp(name, region[leaf])))
			ns += r->ns;
	}
	return ns;
}

static void found(const struct wait_rows *rows, const char *what, int leaf, double expected)
{
	double got = ns_of(rows, leaf);

	ok(fabs(got - expected) < 1e-6, "%s, %s: %.3f ns (%.3f)", what,
	   leaf < 0 ? "all" : region[leaf], got, expected);
}

static int64_t without, with; /* time that a use without teams, and one with them, gets */
static int unwanted;	      /* calls of teams that the first one gets */

static void on_spent(void *to, uint32_t stream, const struct message_time *t, size_t n,
		     struct message_call *call)
{
	(void)stream;
	for (size_t i = 0; i < n; i++)
		*(int64_t *)to += t[i].ns;
	unwanted += to == &without && call && call->role;
}

static void on_left(void *to, struct message_call *c, int inside)
{
	(void)inside;
	*(int64_t *)to += c->exclusive;
}

static int analyze(struct trace *t, const struct window_span *span)
{
	struct error e = {0};
	struct messages_use use[3];
	int code;

	without = with = 0;
	m = (struct messages){.trace = t, .span = span, .use = use, .use_n = 3};
	use[0] = waits_use(&x, &m);
	use[1] = (struct messages_use){.spent = on_spent, .left = on_left, .to = &without};
	use[2] = (struct messages_use){
		.spent = on_spent, .left = on_left, .teams = 1, .to = &with};
	code = messages_read(&m, &e);
	if (code)
		printf("# %s\n", e.text);
	waits_end(&x);
	return code;
}

static void release(struct trace *t)
{
	waits_release(&x);
	messages_release(&m);
	trace_free(t);
}

static void test_whole(void)
{
	struct trace *t = run_open(dir, THREADS, write_thread);

	ok(t && !analyze(t, NULL), "the run is read");
	ok(m.found.teams == 3, "%d barriers of several threads", (int)m.found.teams);
	/* 1510 - 1110, and 1510 - 1210 without the task of 50. */
	found(&x.waits, "waits", BARRIER, 400 + 250);
	/* Thread 1 leaves the team at 2000, the master at 1600, thread 2 at 1900; then 3900 - 3200. */
	found(&x.waits, "waits at the end", OUTLINED, 400 + 100 + 700);
	found(&x.waits, "waits", -1, 650 + 400 + 800);
	/* The master is in extra for 400 and begins the team for 10, and works no longer than others. */
	found(&x.causes, "causes", EXTRA, (400 + 250) * 400. / 410);
	/*
	 * Before the first end thread 1 works for 470; it leaves the barrier 10 later than the master.
	 * In the second team the master works 800 longer.
	 */
	found(&x.causes, "causes", WORK, 400 * 470. / 480 + 100 + 700);
	found(&x.causes, "no time before the team began is a cause", SERIAL, 0);
	ok(without == with && with == 3 * 5000, "both get all time: %d, %d", (int)without,
	   (int)with);
	ok(!unwanted, "no call of a team for a use without them");
	release(t);
}

static void test_window(void)
{
	struct window_span span = {1000, 1600};
	struct trace *t = run_open(dir, THREADS, write_thread);

	ok(t && !analyze(t, &span), "a window");
	found(&x.waits, "in the window", BARRIER, 650);
	found(&x.waits, "outside of it", OUTLINED, 0);
	release(t);
}

/* Thread 2 is no member of its barrier then. */
static void test_receives(void)
{
	struct trace *t;

	receives = 1;
	t = run_open(dir, THREADS, write_thread);
	ok(t && !analyze(t, NULL), "a message in a task in a barrier");
	found(&x.waits, "the others wait", BARRIER, 400);
	ok(without == with, "both get all time: %d, %d", (int)without, (int)with);
	release(t);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	test_whole();
	test_window();
	test_receives();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
