/* hosts.c: helpers, their answers, and what becomes of those that fail. */
#include "cmd/monitor/hosts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/monitor/host_loss.h"
#include "cmd/monitor/look_bytes.h"
#include "cmd/monitor/look_merge.h"
#include "cmd/monitor/remote.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/now.h"
#include "convert/profile_bytes.h"

#define LATE	    "no answer to the last request so far"
#define PATIENCE_NS 2000000000 /* for a host that is slower than the others */

/*
 * A helper, and the hosts that it looks at: its own, which is the first, and those that it leads. A host that is lost is a
 * group by itself, whose helper runs only while it is tried again.
 */
struct group {
	struct remote remote;
	const struct host_place *place;
	size_t n;
	int runs; /* the helper is there */
	struct host_loss loss;
	struct look last;
	int has;		/* `last` is there */
	size_t round;		/* of `last` */
	int pending, late;	/* it owes an answer, and has not given it in time */
	int64_t asked;		/* ns */
	unsigned wants;		/* of what it was asked */
	char *why;		/* its last answer was this */
	struct profile *profile;
	int profile_pending;
};

struct hosts {
	struct host_way way;
	struct group *group; /* has room for a group of each host */
	size_t group_n;
	struct look_nodes nodes;
	struct pollfd *poll;
	size_t round;
	unsigned wants;
	size_t threads;
	size_t own; /* the number of sources before those of groups, in the last look */
};

/* ---- helpers ---- */

/* The helper's time for the hosts that it leads is shorter than that for itself. */
static int64_t limit_ns(const struct hosts *h, const struct group *g)
{
	return g->n > 1 ? h->way.timeout_ns / 2 : h->way.timeout_ns;
}

static void look_request(struct hosts *h, struct group *g)
{
	struct buffer b = {0};

	g->pending = 1;
	g->late = g->loss.lost; /* no look waits for a host that is tried again */
	g->asked = now_ns();
	g->wants = h->wants;
	put_varint(&b, h->wants);
	put_varint(&b, h->threads);
	remote_send(&g->remote, FRAME_ASK, &b);
	free(b.v);
}

static int group_start(struct hosts *h, struct group *g, struct error *e)
{
	struct host_start start = {.self = g->place[0], .way = h->way};
	struct shell_words command = {0};
	struct buffer b = {0};
	int code;

	shell_words_remote(&command, h->way.rsh, g->place[0].host, h->way.program);
	shell_words_there(&command, "--stdio");
	code = remote_start(&g->remote, command.v, e);
	start.way.timeout_ns = limit_ns(h, g) * 3 / 4;
	/* The list is borrowed. */
	start.led = (struct host_list){(struct host_place *)g->place + 1, g->n - 1, g->n - 1};
	if (!code) {
		host_start_put(&b, &start);
		remote_send(&g->remote, FRAME_START, &b);
		g->runs = 1;
	}
	free(b.v);
	shell_words_release(&command);
	return code;
}

static double last_now(const struct group *g, const char *name)
{
	for (size_t i = 0; g->has && i < g->last.host_n; i++)
		if (!strcmp(g->last.host[i].name, name))
			return g->last.host[i].now;
	return NAN;
}

/* The helper is lost, and the next host of its group takes its place. */
static void lose(struct hosts *h, struct group *g, const char *why)
{
	struct error e = {0};
	int asked = g->pending;

	if (g->runs)
		remote_end(&g->remote);
	g->runs = g->pending = g->profile_pending = g->late = 0;
	free(g->why);
	g->why = NULL;
	while (g->n > 1) {
		struct group *alone = &h->group[h->group_n++];

		*alone = (struct group){.place = g->place, .n = 1};
		host_loss_add(&alone->loss, why, last_now(g, g->place->name), now_ns());
		g->place++;
		g->n--;
		if (!group_start(h, g, &e)) {
			if (asked)
				look_request(h, g);
			return;
		}
		why = e.text;
	}
	host_loss_add(&g->loss, why, last_now(g, g->place->name), now_ns());
}

/* A host that was lost has answered. What others knew of it when they were lost is old. */
static void come_back(struct hosts *h, struct group *g)
{
	if (!g->loss.lost)
		return;
	host_loss_end(&g->loss, now_ns());
	for (size_t i = 0; i < h->group_n; i++) {
		struct group *x = &h->group[i];

		if (x == g || isnan(last_now(x, g->place->name)))
			continue;
		look_release(&x->last);
		x->has = 0;
	}
}

/* Starts helpers on lost hosts whose pause is over. */
static void lost_try(struct hosts *h)
{
	for (size_t i = 0; h->way.retry && i < h->group_n; i++) {
		struct group *g = &h->group[i];
		struct error e = {0};

		if (g->loss.lost && !g->runs && now_ns() >= g->loss.again && group_start(h, g, &e))
			host_loss_add(&g->loss, e.text, g->loss.now, now_ns());
	}
}

static void lose_for(struct hosts *h, struct group *g, const struct error *e)
{
	char *why, at[QUANTITY_TEXT];

	if (g->has)
		why = mem_printf("%s; its last state is of %s", e->text,
				 quantity_in_text(g->last.now, 3, "s", at));
	else
		why = mem_string(e->text);
	lose(h, g, why);
	free(why);
}

/* ---- answers ---- */

static int look_received(struct hosts *h, struct group *g, const struct monitor_frame *f)
{
	struct look l;

	if (!g->pending || look_get(f->payload, f->n, &l))
		return -1;
	g->pending = 0;
	if ((g->wants ^ h->wants) & LOOK_PATHS) { /* it is what an earlier view wanted */
		look_release(&l);
		look_request(h, g);
		return 0;
	}
	come_back(h, g);
	if (g->has)
		look_release(&g->last);
	g->last = l;
	g->has = 1;
	g->round = h->round;
	free(g->why);
	g->why = NULL;
	return 0;
}

static int profile_received(struct group *g, const struct monitor_frame *f)
{
	if (!g->profile_pending)
		return -1;
	g->profile_pending = 0;
	g->profile = profile_get(f->payload, f->n);
	return g->profile ? 0 : -1;
}

static int error_received(struct hosts *h, struct group *g, const struct monitor_frame *f)
{
	size_t n = f->n < 1000 ? f->n : 1000;

	if (!g->pending && !g->profile_pending)
		return -1;
	if (g->pending)
		g->pending = 0;
	else
		g->profile_pending = 0;
	come_back(h, g);
	free(g->why);
	g->why = mem_printf("%.*s", (int)n, (const char *)f->payload);
	for (char *s = g->why; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			*s = ' ';
	return 0;
}

static void group_move(struct hosts *h, struct group *g)
{
	struct error e = {0};
	struct monitor_frame f;
	int got;

	if (!g->runs)
		return;
	remote_move(&g->remote);
	while ((got = remote_frame(&g->remote, &f, &e)) > 0) {
		int bad = f.kind == FRAME_LOOK	    ? look_received(h, g, &f)
			  : f.kind == FRAME_PROFILE ? profile_received(g, &f)
			  : f.kind == FRAME_ERROR   ? error_received(h, g, &f)
						    : -1;

		if (bad) {
			error_set(&e, ERROR_INPUT, "what it sends is damaged");
			got = -1;
			break;
		}
	}
	if (got < 0)
		lose_for(h, g, &e);
}

/* Waits until something can be moved, at most until `until`. */
static void all_wait(struct hosts *h, int64_t until)
{
	int64_t left = until - now_ns();
	size_t n = 0;

	for (size_t i = 0; i < h->group_n; i++)
		if (h->group[i].runs) {
			remote_polls(&h->group[i].remote, &h->poll[n]);
			n += REMOTE_POLLS;
		}
	if (n && left > 0)
		poll(h->poll, n, left > 200000000 ? 200 : (int)(left / 1000000) + 1);
}

static void all_move(struct hosts *h)
{
	for (size_t i = 0; i < h->group_n; i++)
		group_move(h, &h->group[i]);
}

/* Loses those that have not answered for too long. */
static void silent_lose(struct hosts *h)
{
	int64_t now = now_ns();

	for (size_t i = 0; i < h->group_n; i++) {
		struct group *g = &h->group[i];
		struct error e = {0};
		char limit[QUANTITY_TEXT];

		if (!g->runs || !(g->pending || g->profile_pending) ||
		    now - g->asked < limit_ns(h, g))
			continue;
		error_set(&e, ERROR_SYSTEM, "no answer for %s",
			  quantity_time_text((double)limit_ns(h, g), limit));
		lose_for(h, g, &e);
	}
}

/* ---- the whole ---- */

struct hosts *hosts_begin(const struct host_list *list, const struct host_way *way)
{
	struct hosts *h = mem_alloc(sizeof(*h));
	size_t n = list->place_n, at = 0;

	h->way = *way;
	h->group_n = n < way->fan_out ? n : way->fan_out;
	h->group = mem_alloc((n + 1) * sizeof(*h->group));
	h->poll = mem_alloc((n * REMOTE_POLLS + 1) * sizeof(*h->poll));
	for (size_t i = 0, groups = h->group_n; i < groups; i++) {
		struct group *g = &h->group[i];
		struct error e = {0};

		g->place = &list->place[at];
		g->n = n / groups + (i < n % groups);
		at += g->n;
		if (group_start(h, g, &e))
			lose_for(h, g, &e);
	}
	return h;
}

void hosts_request(struct hosts *h, unsigned wants, size_t threads)
{
	int other = ((h->wants ^ wants) & LOOK_PATHS) != 0;

	h->wants = wants;
	h->threads = threads;
	h->round++;
	lost_try(h);
	for (size_t i = 0; i < h->group_n; i++) {
		struct group *g = &h->group[i];

		if (other && g->has) {
			look_release(&g->last);
			g->has = 0;
		}
		g->late = g->pending;
		if (g->runs && !g->pending)
			look_request(h, g);
	}
}

/* 1: a host that is waited for has never answered; 2: there are only others; 0: none is waited for. */
static int waits(const struct hosts *h)
{
	int waits = 0;

	for (size_t i = 0; i < h->group_n; i++) {
		const struct group *g = &h->group[i];

		if (g->runs && g->pending && !g->late)
			waits = waits == 1 || !g->has ? 1 : 2;
	}
	return waits;
}

static void hosts_wait(struct hosts *h)
{
	int64_t begin = now_ns();
	int kind;

	all_move(h);
	while ((kind = waits(h)) != 0) {
		int64_t limit = h->way.timeout_ns;

		if (kind == 2 && limit > PATIENCE_NS)
			limit = PATIENCE_NS;
		if (now_ns() >= begin + limit)
			break;
		all_wait(h, begin + limit);
		all_move(h);
		silent_lose(h);
	}
	silent_lose(h);
}

static void host_add(struct look *out, const char *name, enum look_host_state state, double now,
		     const char *why)
{
	*array_add(out, host) = (struct look_host){.name = mem_string(name),
						   .state = state,
						   .now = now,
						   .why = why ? mem_string(why) : NULL,
						   .lost = NAN,
						   .again = NAN};
}

static void lost_add(const struct hosts *h, const struct group *g, struct look *out)
{
	host_add(out, g->place->name, LOOK_HOST_LOST, NAN, g->loss.why);
	host_loss_show(&g->loss, g->runs, h->way.retry, now_ns(), &out->host[out->host_n - 1]);
}

/* The hosts of a group. */
static void group_hosts(const struct hosts *h, const struct group *g, const char *twice,
			struct look *out)
{
	int fresh = g->has && g->round == h->round;

	for (size_t i = 0; i < g->n; i++) {
		const char *name = g->place[i].name;
		const struct look_host *from = NULL;

		for (size_t k = 0; g->has && k < g->last.host_n && !from; k++)
			if (!strcmp(g->last.host[k].name, name))
				from = &g->last.host[k];
		if (g->loss.lost)
			lost_add(h, g, out);
		else if (twice)
			host_add(out, name, LOOK_HOST_FAILED, NAN, twice);
		else if (from && fresh && !g->why)
			look_host_add(out, from);
		else
			host_add(out, name, g->why ? LOOK_HOST_FAILED : LOOK_HOST_LATE,
				 from ? from->now : NAN, g->why ? g->why : LATE);
	}
}

static void hosts_list(const struct hosts *h, const struct look_source *from, struct look *out)
{
	for (size_t i = 0; i < h->group_n; i++) {
		const struct group *g = &h->group[i];
		const struct look_source *s = &from[h->own + i];
		char *twice = NULL;

		if (s->twice)
			twice = mem_printf("its processes are already shown by %s",
					   s->twice > h->own
						   ? h->group[s->twice - 1 - h->own].place->name
						   : "this host");
		group_hosts(h, g, twice, out);
		free(twice);
	}
}

/* A look that has nothing, because no host shows anything: the reason of the first one. */
static int none(const struct look *l, struct error *e)
{
	for (size_t i = 0; i < l->host_n; i++)
		if (l->host[i].state == LOOK_HOST_SHOWN)
			return 0;
	if (l->process_n || !l->host_n)
		return 0;
	return error_set(e, l->host[0].state == LOOK_HOST_FAILED ? ERROR_INPUT : ERROR_SYSTEM,
			 "%s: %s%s", l->host[0].name, l->host[0].why ? l->host[0].why : LATE,
			 l->host_n > 1 ? "; no other host shows anything" : "");
}

int hosts_receive(struct hosts *h, const struct hosts_here *here, struct look *out, struct error *e)
{
	const struct look *own = here ? here->look : NULL;
	struct look_source *from;
	size_t n = 0;
	int code = 0;

	hosts_wait(h);
	from = mem_alloc((h->group_n + 1) * sizeof(*from));
	h->own = own != NULL;
	if (own)
		from[n++] = (struct look_source){.look = own, .fresh = 1};
	for (size_t i = 0; i < h->group_n; i++) {
		const struct group *g = &h->group[i];

		from[n++] = (struct look_source){.look = g->has ? &g->last : NULL,
						 .fresh = g->has && g->round == h->round,
						 .lost = g->loss.lost};
	}
	look_merge(&h->nodes, from, n, out);
	if (here)
		host_add(out, here->name, own ? LOOK_HOST_SHOWN : LOOK_HOST_FAILED,
			 own ? own->now : NAN, here->why);
	hosts_list(h, from, out);
	free(from);
	/* A helper answers for the hosts that it leads, whatever they do. */
	if (!here)
		code = none(out, e);
	if (code)
		look_release(out);
	return code;
}

static int profiles_wait(const struct hosts *h)
{
	for (size_t i = 0; i < h->group_n; i++)
		if (h->group[i].runs && h->group[i].profile_pending)
			return 1;
	return 0;
}

int hosts_profile(struct hosts *h, struct profile *own, struct profile **out, struct error *e)
{
	int64_t until = now_ns() + h->way.timeout_ns;
	int other = 0;

	for (size_t i = 0; i < h->group_n; i++) {
		struct group *g = &h->group[i];

		if (!g->runs || g->pending || g->profile_pending)
			continue;
		g->profile_pending = 1;
		g->asked = now_ns();
		remote_send(&g->remote, FRAME_PROFILE, NULL);
	}
	while (profiles_wait(h) && now_ns() < until) {
		all_wait(h, until);
		all_move(h);
		silent_lose(h);
	}
	*out = profile_new();
	if (own)
		other = look_merge_profile(&h->nodes, 0, own, *out);
	for (size_t i = 0; i < h->group_n; i++) {
		struct group *g = &h->group[i];

		if (!g->profile)
			continue;
		other |= look_merge_profile(&h->nodes, h->own + i, g->profile, *out);
		profile_free(g->profile);
		g->profile = NULL;
	}
	profile_sort(*out);
	if (!other && (*out)->thread_n)
		return 0;
	profile_free(*out);
	return error_set(e, ERROR_SYSTEM, "%s",
			 other ? "the hosts have recorded different metrics"
			       : "no host has sent its profile");
}

void hosts_end(struct hosts *h)
{
	for (size_t i = 0; i < h->group_n; i++)
		if (h->group[i].runs)
			remote_hang_up(&h->group[i].remote);
	for (size_t i = 0; i < h->group_n; i++) {
		struct group *g = &h->group[i];

		if (g->runs)
			remote_end(&g->remote);
		if (g->has)
			look_release(&g->last);
		if (g->profile)
			profile_free(g->profile);
		free(g->why);
		free(g->loss.why);
	}
	look_nodes_release(&h->nodes);
	free(h->group);
	free(h->poll);
	free(h);
}
