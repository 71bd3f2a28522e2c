/* host_news.h: sentences about hosts of a look, each printed once: why one is not shown, when it is tried again, that it is back. */
#ifndef HOST_NEWS_H
#define HOST_NEWS_H

#include "analyze/base/base.h"
#include "cmd/monitor/look.h"

/* What is known so far. Zero it first. */
struct host_news {
	struct names printed;
	struct names host;
	struct host_said {
		size_t tries; /* 0: it was not lost */
		double lost;  /* s */
	} *before;	      /* by number in host */
	size_t before_n, before_cap;
};

/* A sentence about the host that was not printed before, to be freed; NULL: there is none. */
char *host_news(struct host_news *n, const struct look_host *x);
void host_news_release(struct host_news *n);

#endif
