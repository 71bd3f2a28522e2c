/*
 * overview.h: the facts and findings of an overview of one run, before they are printed: each is one row, so that all formats have
 * the same.
 */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include "analyze/messages/efficiency.h"
#include "analyze/messages/files.h"
#include "analyze/profile/imbalance.h"
#include "analyze/profile/pe_use.h"
#include "analyze/profile/region_rows.h"
#include "analyze/trace/region_work.h"
#include "cmd/report/report.h"

enum overview_unit {
	UNIT_NONE,	/* text only */
	UNIT_TIME,	/* us */
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_RATIO,
};

/* In the order of a reader's questions. */
enum overview_section {
	SECTION_RUN,
	SECTION_TIME,
	SECTION_PHASES,
	SECTION_SAMPLES,
	SECTION_USE,
	SECTION_DEVICES,
	SECTION_IMBALANCE,
	SECTION_WAITING,
	SECTION_ANOMALIES,
	SECTION_MESSAGES,
	SECTION_MEMORY,
	SECTION_FILES,
	SECTION_CONDITIONS,	/* what makes the run slower without being the program's own work */
	SECTION_FINDINGS,
};

/* What a finding is about, in an order that place_of() uses. The last two are followed by one for each kind of work and of anomalies. */
enum overview_topic {
	TOPIC_NONE,
	TOPIC_CONDITION,	/* a fact of SECTION_CONDITIONS, unless there are no other findings */
	TOPIC_ASLEEP,		/* waits that were not recorded: beside the function with most time, if there is nothing else */
	TOPIC_HANG,
	TOPIC_CULPRIT,
	TOPIC_MUTUAL,		/* culprits that make each other wait, or are late inside of the library that sends messages */
	TOPIC_WAIT_REST,	/* waits that no culprit explains */
	TOPIC_POLLING,
	TOPIC_DEVICES,
	TOPIC_MESSAGES,
	TOPIC_COLLECTIVE,
	TOPIC_THREADS,
	TOPIC_LOCKS,
	TOPIC_IDLE,
	TOPIC_IMBALANCE,
	TOPIC_MEMORY,
	TOPIC_WORK,
	TOPIC_ANOMALY = TOPIC_WORK + WORK_KINDS,
};

struct overview_fact {
	enum overview_section section;
	size_t nth;		/* in the order of being added */
	char *item;
	enum overview_unit unit;
	double value;		/* NaN: none */
	double share;		/* per cent of the time of the overview; NaN: none */
	char *detail;		/* ranks, or whatever else there is to know; NULL */
	char *command;		/* of a finding: what shows more */
	unsigned topic;		/* of a finding: enum overview_topic; the most expensive of each topic comes before others */
	double weight;		/* of a finding: findings are in this order, per cent of the time, or of memory; NaN: after all that have one */
};

struct overview_waited { /* a region whose calls wait for late PEs or threads */
	char *region;
	double us;
};

struct overview_files {
	double calls, small; /* number of calls, and of those below FILES_SMALL bytes */
	double unaligned;    /* calls at no multiple of FILES_BLOCK, of those whose offset is known */
	double us;
	/* calls about names and descriptors, by enum event_io, and the directory with most time of those of the operation with most */
	double name_calls[IO_OPS], name_us[IO_OPS];
	uint32_t name_op;
	double directory_calls, directory_files;
	char *directory; /* NULL: there are none */
};

struct overview {
	const struct report_options *o;
	const struct report_run *run;
	size_t width;		/* of the terminal; 0: names are whole */
	const struct profile *p;
	struct waiting *waiting;
	struct region_rows rows;
	struct thread_rows threads;
	struct imbalance imbalance;
	struct pe_use use;
	uint32_t queues;	/* of devices, which are no threads */
	struct efficiency efficiency; /* n is 0: the run is no trace with messages; then `use` has
					 the factors */
	char *slow_region; /* of the worst slow instance, REGION_ROOT of an iteration; its rank, by how
			    * many us it is slow there, and on all threads; NULL: none */
	int32_t slow_node;
	double slow_most_us, slow_us;
	char *poll_path;      /* of the calls that poll: the call path with most time, and its rank;
			       * NULL: the run is no trace with them */
	int64_t poll_node;
	const char *poll_top; /* the option with which tau-report waits lists it, or "" */
	uint64_t tests, completed, tests_found, probes, probes_found; /* as in waits.h */
	char **lock_region;   /* names of calls that waited for a lock or the like, which findings about
			       * these explain */
	size_t lock_region_n, lock_region_cap;
	int trace;	      /* the run is a trace */
	int locks;	      /* it has waits for locks */
	double moved, moved_bytes; /* messages, puts, gets, atomic operations, and their bytes */
	struct overview_files files; /* its reads and writes of files */
	struct overview_waited *waited; /* the part of regions' time that wait states explain */
	size_t waited_n, waited_cap;
	double waited_threads;		/* us of it for other threads at barriers */
	struct overview_waited *late;	/* regions in which others are late, with the us that others wait for them */
	size_t late_n, late_cap;
	size_t metric;
	double whole;		/* exclusive time of all threads that do not only wait */
	double processors;	/* us that threads waited for a processor; 0: unknown */
	struct overview_fact *fact, *finding;
	size_t fact_n, fact_cap, finding_n, finding_cap;
};

/* Takes item, detail and command, which may be NULL. */
void overview_add(struct overview *x, enum overview_section section, char *item, enum overview_unit unit, double value, char *detail);
struct overview_fact *overview_find(struct overview *x, unsigned topic, char *item, enum overview_unit unit, double value, char *detail,
				    char *command); /* valid until the next one is added */

/* overview_choose.c: keeps the findings that are shown, most expensive first; conditions beside others become facts. */
void overview_choose(struct overview *x);
#define OVERVIEW_LEAST 1.0 /* per cent of the time that a finding must cost */

/* overview_facts.c: everything that a profile shows. waits: of a trace whose wait states are known, which explain its messages. */
void overview_facts(struct overview *x, int waits);
/* overview_recording.c: the overhead of the run, as tau-record stated it, and the part in the recorder's own regions: facts, */
void overview_overhead(struct overview *x);
void overview_recorder(struct overview *x);
/* and a condition of the run. */
void overview_recording(struct overview *x);
/* What recordings have by default no records of, and the option that adds it, or NULL: the run has both, or is no trace. */
const char *overview_without(const struct overview *x);
/* overview_asleep.c: threads that slept outside of the calls that were recorded. */
void overview_asleep(struct overview *x);
/* overview_work.c: findings about kinds of work. waits: as above. */
void overview_work(struct overview *x, int waits);
/* The function or region with most time as a finding, for runs without another one that has a topic. */
void overview_most(struct overview *x);
/* overview_waits.c: wait states, efficiency and anomalies, if the run is a trace. Returns 1 if it
 * has messages. */
int overview_waits(struct overview *x);

struct report_trace;
struct phases;
struct waits;
/* overview_phases.c: the tree of phases. */
void overview_phases(struct overview *x, const struct report_trace *r, const struct phases *p);
/*
 * overview_culprits.c: who makes others wait, as findings. left: by enum wait_pattern, ns of its waits, from which those that the
 * findings explain are taken away.
 */
void overview_culprits(struct overview *x, const struct report_trace *r, const struct waits *w, double *left);
/* us that others wait for ranks that are late in the region. */
double overview_late(const struct overview *x, const char *region);

/* overview_hang.c: who waits for whom, if a process was killed or still runs. r is read once more. Returns 0, or an error of reading. */
int overview_hang(struct overview *x, struct report_trace *r, struct error *e);

/* Is it one of lock_region? */
int overview_is_lock(const struct overview *x, const char *region);

/* The run as it is named in a command: in quotes where a shell needs them; with its database. To be freed. */
char *overview_run(const struct overview *x);
/* The name of a region or call path in sentences: whole, but on a terminal at most `width` wide. To be freed. */
char *overview_name(const struct overview *x, const char *name, size_t width);
#define OVERVIEW_REGION 50
/* A region in a command. To be freed. */
char *overview_word(const struct overview *x, const char *name);
/* "rank 3" or "thread 3.1". To be freed. */
char *overview_place(const struct overview *x, uint32_t thread);

#endif
