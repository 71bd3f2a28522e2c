/* host_list.h: which hosts are looked at, what is looked at there, and how helpers are started. */
#ifndef HOST_LIST_H
#define HOST_LIST_H

#include "analyze/base/base.h"
#include "convert/native/file/native_out.h"

struct host_place {
	char *name; /* as the user has written it: "n1", "n1:/scratch/run" */
	char *host; /* for the remote shell: "n1" */
	char *path; /* of the run there */
	int own;    /* only processes of that host: the run may be shared between hosts */
};

/* How helpers are started. */
struct host_way {
	const char *rsh;     /* command and options, separated by blanks */
	const char *program; /* tau-monitor there */
	size_t fan_out;	     /* helpers that one process starts at most */
	int64_t timeout_ns;  /* a host that has not answered for so long is lost */
	int retry;	     /* lost hosts are tried again */
};

struct host_list {
	struct host_place *place;
	size_t place_n, place_cap;
};

/* Is it HOST:PATH: a colon, with no slash before it, and not at its beginning? */
int host_target(const char *text);
/* Adds HOST:PATH. */
void host_list_target(struct host_list *l, const char *text);
/* Adds the hosts of a list "a,b,c", which look at `path`, their own processes each. */
void host_list_names(struct host_list *l, const char *names, const char *path);
/*
 * Adds those of a file as mpirun(1) reads it: a host at the beginning of each line, which is all of it that is read; '#' begins a
 * comment. ERROR_SYSTEM: it cannot be read.
 */
int host_list_file(struct host_list *l, const char *file, const char *path, struct error *e);
/* ERROR_USAGE: there is none, one is there twice, or a name begins with '-', which the remote shell takes for an option. */
int host_list_check(const struct host_list *l, struct error *e);
void host_list_release(struct host_list *l);

/* What a helper gets from the end that shows. */
struct host_start {
	struct host_place self; /* its own host */
	struct host_list led;	/* those whose helpers it starts */
	struct host_way way;
};

void host_start_put(struct buffer *b, const struct host_start *s);
/* -1: the bytes are damaged. In both cases *s is the caller's, who releases it. */
int host_start_get(const void *from, size_t n, struct host_start *s);
void host_start_release(struct host_start *s);

#endif
