/* json_tracks.h: what Chrome's trace events show beside the calls of a thread: samples, and the memory of a process. */
#ifndef JSON_TRACKS_H
#define JSON_TRACKS_H

#include "convert/text/text_lines.h"

/*
 * A sample is the stack of the time before it. On a track of its own the frames of a thread's samples are begun and ended as
 * if they were calls: a frame lasts as long as samples that follow each other closely have it at the same depth.
 */
void json_sample(struct text *x, const struct clip_event *ev);
/* Ends what is open on the track of a stream. */
void json_samples_end(struct text *x);

/* The live memory of each process as a counter: its streams are read together, in order of time. */
int json_memory_tracks(struct text *x, struct error *e);

#endif
