/* window_wall.h: reads clock times in the texts of windows. */
#ifndef WINDOW_WALL_H
#define WINDOW_WALL_H

#include <stddef.h>
#include <stdint.h>

/*
 * 2024-05-01T12:30:00.25, in the time zone of this machine or followed by Z or +02:00; or @SECONDS
 * since 1970. 1: *out is ns since 1970. 0: not such a text.
 */
int wall_moment(const char *s, size_t n, int64_t *out);

/* 12:30:00.25. 1: *out is ns since midnight. 0: not such a text. */
int wall_clock(const char *s, size_t n, int64_t *out);

/*
 * The moment in ns since 1970 at which the clock of this machine's time zone has this time of day,
 * inside a run from begin to end (ns since 1970) or as near to it as possible.
 */
int64_t wall_nearest(int64_t clock, int64_t begin, int64_t end);

#endif
