/*
 * snapshot.h: TAU's XML: snapshots (snapshot.N.C.T) and merged profiles (tauprofile.xml). A file is one or more roots
 *
 *	<profile_xml>
 *	<thread id="ID" node="N" context="C" thread="T"><metadata>..</metadata></thread>
 *	<definitions thread="ID">		ID "*": for all threads
 *	<metric id="0"><name>TIME</name><units>..</units></metric>
 *	<event id="0"><name>main =&gt; f</name><group>TAU_CALLPATH|TAU_USER</group></event>
 *	<userevent id="0"><name>Bytes Read : main</name></userevent>
 *	</definitions>
 *	<profile thread="ID"><name>final</name><timestamp>us</timestamp>
 *	<interval_data metrics="0 1 ">		lines "event calls subrs (exclusive inclusive for each metric)"
 *	<atomic_data>				lines "userevent n max min mean sumsq"
 *	</profile>
 *	</profile_xml>
 *
 * with blanks and NULs between them. Values are cumulative: the last <profile> that has a line for an event holds. What TAU
 * derived from all threads (<derivedprofile>) is not read: it can be derived again.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

/* TAU knows 25; rows of all threads are as wide as there are metrics. */
#define SNAPSHOT_METRICS_MAX 256

#include <stdio.h>

#include "analyze/profile/profile.h"

/*
 * The names that a file of one thread, to which snapshots are appended, has defined so far, in order of their ids. Zero it
 * first.
 */
struct snapshot_series {
	struct names metric, function, event;
};
void snapshot_series_release(struct snapshot_series *s);

/*
 * Prints one more snapshot of a thread (its place in p): what is defined is not defined again. pid: of its process, for its id.
 * The first one of a series begins the file.
 */
struct snapshot_moment {
	const char *name;
	uint64_t time_us;	/* since 1970 */
	uint32_t pid;
};
void snapshot_append(FILE *to, struct snapshot_series *s, const struct profile *p, uint32_t thread,
		     const struct snapshot_moment *at);

#endif
