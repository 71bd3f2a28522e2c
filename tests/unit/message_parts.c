/* message_parts.c: channels of messages, ends that belong together, and what delays a wait, each on its own. */
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/channels.h"
#include "analyze/messages/delays.h"
#include "analyze/messages/efficiency.h"
#include "analyze/messages/lane_time.h"
#include "analyze/messages/matching.h"
#include "analyze/messages/teams.h"
#include "analyze/messages/traffic.h"
#include "analyze/messages/waits.h"
#include "tap.h"

static uint32_t world[] = {0, 1}, one[] = {0};
static struct trace_comm comms[] = {{.name = "a", .rank = world, .n = 2}, {.name = "a", .rank = world, .n = 2}, {.name = "a", .rank = one, .n = 1}};
static struct trace_process process[] = {{.rank = 0, .node = 0, .size = 8}, {.rank = 1, .node = 1}};
static struct trace_stream stream[] = {{.process = 0}, {.process = 1}};
static const struct trace trace = {.comm = comms, .comm_n = 3, .process = process, .process_n = 2, .stream = stream, .stream_n = 2};

static void test_channels(void)
{
	struct channels c;
	uint32_t id;

	channels_init(&c, &trace);
	ok(channels_comm(&c, 0) == channels_comm(&c, 1) && channels_comm(&c, 0) != channels_comm(&c, 2), "communicators are the same by name and members");
	ok(channels_comm(&c, 0) != 0 && channels_comm(&c, TRACE_NONE) == 0, "another number is the world");
	id = channels_id(&c, 0, 1, 5, 0);
	ok(channels_id(&c, 0, 1, 5, 1) == id, "a channel of two definitions of one communicator");
	ok(channels_id(&c, 1, 0, 5, 0) != id && channels_id(&c, 0, 1, 6, 0) != id && channels_id(&c, 0, 1, 5, 2) != id,
	   "others by direction, tag and communicator");
	ok(channels_members(&c, 0, 2) == 1 && channels_members(&c, 0, TRACE_NONE) == 8 && channels_members(&c, 1, TRACE_NONE) == 2,
	   "members: of a communicator, of the world, of a process that does not know");
	channels_release(&c);
}

static struct message_call *call(struct matching *x, uint32_t rank)
{
	struct message_call *c = matching_call(x);

	c->stream = c->process = rank;
	c->leave = INT64_MAX;
	return c;
}

static void test_matching(void)
{
	static const struct {
		int64_t tag;
		int received; /* before it is sent */
	} cases[] = {{1, 0}, {2, 1}, {INT64_MIN, 0}, {-1, 1}};
	struct messages_found found = {0};
	struct event_args to = {.message = {.comm = 0, .peer = 1}}, from = {.message = {.comm = 1, .peer = 0}};
	struct matching x;
	struct message *first, *second;
	struct message_call *single[2];

	matching_init(&x, &trace, &found);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct message_call *a = call(&x, 0), *b = call(&x, 1);

		to.message.tag = from.message.tag = cases[i].tag;
		first = cases[i].received ? matching_receive(&x, b, 1, &from, NULL) : matching_send(&x, a, 0, &to);
		second = cases[i].received ? matching_send(&x, a, 0, &to) : matching_receive(&x, b, 1, &from, NULL);
		ok(first == second && found.matched == i + 1, "tag %lld: both ends are one message", (long long)cases[i].tag);
		matching_left(&x, a);
		matching_left(&x, b);
	}
	to.message.tag = 7;
	from.message.tag = 8;
	single[0] = call(&x, 0);
	single[1] = call(&x, 1);
	matching_send(&x, single[0], 0, &to);
	matching_receive(&x, single[1], 1, &from, NULL);
	matching_left(&x, single[0]);
	matching_left(&x, single[1]);
	matching_count(&x);
	ok(found.unreceived == 1 && found.unsent == 1, "one is not received, one is not sent");
	matching_release(&x);
}

/* Rank 0 spends 30 in path 1 and 10 in path 2, rank 1 spends 10 in path 1; rank 1 waits for rank 0. */
static void test_delays(void)
{
	static const struct {
		int64_t wait;
		double k, unexplained;
	} cases[] = {{30, 1, 0}, {15, 0.5, 0}, {60, 1, 30}, {0, 0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct message_call a = {.stream = 0, .leave = 40}, b = {.stream = 1, .leave = 50};
		struct delay_found f;
		struct delays d;

		delays_init(&d, 2, NULL);
		delays_spent(&d, 0, (struct delay_time){1, 1, 30, 0});
		delays_spent(&d, 0, (struct delay_time){2, 2, 10, 0});
		delays_spent(&d, 1, (struct delay_time){1, 1, 10, 0});
		a.log = delays_now(&d, 0);
		b.log = delays_now(&d, 1);
		f = delays_find(&d, &a, &b, cases[i].wait);
		ok(f.k == cases[i].k && f.unexplained == cases[i].unexplained && f.indirect == 0, "a wait of %d: factor %g, %g unexplained",
		   (int)cases[i].wait, f.k, f.unexplained);
		ok(d.touched_n == 2 && d.excess[1].ns == 20 && d.excess[2].ns == 10, "by what rank 0 did longer");
		delays_release(&d);
	}
}

/* What is explained as a whole leaves exactly nothing, whatever the factor is. */
static void test_explained(void)
{
	unsigned wrong = 0;

	for (int64_t spent = 2; spent < 300; spent++)
		for (int64_t wait = 1; wait < spent; wait += 7) {
			struct message_call a = {.stream = 0, .leave = spent}, b = {.stream = 1, .leave = spent};
			struct delays d;

			delays_init(&d, 2, NULL);
			delays_spent(&d, 0, (struct delay_time){1, 1, spent, 0});
			a.log = delays_now(&d, 0);
			b.log = delays_now(&d, 1);
			wrong += delays_find(&d, &a, &b, wait).unexplained != 0;
			delays_release(&d);
		}
	ok(!wrong, "%u waits that are explained as a whole have a rest", wrong);
}

static void test_waited(void)
{
	struct message_call a = {.stream = 0, .leave = 10}, b = {.stream = 1, .leave = 10};
	struct delay_found f;
	struct delays d;

	delays_init(&d, 2, NULL);
	delays_spent(&d, 0, (struct delay_time){1, 1, 30, 0});
	delays_waited(&d, 0, 0, 20);
	delays_waited(&d, 0, 9, 5); /* a position that is not there */
	a.log = 1;
	f = delays_find(&d, &a, &b, 30);
	ok(f.k == 1 && f.indirect == 20 && d.excess[1].ns == 10, "what rank 0 waited itself is indirect");
	delays_met(&d, &a, &b);
	delays_spent(&d, 0, (struct delay_time){1, 1, 0, 0});
	delays_spent(&d, 1, (struct delay_time){1, 1, 0, 0});
	a.log = b.log = 1;
	f = delays_find(&d, &a, &b, 30);
	ok(f.k == 0 && f.unexplained == 30, "nothing from before the last time that they met");
	delays_release(&d);
}

static void test_lane(void)
{
	static const struct {
		int64_t from, to, ns;
	} cases[] = {{0, 50, 0}, {0, 150, 50}, {120, 130, 10}, {150, 300, 50}, {0, 300, 100}, {200, 300, 0}, {150, 150, 0}};
	const struct lane l = {.span = {100, 200}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(lane_clipped(&l, cases[i].from, cases[i].to) == cases[i].ns, "%d to %d has %d ns in the window", (int)cases[i].from,
		   (int)cases[i].to, (int)cases[i].ns);
	ok(lane_inside(&l, 100) && !lane_inside(&l, 200) && !lane_inside(&l, 99), "the window has its begin, and not its end");
}

/* A barrier that the first thread leaves at 50. */
static void test_teams(void)
{
	static const struct {
		enum team_role role;
		uint32_t region, forked;
		uint64_t fork;
		int64_t enter;
		int member;
	} cases[] = {
		{TEAM_BARRIER, 3, 7, 5, 20, 1},	 {TEAM_BARRIER, 4, 7, 5, 20, 0}, /* another place */
		{TEAM_BARRIER, 3, 7, 5, 60, 0},	 /* it came after the first one left */
		{TEAM_IDLE, 0, 7, 5, 20, 1},	 {TEAM_IDLE, 0, 8, 5, 20, 0}, /* of another function */
		{TEAM_IDLE, 0, 7, 4, 20, 0},	 /* it was idle before the region began */
		{TEAM_IDLE, 0, TRACE_NONE, 5, 20, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct message_call first = {.role = TEAM_BARRIER, .region = 3, .forked = 7, .fork = 5, .enter = 10, .leave = 50};
		struct message_call other = {.role = cases[i].role,
					     .region = cases[i].region,
					     .forked = cases[i].forked,
					     .fork = (typeof(other.fork))cases[i].fork,
					     .enter = cases[i].enter,
					     .leave = INT64_MAX};

		ok(team_has(&first, &other) == cases[i].member, "thread %zu is %sin the barrier", i, cases[i].member ? "" : "not ");
		if (cases[i].member) {
			struct meeting *m = team_join(team_join(NULL, &first), &other);

			ok(m->members == 2 && m->latest == &other && m->first_leave == 50 && m->idle == (cases[i].role == TEAM_IDLE),
			   "it is a member, and the last one");
			ok(!team_has(&first, &other), "once");
			free(m);
		}
	}
}

/* A call that waited for a message, and whose collective operation is complete only after its end. */
static void test_late_waits(void)
{
	struct trace t = trace;
	struct messages m = {.trace = &t};
	struct message_call c = {.region = 2, .op = COLL_BARRIER, .meets = 1, .exclusive = 20, .wait = 5};
	struct traffic x;
	struct messages_use use = traffic_use(&x, &m);

	use.left(use.to, &c, 1);
	c.op = COLL_SCAN;
	c.counted = 0;
	use.left(use.to, &c, 1);
	c.wait = 8;
	use.late_meeting(use.to, &c, 1);
	if (use.late)
		use.late(use.to, &(struct message){.recv = &c}, 1);
	ok(x.collective_n == 2 && x.collective[0].wait == 5 && x.collective[1].wait == 8 && x.collective[1].calls == 1, "a wait counts once: %lld ns",
	   (long long)x.collective[1].wait);
	traffic_release(&x);
}

/* A window can begin when a recursion is this deep: then no time is in its outer paths. */
#define DEEP 400000

static void test_deep(void)
{
	static struct trace_region region[] = {{.name = "omp parallel: f"}, {.name = "f"}, {.name = "MPI_Recv()"}};
	static const char runtime[] = {0, 0, 1};
	static struct trace_process alone[] = {{.start = 0, .end = 100}};
	struct trace t = {.process = alone, .process_n = 1, .stream = stream, .stream_n = 1, .region = region, .region_n = 3};
	struct messages m = {.trace = &t, .runtime = runtime};
	struct messages_use use;
	struct efficiency x;
	struct waits w;
	uint32_t deep, in_call;

	callstack_paths_init(&m.paths, CALLSTACK_WHOLE);
	deep = callstack_path_child(&m.paths, 0, 0);
	for (int i = 0; i < DEEP; i++)
		deep = callstack_path_child(&m.paths, deep, 1);
	in_call = callstack_path_child(&m.paths, callstack_path_child(&m.paths, 0, 2), 1);
	use = efficiency_use(&x, &m);
	use.spent(use.to, 0, (struct message_time[]){{deep, 30}, {in_call, 5}, {0, 7}}, 3, NULL);
	ok(x.lane[0].useful == 37, "computation in a recursion of %d calls; a function that a library calls is none", DEEP);
	efficiency_release(&x);
	use = waits_use(&w, &m);
	use.spent(use.to, 0, (struct message_time[]){{deep, 30}}, 1, NULL);
	ok(m.paths.v[w.delays.lane[0].kept[0].in_team].length == DEEP, "in a team it is as long without the parallel region");
	waits_release(&w);
	callstack_paths_release(&m.paths);
}

int main(void)
{
	test_deep();
	test_late_waits();
	test_lane();
	test_teams();
	test_channels();
	test_matching();
	test_delays();
	test_explained();
	test_waited();
	return tap_end();
}
