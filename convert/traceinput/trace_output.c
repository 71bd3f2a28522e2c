/* trace_output.c: writes TAU traces, for programs that use TAU's library. */
#include "convert/traceinput/TAU_tf_writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "convert/tau/tau_trace.h"
#include "convert/traceinput/handle.h"

struct ttf_record {
	int32_t event;
	uint16_t node, thread;
	int64_t parameter;
	uint64_t time;
};

struct ttf_definition {
	unsigned id;
	size_t order; /* the last one of an id counts */
	char *line;
};

struct ttf_output {
	enum ttf_handle handle;
	FILE *trc;
	char *edf;
	int changed; /* the .edf file is older than the definitions */
	uint64_t last; /* the latest time */
	int begun;
	struct ttf_definition *definition;
	size_t definition_n, definition_cap;
	uint32_t *thread; /* node << 16 | thread */
	size_t thread_n, thread_cap;
	struct map group_of;
	struct names group;
};

static struct ttf_output *output_of(Ttf_FileHandleT handle)
{
	struct ttf_output *o = handle;

	if (o && o->handle == TTF_OUTPUT)
		return o;
	errno = EINVAL;
	return NULL;
}

static void define(struct ttf_output *o, unsigned id, const char *group, int tag, const char *name,
		   const char *parameter)
{
	char *line = mem_printf("%u %s %d \"%s\" %s", id, group, tag, name, parameter);

	for (char *s = line; *s; s++)
		if (*s == '\n' || *s == '\r')
			*s = ' ';
	*array_add(o, definition) = (struct ttf_definition){id, o->definition_n, line};
	o->changed = 1;
}

Ttf_FileHandleT Ttf_OpenFileForOutput(const char *name, const char *edf)
{
	FILE *trc = name && edf ? fopen(name, "we") : NULL, *f = trc ? fopen(edf, "we") : NULL;
	struct ttf_output *o;

	if (!f) {
		if (!name || !edf)
			errno = EINVAL;
		if (trc)
			fclose(trc);
		return NULL;
	}
	fclose(f);
	o = mem_alloc(sizeof(*o));
	o->handle = TTF_OUTPUT;
	o->trc = trc;
	o->edf = mem_string(edf);
	define(o, TAU_EV_INIT, "TRACER", 0, "EV_INIT", "none");
	define(o, TAU_EV_CLOSE, "TRACER", 0, "FLUSH_CLOSE", "none");
	define(o, TAU_EV_WALL_CLOCK, "TRACER", 0, "WALL_CLOCK", "none");
	define(o, TAU_EV_SEND, "TAU_MESSAGE", -7, "MESSAGE_SEND", "par");
	define(o, TAU_EV_RECV, "TAU_MESSAGE", -8, "MESSAGE_RECV", "par");
	return o;
}

int Ttf_DefClkPeriod(Ttf_FileHandleT file, double period)
{
	(void)period;
	return output_of(file) ? 0 : -1;
}

static int refused(void)
{
	errno = EINVAL;
	return -1;
}

int Ttf_DefThread(Ttf_FileHandleT file, unsigned node, unsigned thread, const char *name)
{
	struct ttf_output *o = output_of(file);

	(void)name;
	if (!o || node > UINT16_MAX || thread > UINT16_MAX)
		return refused();
	*array_add(o, thread) = node << 16 | thread;
	return 0;
}

int Ttf_DefStateGroup(Ttf_FileHandleT file, const char *name, unsigned token)
{
	struct ttf_output *o = output_of(file);

	/* A definition's first double quote begins the name. */
	if (!o || !name || strchr(name, '"'))
		return refused();
	map_set(&o->group_of, token, names_add(&o->group, name, strlen(name)));
	return 0;
}

int Ttf_DefState(Ttf_FileHandleT file, unsigned token, const char *name, unsigned group)
{
	struct ttf_output *o = output_of(file);
	uint32_t at = o ? map_get(&o->group_of, group) : MAP_NONE;

	if (at == MAP_NONE || !name || token >= TAU_EV_INIT)
		return refused();
	define(o, token, o->group.name[at], 0, name, "EntryExit");
	return 0;
}

int Ttf_DefUserEvent(Ttf_FileHandleT file, unsigned token, const char *name, int monotonic)
{
	struct ttf_output *o = output_of(file);

	if (!o || !name || token >= TAU_EV_INIT)
		return refused();
	define(o, token, "TAUEVENT", monotonic, name, "TriggerValue");
	return 0;
}

/* A trace begins with a record of its own, at the place and time of the first one. */
static int put(Ttf_FileHandleT file, double time, unsigned node, unsigned thread, unsigned event,
	       int64_t parameter)
{
	struct ttf_output *o = output_of(file);
	struct ttf_record r = {TAU_EV_INIT, (uint16_t)node, (uint16_t)thread, 3, 0};

	if (!o || node > UINT16_MAX || thread > UINT16_MAX || event > INT32_MAX || !(time >= 0) ||
	    time >= 0x1p63)
		return refused();
	r.time = (uint64_t)time;
	o->last = r.time > o->last ? r.time : o->last;
	if (!o->begun && fwrite(&r, sizeof(r), 1, o->trc) != 1)
		return -1;
	o->begun = 1;
	r.event = (int32_t)event;
	r.parameter = parameter;
	return fwrite(&r, sizeof(r), 1, o->trc) == 1 ? 0 : -1;
}

int Ttf_EnterState(Ttf_FileHandleT file, uint64_t time, unsigned node, unsigned thread,
		   unsigned state)
{
	return put(file, (double)time, node, thread, state, 1);
}

int Ttf_LeaveState(Ttf_FileHandleT file, uint64_t time, unsigned node, unsigned thread,
		   unsigned state)
{
	return put(file, (double)time, node, thread, state, -1);
}

int Ttf_EventTrigger(Ttf_FileHandleT file, double time, unsigned node, unsigned thread,
		     unsigned event, double value)
{
	if (!(fabs(value) < 0x1p63))
		return refused();
	return put(file, time, node, thread, event, (int64_t)value);
}

/* The inverse of trc_message(). */
static int64_t packed(uint64_t peer, uint64_t bytes, uint64_t tag, uint64_t comm)
{
	return (int64_t)((bytes & 0xffff) | (tag & 0xff) << 16 | (peer & 0xff) << 24 |
			 (bytes >> 16 & 0x3ff) << 32 | (comm & 0x3f) << 42 |
			 (tag >> 8 & 0xff) << 48 | (peer >> 8 & 0xff) << 56);
}

int Ttf_SendMessage(Ttf_FileHandleT file, double time, unsigned from, unsigned from_thread,
		    unsigned to, unsigned to_thread, unsigned bytes, unsigned tag, unsigned comm)
{
	(void)to_thread;
	if (to > UINT16_MAX)
		return refused();
	return put(file, time, from, from_thread, TAU_EV_SEND, packed(to, bytes, tag, comm));
}

int Ttf_RecvMessage(Ttf_FileHandleT file, double time, unsigned from, unsigned from_thread,
		    unsigned to, unsigned to_thread, unsigned bytes, unsigned tag, unsigned comm)
{
	(void)from_thread;
	if (from > UINT16_MAX)
		return refused();
	return put(file, time, to, to_thread, TAU_EV_RECV, packed(from, bytes, tag, comm));
}

static int by_id(const void *a, const void *b)
{
	const struct ttf_definition *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* In the order of ids, as TAU writes them. */
static int write_edf(struct ttf_output *o)
{
	FILE *f = fopen(o->edf, "we");
	size_t n = 0;
	int bad;

	if (!f)
		return -1;
	qsort(o->definition, o->definition_n, sizeof(*o->definition), by_id);
	for (size_t i = 0; i < o->definition_n; i++)
		if (i + 1 < o->definition_n && o->definition[i].id == o->definition[i + 1].id)
			free(o->definition[i].line);
		else
			o->definition[n++] = o->definition[i];
	o->definition_n = n;
	fprintf(f, "%zu dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n",
		n);
	for (size_t i = 0; i < n; i++) {
		o->definition[i].order = i;
		fprintf(f, "%s\n", o->definition[i].line);
	}
	bad = ferror(f);
	o->changed = 0;
	return fclose(f) || bad ? -1 : 0;
}

int Ttf_FlushTrace(Ttf_FileHandleT file)
{
	struct ttf_output *o = output_of(file);

	if (!o || (o->changed && write_edf(o)))
		return -1;
	return fflush(o->trc) || ferror(o->trc) ? -1 : 0;
}

Ttf_FileHandleT Ttf_CloseOutputFile(Ttf_FileHandleT file)
{
	struct ttf_output *o = output_of(file);
	int cause = 0;

	if (!o)
		return NULL;
	errno = 0;
	if (o->thread_n)
		qsort(o->thread, o->thread_n, sizeof(*o->thread), by_number);
	for (size_t i = 0; i < o->thread_n; i++) {
		uint32_t t = o->thread[i];

		if (i && t == o->thread[i - 1])
			continue;
		put(o, (double)o->last, t >> 16, t & UINT16_MAX, TAU_EV_CLOSE, 0);
		put(o, (double)o->last, t >> 16, t & UINT16_MAX, TAU_EV_WALL_CLOCK, 0);
	}
	if (Ttf_FlushTrace(o))
		cause = errno ? errno : EIO;
	if (fclose(o->trc) && !cause)
		cause = errno;
	for (size_t i = 0; i < o->definition_n; i++)
		free(o->definition[i].line);
	free(o->definition);
	free(o->thread);
	map_release(&o->group_of);
	names_release(&o->group);
	free(o->edf);
	free(o);
	errno = cause;
	return NULL;
}
