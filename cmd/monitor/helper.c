/* helper.c: takes requests, and answers each with a look. */
#include "cmd/monitor/helper.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyze/profile/profile.h"
#include "cmd/monitor/frame.h"
#include "cmd/monitor/hosts.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_bytes.h"
#include "cmd/shared/host_list.h"
#include "convert/io/bytes.h"
#include "convert/profile_bytes.h"

struct helper {
	struct look_run *run;
	struct buffer in;
	struct host_start start;
	struct hosts *hosts;
	struct look last;
	int has, fixed; /* `last` is there; the run is that of the command line */
	struct utsname here;
};

static int write_all(const unsigned char *v, size_t n, struct error *e)
{
	while (n) {
		ssize_t written = write(STDOUT_FILENO, v, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return error_set(e, ERROR_SYSTEM, "standard output: %s", strerror(errno));
		v += written;
		n -= (size_t)written;
	}
	return 0;
}

static int frame_write(enum frame_kind kind, const void *payload, size_t n, struct error *e)
{
	struct buffer b = {0};
	int code;

	frame_put(&b, kind, payload, n);
	code = write_all(b.v, b.v_n, e);
	free(b.v);
	return code;
}

static int damaged(struct error *e)
{
	return error_set(e, ERROR_INPUT, "standard input: this is not a request: --stdio is for "
					 "another tau-monitor, which is started with --hosts");
}

static int started(struct helper *h, const struct monitor_frame *f, struct error *e)
{
	if (h->start.self.name || host_start_get(f->payload, f->n, &h->start))
		return damaged(e);
	h->run->name_here = h->start.self.name;
	if (h->fixed)
		return 0;
	h->run->path = h->start.self.path;
	if (h->start.self.own && !uname(&h->here))
		h->run->own = h->here.nodename;
	if (h->start.led.place_n)
		h->run->hosts = h->hosts = hosts_begin(&h->start.led, &h->start.way);
	h->run->here = 1;
	return 0;
}

static int look_answer(struct helper *h, const struct monitor_frame *f, struct error *e)
{
	struct bytes b = bytes_of(f->payload, f->n);
	unsigned wants = (unsigned)bytes_upto(&b, LOOK_WANTS);
	struct error failed = {0};
	struct buffer out = {0};
	int code;

	h->run->threads = (size_t)bytes_varint(&b);
	if (b.bad || bytes_left(&b) || !h->run->path)
		return damaged(e);
	if (h->has)
		look_release(&h->last);
	h->has = 0;
	if (look_read(h->run, wants, &h->last, &failed))
		return frame_write(FRAME_ERROR, failed.text, strlen(failed.text), e);
	h->has = 1;
	if (!h->last.host_n)
		look_host_add(&h->last, &(struct look_host){
			.name = (char *)(h->run->name_here ? h->run->name_here : ""),
			.now = h->last.now, .lost = NAN, .again = NAN});
	look_put(&out, &h->last);
	code = frame_write(FRAME_LOOK, out.v, out.v_n, e);
	free(out.v);
	return code;
}

static int profile_answer(struct helper *h, struct error *e)
{
	struct error failed = {0};
	struct profile *p;
	struct packed_bytes out = {0};
	int code;

	if (!h->has)
		error_set(&failed, ERROR_INPUT, "there was no look");
	if (!h->has || look_profile(h->run, &h->last, &p, &failed))
		return frame_write(FRAME_ERROR, failed.text, strlen(failed.text), e);
	profile_put(&out, p);
	profile_free(p);
	code = frame_write(FRAME_PROFILE, out.v, out.v_n, e);
	free(out.v);
	return code;
}

static int answer(struct helper *h, const struct monitor_frame *f, struct error *e)
{
	switch (f->kind) {
	case FRAME_START:
		return started(h, f, e);
	case FRAME_ASK:
		return look_answer(h, f, e);
	case FRAME_PROFILE:
		return f->n ? damaged(e) : profile_answer(h, e);
	default:
		return damaged(e);
	}
}

/* Until standard input ends. */
static int answer_all(struct helper *h, struct error *e)
{
	struct monitor_frame f;
	int got, code;
	ssize_t n;

	for (;;) {
		while ((got = frame_get(h->in.v, h->in.v_n, &f)) > 0) {
			code = answer(h, &f, e);
			if (code)
				return code;
			frame_drop(&h->in, frame_size(&f));
		}
		if (got < 0)
			return damaged(e);
		put_reserve(&h->in, 65536);
		n = read(STDIN_FILENO, h->in.v + h->in.v_n, h->in.v_cap - h->in.v_n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(e, ERROR_SYSTEM, "standard input: %s", strerror(errno));
		if (n == 0)
			return h->in.v_n ? damaged(e) : 0;
		h->in.v_n += (size_t)n;
	}
}

int helper_serve(struct look_run *r, struct error *e)
{
	struct helper h = {.run = r, .fixed = r->path != NULL};
	char *greeting = mem_printf("%s%d\n", FRAME_GREETING, FRAME_VERSION);
	int code = write_all((unsigned char *)greeting, strlen(greeting), e);

	if (!code)
		code = answer_all(&h, e);
	if (h.has)
		look_release(&h.last);
	if (h.hosts)
		hosts_end(h.hosts);
	look_run_release(r);
	*r = (struct look_run){0};
	host_start_release(&h.start);
	free(h.in.v);
	free(greeting);
	return code;
}
