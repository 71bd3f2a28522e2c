/*
 * flight.h: the flight recorder: a stream keeps its last chunks only.
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include <stdbool.h>

struct stream;

/* Saves the definitions of the live chunk. */
void flight_definitions(struct stream *s);
/* The live chunk is stored: drops chunks that are too old. */
void flight_trim(struct stream *s, bool last);

#endif
