/* hang_rows.h: threads in the same state as one row, and what they wait for in words. */
#ifndef HANG_ROWS_H
#define HANG_ROWS_H

#include "analyze/hang/hang.h"
#include "cmd/hang/hang_style.h"

struct hang_row {
	size_t first;		/* one of the threads, of thread_ends.thread */
	uint32_t *process;	/* ascending by node */
	size_t process_n, process_cap;
	char *waits_for, *path;
	int64_t least, most;	/* ns: for how long they have been in this state */
	int64_t age;		/* ns since the last record of those on other hosts, at most; 0: there are none */
};

struct hang_rows {
	struct hang_row *v;
	size_t v_n, v_cap;
	size_t idle;		/* threads that are not shown to people: the first of their process is, and they are in no call */
};

/* hang_find(): ns, longer than ranks keep each other from the processors. */
#define HANG_LEAST 100000000

/* Release x. */
void hang_rows_make(struct hang_rows *x, const struct hang *h, const struct hang_style *s);
/* ns since the last record of a thread on another host, where it may still run; 0: it is on none, or that is not known. */
int64_t hang_row_age(const struct hang *h, size_t thread);
/* Has something stopped the process of a thread that has not ended? */
int hang_row_stopped(const struct hang *h, size_t thread);
void hang_rows_release(struct hang_rows *x);

/* Nodes of processes: "0-3, 7". most: how many parts are printed before "and N more". The caller frees the text. */
char *hang_nodes_text(const struct trace *t, const uint32_t *process, size_t n, size_t most);
/* The name of the call in which the thread waits, or of its innermost region; borrowed. */
const char *hang_call_name(const struct thread_ends *x, size_t thread);

#endif
