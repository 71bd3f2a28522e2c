/* host_loss.c: the times of a host that is lost. */
#include "cmd/monitor/host_loss.h"

#define SECOND_NS      ((int64_t)1000000000)
#define PAUSE_FIRST_NS SECOND_NS
#define PAUSE_MOST_NS  (60 * SECOND_NS)

void host_loss_add(struct host_loss *l, const char *why, double now, int64_t at)
{
	int soon = l->lost || at - l->back < l->pause;

	if (!l->lost) {
		l->since = at;
		l->tries = 0;
		l->now = now;
	}
	l->tries++;
	l->pause = soon && l->pause ? 2 * l->pause : PAUSE_FIRST_NS;
	if (l->pause > PAUSE_MOST_NS)
		l->pause = PAUSE_MOST_NS;
	l->again = at + l->pause;
	free(l->why);
	l->why = mem_string(why);
	l->lost = 1;
}

void host_loss_end(struct host_loss *l, int64_t at)
{
	l->lost = 0;
	l->back = at;
}

void host_loss_show(const struct host_loss *l, int tried, int retry, int64_t at,
		    struct look_host *x)
{
	x->lost = (double)(at - l->since) / SECOND_NS;
	x->tries = l->tries;
	x->now = l->now;
	if (retry)
		x->again = tried || at > l->again ? 0 : (double)(l->again - at) / SECOND_NS;
}
