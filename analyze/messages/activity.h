/*
 * activity.h: what each thread does over time: the time of the innermost regions, by category and by
 * cell of a row of equal spans of time. Cells add up to the exclusive times of the regions.
 */
#ifndef ACTIVITY_H
#define ACTIVITY_H

#include "analyze/messages/messages.h"

#define ACTIVITY_MESSAGES 1000 /* kept; more of them cannot be distinguished */

struct activity_row { /* a stream */
	int64_t *ns;	 /* [cell * categories + category]; NULL: it has time in no category */
	uint64_t *events; /* [cell]: enters and leaves */
	size_t cell;	 /* where it is now, from..until */
	int64_t from, until;
};

struct activity_message {
	uint32_t from, to; /* streams */
	int64_t sent, received;
};

struct activity {
	const struct messages *m;
	const uint32_t *category; /* by region: below category_n, or more: not shown */
	size_t category_n, cell_n;
	int64_t begin, end;	  /* ns */
	struct activity_row *row; /* by stream */
	struct activity_message message[ACTIVITY_MESSAGES];
	uint64_t message_n; /* number of messages */
};

/*
 * A use of messages_read(), of cells of the time that the processes have in the window; release it.
 * category: by region of messages.region.
 */
struct messages_use activity_use(struct activity *x, const struct messages *m, size_t cells,
				 const uint32_t *category, size_t category_n);
/* The stream has a row, even if it has time in no category. */
void activity_show(struct activity *x, uint32_t stream);
/* Adds a line to those of the messages. */
void activity_line(struct activity *x, uint32_t from, uint32_t to, int64_t sent, int64_t received);
void activity_release(struct activity *x);

/* The begin of a cell; that of the one after the last is the end. */
int64_t activity_edge(const struct activity *x, size_t cell);

#endif
