/*
 * metric.h: metrics: numbers read when a region is entered and when it is left.
 *
 * Which metrics are recorded is fixed when the process starts (TAU_RECORD_METRICS), so that every record of every file has
 * the same number of values. process.metrics is that number; the first six functions may be called when it is 0. Values are
 * read from and written to the calling thread's own stream.
 */
#ifndef METRIC_H
#define METRIC_H

#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;
struct frame;

uint32_t metric_start(void);	/* takes TAU_RECORD_METRICS; how many there are */
bool metric_equip(struct stream *s, size_t used);	/* room for s->frame_cap frames; `used` are kept */
void metric_attach(struct stream *s);	/* the calling thread begins to use s: its counters run */
void metric_detach(struct stream *s);	/* it ends */
void metric_forget(struct stream *s);	/* in a forked child: counters of the parent's threads */
void metric_after_fork(void);		/* the same, of the process; before the first attach */
void metric_define(struct tau_live_header *live);	/* definitions into an empty column DEFS */
/* Reads, and writes section METRICS to p; returns its end. */
uint8_t *metric_snapshot(uint8_t *p, struct stream *s, const struct frame *top);
bool metric_read(void);			/* makes room in the chunk and reads; false: the recorder failed */
void metric_write(void);		/* what was read, into column ARGS */
uint8_t *metric_put(uint8_t *p);	/* what was read, to p */
void metric_off(void);			/* what was written last holds when recording goes off */
void metric_entered(size_t frame);	/* what was written last holds at the enter of this frame */
void metric_restore(const int64_t *value);	/* what was written last is this */
/* The ENTER whose arguments begin there will be undone. */
void metric_undo(const uint8_t *args, bool far);
/* From now on no metric is read, and each keeps its value; false: they go on, and what passed meanwhile is in no value. */
void metric_pause(bool paused);
void metric_end(void);			/* metadata, at the end of the process */
uint64_t metric_cost_ps(void);		/* what one reading costs here */

#endif
