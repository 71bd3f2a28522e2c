/* kinds.h: the kinds of report: their list, and how one is found. */
#ifndef KINDS_H
#define KINDS_H

#include "cmd/report/report.h"

/* In the order of the page of all kinds; each is kind_NAME in the file that prints it. A new kind is one line here. */
#define REPORT_KINDS(KIND)                                                                         \
	KIND(overview)                                                                             \
	KIND(scaling)                                                                             \
	KIND(breakdown)                                                                           \
	KIND(diff)                                                                                \
	KIND(why)                                                                                 \
	KIND(compare)                                                                             \
	KIND(trend)                                                                               \
	KIND(correlate)                                                                           \
	KIND(efficiency)                                                                          \
	KIND(profile)                                                                             \
	KIND(ranks)                                                                               \
	KIND(groups)                                                                              \
	KIND(imbalance)                                                                           \
	KIND(cluster)                                                                             \
	KIND(threads)                                                                             \
	KIND(tree)                                                                                \
	KIND(callers)                                                                             \
	KIND(flame)                                                                               \
	KIND(series)                                                                              \
	KIND(timeline)                                                                            \
	KIND(hang)                                                                                \
	KIND(waits)                                                                               \
	KIND(critical_path)                                                                       \
	KIND(comm)                                                                                \
	KIND(io)                                                                                  \
	KIND(locks)                                                                               \
	KIND(devices)                                                                             \
	KIND(counters)                                                                            \
	KIND(memory)                                                                              \
	KIND(leaks)                                                                               \
	KIND(anomalies)                                                                           \
	KIND(memory_scaling)                                                                      \
	KIND(memory_growth)                                                                       \
	KIND(plugin)                                                                              \
	KIND(html)

/* All kinds; the last one is followed by NULL. */
extern const struct report_kind *const report_kinds[];

/* The kind of that name; NULL: none. */
const struct report_kind *kind_find(const char *name);
/* The kind of that name, for which all options that were given mean something; NULL: ERROR_USAGE. */
const struct report_kind *kind_parse(const char *name, const struct option_list *given, struct error *e);

/* The names of the kinds with an option, separated by blanks; "": each kind has it. To be freed. */
char *kinds_with(const char *option);

#endif
