/* csv_write.c: a trace as CSV, one line an event: node, thread, time in ns, kind, name ..., and the metrics. */
#include "convert/text/event_line.h"
#include "convert/text/text_names.h"

int csv_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	static const struct text_kind kind = {event_csv_head, NULL, NULL, NULL, event_csv, "", 0};

	return text_write(&kind, t, to, o, e);
}
