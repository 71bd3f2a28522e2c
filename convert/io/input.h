/*
 * input.h: a path that the user named as input, looked at once. Each program makes one for each path and passes it on: a directory
 * is listed once, and a format is recognized once, whatever asks for it. On a parallel file system each look costs a round trip.
 */
#ifndef INPUT_H
#define INPUT_H

#include "convert/io/listing.h"

struct trace_format;
struct native_kept;

enum input_answer { INPUT_UNKNOWN, INPUT_NO, INPUT_YES };

struct input {
	char *path;
	int is_directory;
	/* of input_names(), input_below() */
	struct listing names;
	int listed, list_errno;
	struct input **below;	/* for each name; NULL: not looked at yet */
	/* of input_head() */
	unsigned char *head;
	size_t head_n;
	/* of trace_format_of() in formats.h, profile_is() in profile_format.h */
	const struct trace_format *format;
	enum input_answer is_trace, is_profile;
	/*
	 * It outlives the traces that are opened of it: what is known of a run's files stays for the next trace. free_files
	 * releases that; NULL: nothing is known.
	 */
	int outlives;
	struct native_kept *files;
	void (*free_files)(struct native_kept *files);
};

struct input *input_new(const char *path);
void input_free(struct input *in);	/* NULL: does nothing */

/*
 * The first bytes of a file, INPUT_HEAD or all, read once; formats are recognized by them. *n: how many; 0: it has none, is no regular
 * file, or cannot be read.
 */
#define INPUT_HEAD 65536
const unsigned char *input_head(struct input *in, size_t *n);

/* The names in a directory; NULL with errno: it is none, or cannot be read. */
const struct listing *input_names(struct input *in);
/* The directory has changed: the next input_names() lists it again. */
void input_changed(struct input *in);
/* What an entry of the directory is, as an input of its own, which in owns. name: one of input_names(). */
struct input *input_below(struct input *in, const char *name);

/* The inputs of a program by path, which outlive their traces: zero it before, release it after the last of these. */
struct inputs {
	struct input **v;
	size_t v_n, v_cap;
};
struct input *inputs_get(struct inputs *all, const char *path);
void inputs_release(struct inputs *all);

#endif
