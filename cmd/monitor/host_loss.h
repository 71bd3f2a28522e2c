/* host_loss.h: since when a host is lost, and when it is tried again: after growing pauses. */
#ifndef HOST_LOSS_H
#define HOST_LOSS_H

#include "cmd/monitor/look.h"

/* Times are of one clock, in ns. Zero it first; the caller frees why. */
struct host_loss {
	int lost;
	int64_t since, again;
	int64_t pause; /* before `again`; after a return: the last one; 0: there was none */
	int64_t back;  /* when it came back */
	size_t tries;  /* that have failed since it was shown */
	double now;    /* of its last look; NaN: there was none */
	char *why;
};

/*
 * The host is lost, or a try has failed, at the time `at`. The pauses are 1 s, 2 s, 4 s and so on, up to 60 s; they begin anew if
 * the host was back for longer than the last of them. now: of its last look, which is read when it was not lost so far.
 */
void host_loss_add(struct host_loss *l, const char *why, double now, int64_t at);
/* It has answered. */
void host_loss_end(struct host_loss *l, int64_t at);
/* Sets lost, again, tries and now of *x, at the time `at`. tried: a helper is being started; retry: there is a further try. */
void host_loss_show(const struct host_loss *l, int tried, int retry, int64_t at,
		    struct look_host *x);

#endif
