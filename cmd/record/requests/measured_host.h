/* measured_host.h: counters of the host as values of a stream. */
#ifndef MEASURED_HOST_H
#define MEASURED_HOST_H

#include <stdint.h>
#include <sys/types.h>

#include "convert/native/live/value_stream.h"

/* Counts are 0 at the next reading. */
void measured_host_begin(void);
void measured_host_read(struct value_stream *stream, uint64_t tick);
void measured_host_load(struct value_stream *stream, uint64_t tick);
/* Nothing where the kernel shows no energy to this user. */
void measured_host_power(struct value_stream *stream, uint64_t tick);
/* Is it this process that reads the counters of its host now, for all processes of the run? mode: of the file that records it. */
int measured_host_ours(const char *run, mode_t mode, uint64_t interval);

#endif
