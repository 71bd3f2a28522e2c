/*
 * system.h: metrics that the operating system counts anyway. The stream is not used.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_metrics;
bool system_cpu(struct stream_metrics *s, int64_t *out);	/* ns of the thread */
bool system_wall(struct stream_metrics *s, int64_t *out);	/* ns */
bool system_usage(struct stream_metrics *s, int64_t *out);	/* eight numbers, as metric.c names them */
bool system_statm(struct stream_metrics *s, int64_t *out);	/* bytes resident in the process */
bool system_io(struct stream_metrics *s, int64_t *out);		/* bytes read, written */

/* The text of a small file, ended by a 0; false: it is empty or cannot be read. errno may change. */
bool system_text(const char *path, char *out, size_t size);

#endif
