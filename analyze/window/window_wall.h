/* window_wall.h: moments by the clock on the wall, as texts of windows hold them. */
#ifndef WINDOW_WALL_H
#define WINDOW_WALL_H

#include <stddef.h>
#include <stdint.h>

/* 2024-05-01T12:30:00.25, in the zone of this machine or with Z or +02:00 behind it; or @SECONDS since 1970. 1: *out in ns since 1970. */
int wall_moment(const char *s, size_t n, int64_t *out);

/* 12:30:00.25: 1, and *out is in ns since midnight. */
int wall_clock(const char *s, size_t n, int64_t *out);

/* That time of a day in the zone of this machine, in ns since 1970: inside of a run (ns since 1970), or as near to it as can be. */
int64_t wall_nearest(int64_t clock, int64_t begin, int64_t end);

#endif
