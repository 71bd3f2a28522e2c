/* look_summary.c: one line about a look. */
#include "cmd/monitor/look_summary.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"

void look_host_counts(const struct look *l, size_t n[LOOK_HOST_STATES])
{
	for (int i = 0; i < LOOK_HOST_STATES; i++)
		n[i] = 0;
	for (size_t i = 0; i < l->host_n; i++)
		n[l->host[i].state]++;
}

/* "4 hosts (1 late, 1 lost)"; NULL: the look is not at hosts. */
static char *hosts_text(const struct look *l)
{
	size_t n[LOOK_HOST_STATES];
	char *s, *more;

	if (!l->host_n)
		return NULL;
	look_host_counts(l, n);
	s = mem_printf("%zu host%s", l->host_n, plural(l->host_n));
	for (int i = LOOK_HOST_SHOWN + 1, first = 1; i < LOOK_HOST_STATES; i++) {
		if (!n[i])
			continue;
		more = mem_printf("%s%s%zu %s", s, first ? " (" : ", ", n[i], look_host_states[i]);
		free(s);
		s = more;
		first = 0;
	}
	more = mem_printf("%s%s", s, n[LOOK_HOST_SHOWN] < l->host_n ? ")" : "");
	free(s);
	return more;
}

/* In the order of the line. */
enum part { HOSTS, PES, THREADS, RUNNING, ENDED, UNKNOWN, RECORDS, LOST, MESSAGES, PARTS };

/* Those of a group have commas between them. */
static const char group[PARTS] = {0, 0, 0, 1, 1, 1, 2, 2, 2};

static char *messages_text(const struct look *l, int brief)
{
	const char *s = plural((size_t)fabs(l->messages));
	char bytes[QUANTITY_TEXT];

	if (isnan(l->messages))
		return NULL;
	return brief ? mem_printf("%.0f message%s in flight", l->messages, s)
		     : mem_printf("%.0f message%s (%s) not yet received", l->messages, s,
				  quantity_size_text(l->bytes, bytes));
}

/* NULL: there is none. */
static void parts_make(const struct look *l, int brief, char *part[PARTS])
{
	part[HOSTS] = hosts_text(l);
	part[PES] = mem_printf("%zu PE%s", l->pes, plural(l->pes));
	part[THREADS] = mem_printf("%zu thread%s", l->threads, plural(l->threads));
	part[RUNNING] = brief ? mem_printf("%zu running", l->running)
			      : mem_printf("%zu process%s running", l->running,
					   l->running == 1 ? "" : "es");
	part[ENDED] = mem_printf("%zu ended", l->ended);
	part[UNKNOWN] = l->unknown ? mem_printf("%zu unknown", l->unknown) : NULL;
	part[RECORDS] = mem_printf("%.0f records", l->records);
	part[LOST] = mem_printf(brief ? "%.0f events lost" : "%.0f lost", l->lost);
	part[MESSAGES] = messages_text(l, brief);
}

static char *parts_join(char *const part[PARTS])
{
	char *s = mem_string(""), *more;
	int last = -1;

	for (int i = 0; i < PARTS; i++) {
		if (!part[i])
			continue;
		more = mem_printf("%s%s%s", s, last < 0 ? "" : group[i] == last ? ", " : "; ",
				  part[i]);
		free(s);
		s = more;
		last = group[i];
	}
	return s;
}

static void part_drop(char *part[PARTS], enum part which)
{
	free(part[which]);
	part[which] = NULL;
}

/* The less important ones first. */
static char *parts_fit(const struct look *l, char *part[PARTS], size_t width)
{
	static const enum part drop[] = {LOST, RECORDS, ENDED, THREADS, MESSAGES,
					 PES, LOST, UNKNOWN, HOSTS};
	const size_t n = sizeof(drop) / sizeof(*drop);
	char *s = parts_join(part);

	for (size_t i = 0; i < n && strlen(s) > width; i++) {
		if ((i == 0 && l->lost > 0) || (drop[i] == ENDED && l->ended))
			continue;
		part_drop(part, drop[i]);
		free(s);
		s = parts_join(part);
	}
	return s;
}

char *look_summary(const struct look *l, size_t width)
{
	char *part[PARTS], *s;

	parts_make(l, 0, part);
	s = parts_join(part);
	for (int i = 0; i < PARTS; i++)
		part_drop(part, (enum part)i);
	if (!width || strlen(s) <= width)
		return s;
	free(s);
	parts_make(l, 1, part);
	s = parts_fit(l, part, width);
	for (int i = 0; i < PARTS; i++)
		part_drop(part, (enum part)i);
	return s;
}
