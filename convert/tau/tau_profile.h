/*
 * tau_profile.h: TAU profile directories, read and written.
 *
 *	DIR/profile.N.C.T			one metric; node, context, thread
 *	DIR/MULTI__METRIC/profile.N.C.T		several metrics
 *
 * A file, as TAU writes it (times in microseconds):
 *
 *	<n> templated_functions_MULTI_<METRIC>
 *	# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>..</name><value>..</value></attribute>..
 *	"<timer>" <calls> <subrs> <excl> <incl> 0 GROUP="<g1>|<g2>"			(n lines)
 *	0 aggregates
 *	<m> userevents									(only if m > 0)
 *	# eventname numevents max min mean sumsqr
 *	"<event>" <n> <max> <min> <mean> <sumsqr>					(m lines)
 *
 * Profiles of a TAU with PROFILESTATS have the sum of squared exclusive times, SumExclSqr, before the last number.
 * It is read, and not written.
 *
 * Call paths are further timer lines "a => b" whose groups begin with TAU_CALLPATH; the context of an event is a
 * further event "event : a => b".
 */
#ifndef TAU_PROFILE_H
#define TAU_PROFILE_H

#include "analyze/profile/profile.h"
#include "convert/io/input.h"

/*
 * Reads a directory. *out is sorted and owned by the caller; its name is the last part of dir's
 * name.
 *  - Blanks at both ends of names and of the elements of a call path are dropped. Rows that then
 *    coincide are added.
 *  - "E : CONTEXT" becomes counter E under that path when E is an event of the same file or CONTEXT
 *    consists of known timers; a second line of the same text stays a counter of its own.
 *  - Metadata that all threads share go to the profile, and what TAU writes for the first rank alone
 *    (meta_share.h); the rest to the threads. "Metric Name" is dropped, arrays and objects
 *    become text "[a, b]" and "{name: value}", and an attribute in a timer's context gets the name
 *    "NAME (in TIMER, call N, at T us)".
 *  - If folders of metrics have different timers or threads, all are included; a value that a metric
 *    lacks is 0, and the profile's metadata count these rows: TAU_META_VALUES_MISSING,
 *    "METRIC (3), OTHER (1)".
 *  - Lines of aggregates are skipped; their number is kept as metadata "TAU Aggregates Skipped".
 *
 * Anything else is damage: the file is excluded as if it did not exist, and the metadata
 * TAU_META_FILES_LEFT_OUT name it and the error. Without an undamaged file it is an error: "FILE:
 * line N: what"; so is a file of another metric than those before it.
 */
int tau_profile_read(struct input *in, struct profile **out, struct error *e);

/*
 * Writes dir, which must not exist, be empty, or contain only an older profile, which is removed; it appears whole or not at
 * all. 0; ERROR_USAGE: dir is not the name of a directory; ERROR_INPUT: p has threads and no metric; ERROR_SYSTEM.
 *  - Numbers are %.16G, or %.17G if 16 digits do not give the same number back.
 *  - Every thread gets its own metadata and those of the profile, except what the first thread repeats (profile.h), by
 *    name; the window becomes "TAU Window", "TAU Window Begin (us)" and "TAU Window End (us)".
 *  - Derived threads (negative nodes) are excluded. Line ends within names become blanks.
 */
int tau_profile_write(const char *dir, const struct profile *p, struct error *e);

/*
 * Writes one thread (its index in p) into DIR/PREFIX.N.C.T, or with several metrics into
 * DIR/MULTI__METRIC/PREFIX.N.C.T; dir exists. Each file replaces an older one in one step. 0, or ERROR_SYSTEM.
 */
int tau_profile_dump(const char *dir, const char *prefix, const struct profile *p, uint32_t thread,
		     struct error *e);

/* 1: path is a directory with profile.N.C.T files either directly or below MULTI__METRIC; otherwise 0. */
int tau_profile_is(struct input *in);

#endif
