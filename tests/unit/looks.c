/*
 * looks.c: looks as bytes and back, their sums, and what a helper may send instead: streams that are cut anywhere, and with bytes changed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/shared/find_hosts.h"
#include "cmd/monitor/frame.h"
#include "cmd/monitor/host_loss.h"
#include "cmd/shared/host_list.h"
#include "cmd/monitor/look_bytes.h"
#include "cmd/monitor/look_merge.h"
#include "cmd/monitor/look_json.h"
#include "cmd/monitor/look_print.h"
#include "cmd/monitor/look_summary.h"
#include "seed.h"
#include "tap.h"

static void region(struct look *l, const char *name, double calls, double excl, double new_calls)
{
	*array_add(l, region) = (struct look_region){mem_string(name), mem_string("MPI"), calls,
						     excl, 2 * excl, new_calls, excl / 2, 0};
}

static void process(struct look *l, int32_t node, uint32_t pid, uint64_t id, int64_t rank)
{
	*array_add(l, process) = (struct look_process){.node = node, .pid = pid,
						       .host = mem_string("n"), .running = 1,
						       .id = id, .rank = rank,
						       .use = {1, 2, 3, NAN, 5, 0}, .load = 0.5,
						       .top = {{mem_string("f"), 7}}, .top_n = 1};
	*array_add(l, thread) = (struct look_thread){
		.node = node, .label = mem_string("main"), .running = 1, .calls = pid,
		.time = 3, .useful = 0.5, .open = mem_string("main => f"), .since = 2,
		.new_calls = 1};
	l->running++;
	l->pes++;
	l->threads++;
}

static struct look example(int which)
{
	struct look l = {.now = 10 + which, .elapsed = 1, .records = 100, .lost = 1,
			 .messages = which ? NAN : 3, .bytes = which ? NAN : 24};

	region(&l, "main", 1, 10.001, 0);
	region(&l, which ? "g" : "f", 5, 20.002, 2);
	*array_add(&l, memory) = (struct look_memory){mem_string("mesh"), 4096, 2};
	*array_add(&l, host) = (struct look_host){.name = mem_string(which ? "b" : "a"),
						  .state = which ? LOOK_HOST_LOST : LOOK_HOST_SHOWN,
						  .now = l.now, .lost = which ? 3 : NAN,
						  .again = which ? 1 : NAN, .tries = (size_t)which};
	return l;
}

static int same_bytes(const struct buffer *a, const struct buffer *b)
{
	return a->v_n == b->v_n && !memcmp(a->v, b->v, a->v_n);
}

static void there_and_back(void)
{
	struct look l = example(0), back;
	struct buffer one = {0}, two = {0};
	size_t cut = 0, n = 0;

	process(&l, 0, 4711, 77, -1);
	look_put(&one, &l);
	ok(!look_get(one.v, one.v_n, &back), "a look can be read");
	look_put(&two, &back);
	ok(same_bytes(&one, &two), "it is the same look");
	ok(back.running == 1 && !back.ended && back.thread_n == 1, "it has one process");
	look_release(&back);
	for (; n < one.v_n; n++) {
		cut += look_get(one.v, n, &back) != 0;
		if (cut <= n)
			look_release(&back);
	}
	ok(cut == n, "a look that is cut after %zu of %zu bytes is refused", cut, n);
	put_byte(&one, 0);
	ok(look_get(one.v, one.v_n, &back) < 0, "and one with a byte more");
	look_release(&l);
	free(one.v);
	free(two.v);
}

static void lost_there_and_back(void)
{
	struct look l = example(1), back;
	struct buffer b = {0};

	look_put(&b, &l);
	ok(!look_get(b.v, b.v_n, &back) && back.host[0].state == LOOK_HOST_LOST &&
		   back.host[0].lost == 3 && back.host[0].again == 1 && back.host[0].tries == 1,
	   "a look has since when a host is lost, and when it is tried again");
	look_release(&back);
	look_release(&l);
	free(b.v);
}

static void pauses(void)
{
	static const int pause_s[] = {1, 2, 4, 8, 16, 32, 60, 60};
	struct host_loss l = {0};
	struct look_host x = {.again = NAN};
	int64_t at = 0;
	size_t right = 0;

	for (size_t i = 0; i < 8; i++) {
		host_loss_add(&l, "why", 5, at);
		right += l.again - at == pause_s[i] * INT64_C(1000000000) && l.tries == i + 1;
		at = l.again;
	}
	ok(right == 8 && l.since == 0, "pauses grow up to 60 s");
	host_loss_show(&l, 0, 1, at - 500000000, &x);
	ok(x.lost == 182.5 && x.again == 0.5 && x.now == 5 && x.tries == 8,
	   "since when it is lost, and when it is tried again");
	host_loss_end(&l, at);
	host_loss_add(&l, "why", 6, at + 1);
	ok(l.pause == INT64_C(60000000000) && l.tries == 1 && l.since == at + 1 && l.now == 6,
	   "a host that is lost soon after its return has the long pause");
	host_loss_end(&l, at);
	host_loss_add(&l, "why", 7, at + INT64_C(61000000000));
	ok(l.pause == 1000000000, "one that was back for long has the short one");
	free(l.why);
}

static void summaries(void)
{
	static const struct {
		size_t width;
		const char *text;
	} cases[] = {
		{0, "1 host, 16 PEs, 32 threads; 15 processes running, 1 ended; "
		    "123456789 records, 0 lost, 16 messages (4.00 KiB) not yet received"},
		{120, "1 host, 16 PEs, 32 threads; 15 running, 1 ended; "
		      "123456789 records, 0 events lost, 16 messages in flight"},
		{100, "1 host, 16 PEs, 32 threads; 15 running, 1 ended; "
		      "123456789 records, 16 messages in flight"},
		{80, "1 host, 16 PEs, 32 threads; 15 running, 1 ended; 16 messages in flight"},
		{60, "1 host, 16 PEs; 15 running, 1 ended; 16 messages in flight"},
		{40, "1 host, 16 PEs; 15 running, 1 ended"},
		{1, "15 running, 1 ended"},
	};
	struct look l = example(0);
	char *s;

	l.pes = 16;
	l.threads = 32;
	l.running = 15;
	l.ended = 1;
	l.records = 123456789;
	l.lost = 0;
	l.messages = 16;
	l.bytes = 4096;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		s = look_summary(&l, cases[i].width);
		ok(!strcmp(s, cases[i].text), "a line of at most %zu columns: %s", cases[i].width,
		   s);
		free(s);
	}
	l.lost = 7;
	s = look_summary(&l, 80);
	ok(strstr(s, "; 7 events lost, 16 messages") != NULL, "events that are lost stay: %s", s);
	free(s);
	look_release(&l);
}

static double calls(const struct look *l, const char *name)
{
	for (size_t i = 0; i < l->region_n; i++)
		if (!strcmp(l->region[i].name, name))
			return l->region[i].calls;
	return -1;
}

static void sums(void)
{
	struct look a = example(0), b = example(1), all;
	struct look_nodes nodes = {0};
	struct look_source from[] = {{.look = &a, .fresh = 1}, {.look = &b, .fresh = 1}};

	process(&a, 0, 10, 1, -1); /* no rank as yet */
	process(&a, 1, 11, 2, 1);
	process(&b, 0, 10, 3, 0);
	process(&b, 1, 12, 4, -1);
	look_merge(&nodes, from, 2, &all);
	ok(all.region_n == 3 && calls(&all, "main") == 2 && calls(&all, "g") == 5,
	   "regions of the same name are one");
	ok(all.now == 11 && all.elapsed == 1 && all.records == 200 && all.running == 4,
	   "numbers add up, times do not");
	ok(all.messages == 3 && all.memory_n == 1 && all.memory[0].bytes == 8192,
	   "messages and memory add up; a missing number adds nothing");
	ok(all.process_n == 4 && all.process[0].id == 3 && all.process[1].id == 2 &&
		   all.process[2].id == 1 && all.process[3].id == 4,
	   "ranks are nodes, the others follow");
	ok(all.thread[0].calls == 10 && all.thread[3].calls == 12, "threads go with them");
	look_release(&all);
	process(&a, 2, 13, 5, -1);
	look_merge(&nodes, from, 2, &all);
	ok(all.process[2].id == 1 && all.process[3].id == 4 && all.process[4].id == 5,
	   "a process that begins later changes no number");
	look_release(&all);
	a.process[2].rank = 3; /* so far that of another process */
	look_merge(&nodes, from, 2, &all);
	ok(all.process[2].id == 1 && all.process[3].id == 5 && all.process[4].id == 4,
	   "except that it may have the rank");
	look_release(&all);
	from[1].fresh = 0;
	from[1].lost = 1;
	look_merge(&nodes, from, 2, &all);
	ok(all.now == 10 && all.running == 3 && all.unknown == 2 && calls(&all, "g") == 5,
	   "a host that is lost keeps what is known of it");
	ok(all.thread[0].unknown && !all.thread[0].open && all.thread[0].new_calls == 0,
	   "except for what runs there, and nothing is new");
	look_release(&all);
	from[1] = (struct look_source){.look = &a, .fresh = 1};
	look_merge(&nodes, from, 2, &all);
	ok(from[1].twice == 1 && all.records == 100, "the same processes are counted once");
	look_release(&all);
	look_release(&a);
	look_release(&b);
	look_nodes_release(&nodes);
}

static void print(struct look *l)
{
	FILE *f = fopen("/dev/null", "w");

	look_sort(l, LOOK_BY_NEW);
	look_text(l, "run", 20, 80, f);
	look_csv(l, 1, f);
	look_json(l, "run", f);
	look_openmetrics(l, "run", f);
	fclose(f);
}

/* 1: no text that is printed can command a terminal. */
static int clean(const struct look *l)
{
	for (size_t i = 0; i < l->region_n; i++)
		for (const char *s = l->region[i].name; *s; s++)
			if ((unsigned char)*s < ' ' || *s == 127)
				return 0;
	return 1;
}

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed >> 11;
}

static void changed_bytes(void)
{
	struct look l = example(0), back, all;
	struct buffer good = {0}, bad = {0};
	struct look_nodes nodes = {0};
	uint64_t seed = test_seed(20260711);
	size_t taken = 0, dirty = 0;

	process(&l, 0, 4711, 77, 0);
	look_put(&good, &l);
	for (int round = 0; round < 20000; round++) {
		bad.v_n = 0;
		put(&bad, good.v, good.v_n);
		for (uint64_t n = 1 + draw(&seed) % 3; n; n--)
			bad.v[draw(&seed) % bad.v_n] = (unsigned char)draw(&seed);
		if (look_get(bad.v, bad.v_n, &back))
			continue;
		taken++;
		dirty += !clean(&back);
		look_merge(&nodes,
			   (struct look_source[]){{.look = &l, .fresh = 1},
						  {.look = &back, .fresh = 1}},
			   2, &all);
		if (round % 16 == 0)
			print(&all);
		look_release(&all);
		look_release(&back);
	}
	ok(taken > 100 && !dirty, "looks with changed bytes are refused or harmless (%zu taken)",
	   taken);
	look_release(&l);
	look_nodes_release(&nodes);
	free(good.v);
	free(bad.v);
}

static void frames(void)
{
	struct buffer b = {0};
	struct monitor_frame f;
	size_t n = 0;

	frame_put(&b, FRAME_ERROR, "why", 3);
	frame_put(&b, FRAME_ASK, NULL, 0);
	while (n <= b.v_n && frame_get(b.v, n, &f) == 0)
		n++;
	ok(n == 19 && f.kind == FRAME_ERROR && f.n == 3 && !memcmp(f.payload, "why", 3),
	   "a frame is taken when it is complete");
	frame_drop(&b, frame_size(&f));
	ok(frame_get(b.v, b.v_n, &f) == 1 && f.kind == FRAME_ASK && !f.n, "and the next one");
	b.v[0] ^= 1;
	ok(frame_get(b.v, b.v_n, &f) < 0, "another beginning is refused");
	b.v[0] ^= 1;
	memset(b.v + 8, 255, 8);
	ok(frame_get(b.v, b.v_n, &f) < 0, "an impossible length, too");
	free(b.v);
}

static void starts(void)
{
	struct host_start s = {.self = {(char *)"a", (char *)"a", (char *)"/r", 1},
			       .way = {"ssh -q", "tau-monitor", 16, 5, 1}},
			  back;
	struct buffer b = {0};
	size_t refused = 0;

	host_list_names(&s.led, "b,,c", "/r");
	host_start_put(&b, &s);
	ok(!host_start_get(b.v, b.v_n, &back) && back.led.place_n == 2 &&
		   !strcmp(back.led.place[1].host, "c") && !strcmp(back.way.rsh, "ssh -q") &&
		   back.way.retry,
	   "what a helper starts with can be read");
	host_start_release(&back);
	for (size_t n = 0; n < b.v_n; n++) {
		refused += host_start_get(b.v, n, &back) != 0;
		host_start_release(&back);
	}
	ok(refused == b.v_n, "and is refused where it is cut");
	host_list_release(&s.led);
	free(b.v);
	ok(host_target("a:b") && host_target("u@a:/b:c") && !host_target("./a:b") &&
		   !host_target(":b") && !host_target("ab"),
	   "HOST:PATH as scp has it");
}

static void slurm_lists(void)
{
	static const struct {
		const char *text, *names; /* NULL: refused */
	} cases[] = {
		{"", ""},
		{"n1", "n1 "},
		{"n[1-3]", "n1 n2 n3 "},
		{"n[08-11,3]", "n08 n09 n10 n11 n3 "},
		{"a[1-2],b,c[7]-x", "a1 a2 b c7-x "},
		{"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2 "},
		{"n1,,n1", "n1 "},
		{"-o,a b,c", "c "},
		{"n[1-", NULL},
		{"n[2-1]", NULL},
		{"n[a]", NULL},
		{"n[]", "" },
		{"n[1-999999999]", NULL},
		{"a[1-999][1-999][1-999]", NULL},
		{"[1][1][1][1][1][1][1][1][1][1][1]", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct names n = {0};
		int code = find_hosts_slurm(cases[i].text, &n);
		char *all = mem_string("");

		for (size_t k = 0; k < n.name_n && n.name_n < 100; k++) {
			char *more = mem_printf("%s%s ", all, n.name[k]);

			free(all);
			all = more;
		}
		ok(cases[i].names ? !code && !strcmp(all, cases[i].names) : code < 0,
		   "Slurm's list '%s': %s", cases[i].text, all);
		free(all);
		names_release(&n);
	}
}

int main(void)
{
	there_and_back();
	lost_there_and_back();
	pauses();
	summaries();
	sums();
	changed_bytes();
	frames();
	starts();
	slurm_lists();
	return tap_end();
}
