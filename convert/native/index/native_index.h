/*
 * native_index.h: FILE.index beside a FILE.tau: summaries of spans of its chunks, so that a long
 * window reads sums instead of chunks. It is made from the trace, is valid as long as the trace
 * does not change, and can be deleted at any time. tau-trace(5) describes the format.
 */
#ifndef NATIVE_INDEX_H
#define NATIVE_INDEX_H

#include "analyze/window/loop_frames.h"
#include "analyze/summary/summary.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/file/native_out.h"
#include "convert/native/native_run.h"

/* ---- use: native_index.c ---- */

struct native_index;

/*
 * Opens the index of a stream; NULL: there is none that can be used. A damaged one is noted in the trace and its file removed.
 * The caller closes the index before the trace.
 */
struct native_index *native_index_open(struct trace *t, uint32_t stream);
void native_index_close(struct native_index *x);
/*
 * Gets the longest span that begins with chunk *chunk and that TRACE_SKIP_KNOWN allows. 1: *s borrows its names and its summary
 * until the next call, and *chunk is the chunk after the span. 0: there is none, or it is damaged (noted).
 */
int native_index_skip(struct native_index *x, size_t *chunk, struct trace_skip *s);

/* As TRACE_INDEX_FRAMES has it: 1: *out is filled, and the caller releases it; 0: there are none. */
int native_index_frames(struct trace *t, uint32_t stream, struct frames_kept *out);

/* Is there an index that can be used? Reads only its header, the contents may be damaged. */
int native_index_has(struct trace *t, uint32_t stream);

/*
 * The part of the header that identifies the trace, as it has to be for a stream as it is now. 0, or -1: the stream is damaged
 * or still being written, so it has no index. O(definitions).
 */
int native_index_expect(struct trace *t, uint32_t stream, struct index_header *out);
/* A hash of what came before and of the file that such a header identifies, for what is made from several streams. */
uint64_t native_index_hash(uint64_t hash, const struct index_header *h);
/*
 * Levels of the memory of a process (native_levels.c), as TRACE_INDEX_MEMORY describes. native_levels_inside: 1, or 0: there is
 * no index that can be used, and inside[] is unchanged. native_levels_has: is there one? native_levels_expect: the header that
 * a valid index has now, and the stream whose file names it; 0, or -1: no index can be kept.
 */
int native_levels_inside(struct trace *t, uint32_t process, struct summary *inside, size_t n);
int native_levels_has(struct trace *t, uint32_t process);
int native_levels_expect(struct trace *t, uint32_t process, struct index_header *out, uint32_t *stream);

/* ---- between native_index.c and native_levels.c ---- */

/* As native_index_open(), of the file at `path`, which it takes; NULL: there is none. want NULL: no file can be used. */
struct native_index *native_index_open_as(struct trace *t, uint32_t stream, char *path, const struct index_header *want);
/*
 * Adds all spans from the first that begins after `from` to the last that ends before `to` (ns) to *out, which is empty. 1, or
 * 0: there are none, or they are damaged (noted): then *out may hold a part.
 */
int native_index_inside(struct native_index *x, int64_t from, int64_t to, struct summary *out);

/* ---- making: native_index_make.c ---- */

/*
 * Reads whole streams and writes the indexes that are not there, each whole or not at all. 1: all are there; 0: some cannot be
 * made (damage; a directory that cannot be written; a trace that is still growing); < 0: the system failed in a way that
 * reading will meet as well. ops: functions that read the streams; t->ops may be others by now.
 */
int native_index_make(struct trace *t, const struct trace_index *x, const struct trace_ops *ops, struct error *e);

/* ---- bytes: native_index_bytes.c ---- */

/* A summary of a span. */
void native_index_put_stretch(struct buffer *b, const struct summary *s, size_t metric_n);
/* By region of the trace, [region_n] the root: the number that it has in the index. The caller frees the array. */
uint32_t *native_index_ids(const struct trace *t, const struct native_stream *s);
/* The region of the trace with a number of the index; region_n: the root; TRACE_NONE: there is none. */
uint32_t native_index_region(const struct trace *t, const struct native_stream *s, uint64_t id);
/*
 * Reads a summary into *out, which has been initialized. 0, or -1: damaged. Its paths, counters and stacks are among the names.
 * Sums may be anything: native_index.c bounds them.
 */
int native_index_get_stretch(struct bytes b, const struct summary_names *n, size_t metric_n,
			     struct summary *out);
/* The names of a stream's summaries. get: *out has been initialized; 0, or -1: damaged, and *out holds a part. */
void native_index_put_names(struct buffer *b, struct trace *t, uint32_t stream,
			    const struct summary_names *n);
int native_index_get_names(struct bytes b, struct trace *t, uint32_t stream,
			   struct summary_names *out);

/* ---- frames: native_frames.c ---- */

/* Writes one frame. ids: of native_index_ids(). */
void native_frames_put(struct buffer *b, const struct loop_frame *f, const uint32_t *ids);
/* Writes what follows the last frame. */
void native_frames_put_rest(struct buffer *b, const struct trace *t, const struct frames_kept *rest, const uint32_t *ids);
/* 0, and the caller releases *out; or -1: damaged, and *out is empty. */
int native_frames_get(struct bytes b, const struct trace *t, const struct native_stream *s, struct frames_kept *out);

#endif
