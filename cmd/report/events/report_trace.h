/* report_trace.h: one run as a trace, for kinds that look at its events, and what they print alike. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "analyze/messages/messages.h"
#include "cmd/report/report.h"

struct report_trace {
	char *part;	/* words for the window and the selection, as in: there are no regions%s */
	struct trace *trace;
	struct window_span *span;	/* by process; NULL: everything */
	const char *window;		/* NULL: everything */
	const struct report_options *o;
	int text;			/* names are for people: places are short */
	struct messages messages;       /* for report_trace_read() */
	struct selection selection;	/* messages.selection points to it, or is NULL */
};

/* Opens the one run that the options name, with its window and selection. r stays where it is. kind: for messages. Release it in any case. */
int report_trace_open(const struct report_options *o, const char *kind, struct report_trace *r,
		      struct error *e);
/* The same, after the choice that --by makes. */
int report_trace_begin(const struct report_options *o, const char *kind, size_t *by,
		       struct report_trace *r, struct error *e);
/* Reads the events once for all uses, and completes the notes of the trace. */
int report_trace_read(struct report_trace *r, struct messages_use *use, size_t n, struct error *e);
/* Before another report_trace_read(). */
void report_trace_again(struct report_trace *r);
void report_trace_release(struct report_trace *r);

/* Which run and window, what the reader noted, and which messages have no other end. */
void report_trace_notes(struct table *t, const struct report_trace *r);

/* "main => solve => MPI_Recv()" of a path, and of regions, the outermost first; to be freed. */
char *report_trace_path(const struct report_trace *r, uint32_t path);
char *report_trace_regions(const struct report_trace *r, const uint32_t *region, size_t n);
/* A name of the trace as it is printed; to be freed. */
char *report_trace_name(const struct report_trace *r, const char *name);
/* Sorts the numbers of streams by node, then by thread. */
void report_trace_order(const struct report_trace *r, uint32_t *stream, size_t n);
/* ms of ns, for cells. */
double report_ms(double ns);
/* A time in a sentence (report_time()). */
const char *report_trace_time(const struct report_trace *r, double ns, char text[QUANTITY_TEXT]);
/* ERROR_USAGE if a picture is requested, which the kind does not have. */
int report_no_picture(const struct report_options *o, const char *kind, struct error *e);

#endif
