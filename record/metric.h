/*
 * metric.h: what metric.c, system.c, perf.c and papi.c share: the values that a thread's counters have, from wherever they come.
 *
 * A metric is a number that is read when a region is entered and when it is left. Which ones are wanted is fixed when the
 * process starts (TAU_RECORD_METRICS), so that every record of every file has the same number of values.
 */
#ifndef METRIC_H
#define METRIC_H

#include "core.h"

#define METRIC_NAME 128
#define COUNTERS TAU_METRICS

/* A group of counters of one thread that are read together. Zero: none are open. */
struct perf_group {
	int fd[COUNTERS];	/* fd[0] leads */
	uint64_t id[COUNTERS];	/* as the kernel numbers them: what is read must be of these */
	uint32_t n;
};
struct papi_sets {
	int set[COUNTERS];	/* an event set can hold events of one component only */
	uint32_t size[COUNTERS];	/* how many events it has */
	uint32_t place[COUNTERS];	/* of its events one after the other: where their values go */
	uint32_t n;
};

/* ---- system.c: what the system counts anyhow. The stream is not looked at. ---- */
struct stream_metrics;
bool system_cpu(struct stream_metrics *s, int64_t *out);	/* ns of the thread */
bool system_wall(struct stream_metrics *s, int64_t *out);	/* ns */
bool system_usage(struct stream_metrics *s, int64_t *out);	/* eight numbers, as metric.c names them */
bool system_statm(struct stream_metrics *s, int64_t *out);	/* bytes resident in the process */
bool system_io(struct stream_metrics *s, int64_t *out);		/* bytes read, written */

/* ---- perf.c: the kernel's own events, under the names that PAPI has for them ---- */
int perf_find(const char *name);	/* a code, or -1 */
bool perf_in_kernel(int code);	/* it happens there only: who may not see into it counts none */
bool perf_hardware(char *why, size_t size);	/* has the processor counters that may be used? */
int file_move_high(int fd);	/* the same file, by a number that open() will hardly come to */
bool perf_try(int code, char *why, size_t size);	/* can it be opened here? why: what the kernel says */
bool perf_open(struct perf_group *g, const int *code, uint32_t n);	/* for the calling thread */
bool perf_read(struct perf_group *g, int64_t *value);
void perf_close(struct perf_group *g);

/* ---- papi.c: everything that PAPI counts, loaded when it is asked for ---- */
/* Finds an event and tries whether it counts here; a number for papi_start(), or -1 with the reason. */
int papi_find(const char *name, char *why, size_t size);
bool papi_start(struct papi_sets *s, const int *event, uint32_t n);	/* for the calling thread */
bool papi_read(struct papi_sets *s, int64_t *value);	/* in the order of `event` */
void papi_stop(struct papi_sets *s);
void papi_after_fork(void);

/* ---- papi_copy.c ---- */
/* Finds a library; false: there is none. copy: what is loaded of it for the recorder alone, NULL: it cannot be. */
bool papi_copy(const char *name, void **copy);

/* ---- papi_files.c ---- */
void papi_files_keep(void *library);	/* from now on what the library opens is out of the program's way */
void papi_files_forget(void);

#endif
