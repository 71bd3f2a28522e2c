/* progress.c: writes and erases the line of progress. */
#include "cmd/shared/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "convert/io/now.h"

#define PATIENCE_NS 500000000 /* before the line appears */
#define PAUSE_NS    200000000 /* between two of its states */
#define WIDTH       80

void progress_begin(struct progress *p, const char *what)
{
	*p = (struct progress){.what = what, .on = isatty(STDERR_FILENO), .stage = -1};
	p->begin = now_ns();
	p->next = p->begin + PATIENCE_NS;
}

/* "12.3 million" */
static void number(char *to, size_t size, uint64_t n)
{
	if (n >= 1000000)
		snprintf(to, size, "%.1f million", (double)n / 1e6);
	else
		snprintf(to, size, "%llu", (unsigned long long)n);
}

static void remaining(char *to, size_t size, int64_t took, double share)
{
	double left = share > 0 ? (double)took / 1e9 * (1 - share) / share : 0;
	char text[QUANTITY_TEXT];

	*to = 0;
	if (share < 0.02)
		return;
	snprintf(to, size, ", %s left",
		 left < 90 ? quantity_in_text(left, 0, "s", text)
			   : quantity_in_text(left / 60, 0, "m", text));
}

static void line_write(const char *text)
{
	struct winsize w;
	size_t width = WIDTH, n = strlen(text);

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 1)
		width = w.ws_col;
	if (n >= width)
		n = width - 1;
	fprintf(stderr, "\r%.*s\033[K", (int)n, text);
	fflush(stderr);
}

void progress_replay(void *to, enum replay_stage stage, uint64_t done, uint64_t all)
{
	struct progress *p = to;
	int64_t at = p->on ? now_ns() : 0;
	char text[512], part[32], whole[32], left[32] = "";
	double share;

	if (!p->on)
		return;
	if ((int)stage != p->stage) {
		p->stage = (int)stage;
		p->begin = at;
	}
	if (at < p->next)
		return;
	p->next = at + PAUSE_NS;
	/* What is expected is an estimate. */
	if (done > all)
		done = all;
	share = all ? (double)done / (double)all : 0;
	number(part, sizeof(part), done);
	number(whole, sizeof(whole), all);
	if (stage == REPLAY_READING)
		remaining(left, sizeof(left), at - p->begin, share);
	snprintf(text, sizeof(text), "%s: %.0f %%, %s of %s %s%s", p->what, 100 * share, part,
		 whole, stage == REPLAY_READING ? "events read" : "places in code named", left);
	line_write(text);
	p->shown = 1;
}

void progress_words(struct progress *p, const char *words)
{
	int64_t at = p->on ? now_ns() : 0;

	if (!p->on || at < p->next)
		return;
	p->next = at + PAUSE_NS;
	line_write(words);
	p->shown = 1;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = 0;
}
