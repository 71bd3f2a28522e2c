/*
 * hosts.h: looks at a run on several hosts: one helper for each, or for the first of each group, which starts those of the others.
 * A host that fails is lost; the others go on. It is tried again after 1 s, 2 s, 4 s and so on, up to 60 s, if way->retry is set.
 */
#ifndef HOSTS_H
#define HOSTS_H

#include "cmd/shared/host_list.h"
#include "cmd/monitor/look.h"

struct hosts;

/* Starts the helpers, without waiting. The caller keeps the list and what *way points to until hosts_end(). */
struct hosts *hosts_begin(const struct host_list *list, const struct host_way *way);
/* Sends a request for a look to all, after it has started the helpers of lost hosts whose pause is over. wants and threads: as look_read(). */
void hosts_request(struct hosts *h, unsigned wants, size_t threads);
/* This host's look, merged with those of the others. */
struct hosts_here {
	const char *name;
	const struct look *look; /* NULL: it failed */
	const char *why;	 /* then: the sentence */
};

/*
 * Waits for the answers, and adds them up with the look here, if there is one. Late answers are in a later look. On success the caller releases *out, which has no profile and no ids. Without a look here it
 * is an error if no host shows anything: that of the first one.
 */
int hosts_receive(struct hosts *h, const struct hosts_here *here, struct look *out, struct error *e);
/* The profile of the last look at all hosts that still answer, and of own (or NULL). *out is the caller's. */
int hosts_profile(struct hosts *h, struct profile *own, struct profile **out, struct error *e);
void hosts_end(struct hosts *h);

#endif
