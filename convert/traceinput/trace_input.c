/* trace_input.c: reads TAU traces record by record, for programs that use TAU's library. */
#include "convert/traceinput/TAU_tf.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/map.h"
#include "convert/io/regular.h"
#include "convert/tau/tau_trace.h"
#include "convert/traceinput/handle.h"

#define BLOCK 1024 /* records of one call, as with TAU */
#define WIDE 32	   /* bytes of the longest record */

enum kind { OTHER, STATE, VALUE, SEND, RECV, CLOSE, CLOCK };
enum { RUNS = 1, CLOSED }; /* of threads */

struct ttf_input {
	enum ttf_handle handle;
	int fd;
	char *path, *edf;
	struct trc_file file; /* size 0: the layout is not known yet */
	uint64_t at;	      /* number of the record that is next */
	int begun, as_stored;
	uint64_t first; /* time of the first record */
	struct map kind_of, thread;
	struct names group;
	struct stat read; /* the .edf file when its definitions were read last */
};

/* 1: the layout of the records is known; 0: there is no whole record; -1: this is not a trace. */
static int known(struct ttf_input *in)
{
	struct stat st;

	if (in->file.size || trc_probe(&in->file, in->path, in->edf, 0))
		return 1;
	in->file.size = 0;
	if (!fstat(in->fd, &st) && st.st_size < WIDE)
		return 0;
	errno = EBADMSG;
	return -1;
}

static void release(struct ttf_input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	map_release(&in->kind_of);
	map_release(&in->thread);
	names_release(&in->group);
	free(in->path);
	free(in->edf);
	free(in);
}

Ttf_FileHandleT Ttf_OpenFileForInput(const char *name, const char *edf)
{
	struct ttf_input *in;
	FILE *f;
	int cause;

	if (!name || !edf) {
		errno = EINVAL;
		return NULL;
	}
	f = regular_fopen(edf, NULL);
	if (!f)
		return NULL;
	fclose(f);
	in = mem_alloc(sizeof(*in));
	in->path = mem_string(name);
	in->edf = mem_string(edf);
	in->fd = regular_open(name, NULL);
	if (in->fd >= 0 && known(in) >= 0)
		return in;
	cause = errno;
	release(in);
	errno = cause;
	return NULL;
}

static struct ttf_input *input_of(Ttf_FileHandleT handle)
{
	struct ttf_input *in = handle;

	if (in && in->handle == TTF_INPUT)
		return in;
	errno = EINVAL;
	return NULL;
}

Ttf_FileHandleT Ttf_CloseFile(Ttf_FileHandleT handle)
{
	static const char closed;
	struct ttf_input *in = handle;

	if (in && in->handle == TTF_OUTPUT)
		return Ttf_CloseOutputFile(handle);
	if (!input_of(handle))
		return NULL;
	release(in);
	return (Ttf_FileHandleT)(uintptr_t)&closed;
}

void Ttf_SetSubtractFirstTimestamp(Ttf_FileHandleT handle, int value)
{
	struct ttf_input *in = input_of(handle);

	if (in)
		in->as_stored = !value;
}

void Ttf_SetNonBlocking(Ttf_FileHandleT handle, int value)
{
	(void)handle;
	(void)value;
}

static int seek(struct ttf_input *in, int64_t to)
{
	if (to < 0 || to > INT_MAX) {
		errno = EINVAL;
		return 0;
	}
	in->at = (uint64_t)to;
	return (int)to;
}

int Ttf_AbsSeek(Ttf_FileHandleT handle, int position)
{
	struct ttf_input *in = input_of(handle);
	struct stat st;

	if (!in || known(in) <= 0 || fstat(in->fd, &st))
		return 0;
	return seek(in, position > 0 ? position : st.st_size / in->file.size + position);
}

int Ttf_RelSeek(Ttf_FileHandleT handle, int records)
{
	struct ttf_input *in = input_of(handle);

	return in && known(in) > 0 ? seek(in, (int64_t)in->at + records) : 0;
}

static enum kind kind_of(const struct edf_line *l)
{
	if (!strncmp(l->parameter, "EntryExit", 9))
		return STATE;
	if (!strncmp(l->parameter, "TriggerValue", 12))
		return VALUE;
	if (l->tag == -7 || l->tag == -8)
		return l->tag == -7 ? SEND : RECV;
	if (!strcmp(l->name, "FLUSH_CLOSE"))
		return CLOSE;
	return strcmp(l->name, "WALL_CLOCK") ? OTHER : CLOCK;
}

/*
 * Groups have numbers by their first line, from 1 on. As with TAU one whose first line is not of a
 * state is not defined for the program.
 */
static void define(struct ttf_input *in, const Ttf_CallbacksT *c, const struct edf_line *l)
{
	size_t before = in->group.name_n;
	uint32_t group = names_add(&in->group, l->group, strlen(l->group));
	enum kind kind = kind_of(l);
	char *name = mem_printf("\"%s\"", l->name);

	map_set(&in->kind_of, l->id, kind);
	if (kind == STATE && in->group.name_n > before && c->DefStateGroup)
		c->DefStateGroup(c->UserData, group + 1, l->group);
	if (kind == STATE && c->DefState)
		c->DefState(c->UserData, l->id, name, group + 1);
	if (kind == VALUE && c->DefUserEvent)
		c->DefUserEvent(c->UserData, l->id, name, (int)l->tag);
	free(name);
}

/*
 * Has the .edf file changed since it was read last? Without this question each record that has no
 * definition would read it again.
 */
static int edf_changed(struct ttf_input *in)
{
	struct stat now = {0}, *was = &in->read;
	int same = !stat(in->edf, &now) && now.st_ino == was->st_ino && now.st_dev == was->st_dev &&
		   now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
		   now.st_mtim.tv_nsec == was->st_mtim.tv_nsec;

	if (!same)
		*was = now;
	return !same;
}

/* The definitions that a program has added since they were read last. */
static void refresh(struct ttf_input *in, const Ttf_CallbacksT *c)
{
	struct edf_lines s = {0};
	struct edf_line l;
	FILE *f;

	if (!edf_changed(in))
		return;
	f = regular_fopen(in->edf, NULL);
	if (!f)
		in->read = (struct stat){0};
	while (f && edf_next(&s, f, &l))
		if (map_get(&in->kind_of, l.id) == MAP_NONE)
			define(in, c, &l);
	if (f)
		fclose(f);
}

static void call_back(struct ttf_input *in, const Ttf_CallbacksT *c, const struct trc_record *r,
		      enum kind kind)
{
	double time = (double)r->time - (in->as_stored ? 0 : (double)in->first);
	struct trc_message m = trc_message((uint64_t)r->parameter);
	uint64_t thread = (uint64_t)r->node << 16 | r->thread;
	unsigned id = (unsigned)r->event;

	if (kind == STATE && r->parameter == 1 && c->EnterState)
		c->EnterState(c->UserData, time, r->node, r->thread, id);
	if (kind == STATE && r->parameter == -1 && c->LeaveState)
		c->LeaveState(c->UserData, time, r->node, r->thread, id);
	if (kind == VALUE && c->EventTrigger)
		c->EventTrigger(c->UserData, time, r->node, r->thread, id, r->parameter);
	if (kind == SEND && c->SendMessage)
		c->SendMessage(c->UserData, time, r->node, r->thread, m.peer, 0, m.bytes, m.tag,
			       m.comm);
	if (kind == RECV && c->RecvMessage)
		c->RecvMessage(c->UserData, time, m.peer, 0, r->node, r->thread, m.bytes, m.tag,
			       m.comm);
	if (kind == CLOSE && !r->parameter)
		map_set(&in->thread, thread, CLOSED);
	/* The time of day is stored at the beginning and after the thread is closed. */
	if (kind == CLOCK && r->parameter != 1 && r->parameter != -1 &&
	    map_get(&in->thread, thread) == CLOSED && c->EndTrace)
		c->EndTrace(c->UserData, r->node, r->thread);
}

/* 0: no line defines the event of the record. */
static int pass_record(struct ttf_input *in, const Ttf_CallbacksT *c, const struct trc_record *r)
{
	uint64_t thread = (uint64_t)r->node << 16 | r->thread;
	char name[32];
	uint32_t kind;

	if (r->event < 0 || r->event > UINT32_MAX)
		return 0;
	if (map_get(&in->kind_of, (uint64_t)r->event) == MAP_NONE)
		refresh(in, c);
	kind = map_get(&in->kind_of, (uint64_t)r->event);
	if (kind == MAP_NONE)
		return 0;
	if (map_get(&in->thread, thread) == MAP_NONE) {
		map_set(&in->thread, thread, RUNS);
		snprintf(name, sizeof(name), "process %d:%d", r->node, r->thread);
		if (c->DefThread)
			c->DefThread(c->UserData, r->node, r->thread, name);
	}
	call_back(in, c, r, (enum kind)kind);
	return 1;
}

/* As known(), and the time of the first record is. */
static int begun(struct ttf_input *in, const Ttf_CallbacksT *c)
{
	unsigned char p[WIDE];
	int is = known(in);

	if (is <= 0 || in->begun)
		return is;
	if (pread(in->fd, p, in->file.size, 0) != (ssize_t)in->file.size)
		return 0;
	in->begun = 1;
	in->first = trc_record(&in->file, p).time;
	if (c->DefClkPeriod)
		c->DefClkPeriod(c->UserData, 1e-6);
	return 1;
}

int Ttf_ReadNumEvents(Ttf_FileHandleT handle, Ttf_CallbacksT callbacks, int records)
{
	struct ttf_input *in = input_of(handle);
	unsigned char p[BLOCK * WIDE];
	uint64_t from;
	ssize_t n;
	int is;

	if (!in)
		return -1;
	is = begun(in, &callbacks);
	if (is <= 0 || records <= 0)
		return is < 0 ? -1 : 0;
	from = in->at;
	n = pread(in->fd, p, (size_t)(records < BLOCK ? records : BLOCK) * in->file.size,
		  (off_t)(from * in->file.size));
	if (n < 0)
		return -1;
	n /= (ssize_t)in->file.size;
	in->at += (uint64_t)n; /* callbacks may seek */
	for (ssize_t i = 0; i < n; i++) {
		struct trc_record r = trc_record(&in->file, p + i * in->file.size);

		if (!pass_record(in, &callbacks, &r)) {
			in->at = from + (uint64_t)i + 1;
			errno = EBADMSG;
			return -1;
		}
	}
	return (int)n;
}
