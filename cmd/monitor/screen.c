/* screen.c: keys and looks; what is shown is drawn by screen_draw.c. */
#include "cmd/monitor/screen.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/monitor/host_news.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/screen_draw.h"
#include "convert/io/now.h"
#include "convert/tau/tau_profile.h"

#ifdef HAVE_NCURSES
#include <ncurses.h>

#define KEY_ESC 27

#ifdef BUTTON5_PRESSED
#define WHEEL_DOWN BUTTON5_PRESSED
#else
#define WHEEL_DOWN 0
#endif

static unsigned needs(const struct view *v)
{
	return v->kind == VIEW_THREADS ? LOOK_THREADS
	       : v->kind == VIEW_MEMORY ? LOOK_MEMORY
	       : v->kind == VIEW_PATHS	? LOOK_PATHS
					: 0;
}

/* In the last line. */
static void hosts_print(struct view *v)
{
	for (size_t i = 0; i < v->look.host_n; i++) {
		char *text = host_news(&v->news, &v->look.host[i]);

		if (text)
			snprintf(v->message, sizeof(v->message), "%s", text);
		free(text);
	}
}

/* A failed look, as while files are being replaced, leaves the one before on the screen. */
static void look_again(struct view *v)
{
	struct error e = {0};
	struct look l;

	if (look_read(v->run, needs(v), &l, &e)) {
		snprintf(v->message, sizeof(v->message), "%s", e.text);
		return;
	}
	look_release(&v->look);
	v->look = l;
	look_sort(&v->look, v->order);
	hosts_print(v);
}

static void kind_set(struct view *v, enum view_kind kind)
{
	if (v->kind == kind)
		return;
	v->kind = kind;
	v->at = v->top = 0;
	look_again(v);
}

/* From a region to the call paths that end in it. */
static void drill_down(struct view *v)
{
	const char *name = view_selected(v);

	if (v->kind != VIEW_REGIONS || !name)
		return;
	snprintf(v->filter, sizeof(v->filter), "%s", name);
	kind_set(v, VIEW_PATHS);
}

static void mark(struct view *v)
{
	size_t n = v->run->name.name_n;
	char at[QUANTITY_TEXT];

	if (v->mark_n) {
		v->mark_n = 0;
		snprintf(v->message, sizeof(v->message), "since the run began");
		return;
	}
	v->mark = mem_resize(v->mark, n + 1, sizeof(*v->mark));
	memset(v->mark, 0, (n + 1) * sizeof(*v->mark));
	for (size_t i = 0; i < v->look.region_n; i++) {
		const struct look_region *x = &v->look.region[i];

		v->mark[x->id] = (struct view_mark){x->calls, x->excl, x->incl};
	}
	v->mark_n = n;
	v->mark_kind = v->kind;
	v->mark_now = v->look.now;
	snprintf(v->message, sizeof(v->message), "calls and times count from %s on",
		 quantity_in_text(v->look.now, 3, "s", at));
}

/* The profile up to the last look, as TAU writes profiles. */
static void snapshot(struct view *v)
{
	const char *base = strrchr(v->run->path, '/');
	char *to = mem_printf("%s-%.3fs", base && base[1] ? base + 1 : v->run->path, v->look.now);
	struct error e = {0};
	struct profile *p = NULL;

	if (look_profile(v->run, &v->look, &p, &e) || tau_profile_write(to, p, &e))
		snprintf(v->message, sizeof(v->message), "%s", e.text);
	else
		snprintf(v->message, sizeof(v->message), "written: %s", to);
	if (p)
		profile_free(p);
	free(to);
}

/* Reads a text in the last line. Esc leaves the filter as it was. */
static void filter_edit(struct view *v)
{
	char text[sizeof(v->filter)] = "";
	size_t n = 0;
	int key;

	curs_set(1);
	timeout(-1);
	do {
		snprintf(v->message, sizeof(v->message), "filter: %s", text);
		view_draw(v);
		key = getch();
		if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && n)
			text[--n] = 0;
		else if (key >= ' ' && key < 256 && key != 127 && n + 1 < sizeof(text))
			text[n++] = (char)key;
	} while (key != '\n' && key != KEY_ENTER && key != KEY_ESC && key != ERR);
	curs_set(0);
	v->message[0] = 0;
	if (key == KEY_ESC)
		return;
	memcpy(v->filter, text, sizeof(text));
	v->at = v->top = 0;
}

static void mouse(struct view *v)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return;
	if (m.bstate & BUTTON4_PRESSED)
		v->at -= v->at > 0;
	else if (m.bstate & WHEEL_DOWN)
		v->at++;
	else if (m.y >= VIEW_HEAD)
		v->at = v->top + (size_t)(m.y - VIEW_HEAD);
}

static void move_by(struct view *v, long step)
{
	if (step < 0 && v->at < (size_t)-step)
		v->at = 0;
	else
		v->at += (size_t)step;
}

static void interval_scale(struct view *v, double factor)
{
	double ns = (double)v->interval_ns * factor;
	char text[QUANTITY_TEXT];

	if (ns >= 1e8 && ns <= 6e10)
		v->interval_ns = (int64_t)ns;
	snprintf(v->message, sizeof(v->message), "a look every %s",
		 quantity_time_text((double)v->interval_ns, text));
}

static void moved(struct view *v, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(v, -1);
		break;
	case KEY_DOWN:
	case 'j':
		move_by(v, 1);
		break;
	case KEY_PPAGE:
		move_by(v, VIEW_HEAD + 1 - LINES);
		break;
	case KEY_NPAGE:
		move_by(v, LINES - VIEW_HEAD - 1);
		break;
	case KEY_HOME:
		v->at = 0;
		break;
	case KEY_END:
		v->at = SIZE_MAX / 2;
		break;
	case KEY_MOUSE:
		mouse(v);
		break;
	default:
		break;
	}
}

static void changed(struct view *v, int key)
{
	switch (key) {
	case 's':
		v->order = (v->order + 1) % LOOK_ORDERS;
		look_sort(&v->look, v->order);
		break;
	case '/':
		filter_edit(v);
		break;
	case ' ':
		v->frozen = !v->frozen;
		break;
	case 'M':
		mark(v);
		break;
	case 'S':
		snapshot(v);
		break;
	case '+':
		interval_scale(v, 0.5);
		break;
	case '-':
		interval_scale(v, 2);
		break;
	case '?':
		v->help = !v->help;
		break;
	case '\n':
	case KEY_ENTER:
		drill_down(v);
		break;
	case KEY_ESC:
		v->filter[0] = 0;
		kind_set(v, VIEW_REGIONS);
		break;
	default:
		moved(v, key);
		break;
	}
}

/* 0: the user quits. */
static int key_handle(struct view *v, int key)
{
	v->message[0] = 0;
	if (v->help && key != 'q' && key != '?' && key != KEY_RESIZE) {
		v->help = 0;
		if (key == KEY_ESC)
			return 1;
	}
	for (int i = 0; i < VIEW_KINDS; i++)
		if (key == view_keys[i] && (i != VIEW_HOSTS || v->look.host_n)) {
			kind_set(v, (enum view_kind)i);
			return 1;
		}
	if (key == 'q')
		return 0;
	changed(v, key);
	return 1;
}

static void run_keys(struct view *v)
{
	int64_t next = now_ns() + v->interval_ns;

	for (;;) {
		int64_t left = (next - now_ns()) / 1000000;
		int key;

		view_draw(v);
		timeout(left > 0 ? (int)left : 0);
		key = getch();
		if (key != ERR && !key_handle(v, key))
			return;
		if (now_ns() < next)
			continue;
		if (!v->frozen)
			look_again(v);
		next = now_ns() + v->interval_ns;
	}
}

int screen(struct look_run *r, int64_t interval_ns, enum look_order order, struct error *e)
{
	struct view v = {.run = r, .interval_ns = interval_ns, .order = order};
	SCREEN *terminal;
	int code;

	v.kind = r->paths ? VIEW_PATHS : VIEW_REGIONS;
	code = look_read(r, needs(&v), &v.look, e);
	if (code)
		return code;
	look_sort(&v.look, order);
	hosts_print(&v);
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		look_release(&v.look);
		host_news_release(&v.news);
		return error_set(e, ERROR_SYSTEM,
				 "this terminal cannot show the view; use --once, --json or --csv");
	}
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	set_escdelay(50);
	mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON4_PRESSED | WHEEL_DOWN, NULL);
	run_keys(&v);
	endwin();
	delscreen(terminal);
	look_release(&v.look);
	host_news_release(&v.news);
	free(v.mark);
	return 0;
}

#else

int screen(struct look_run *r, int64_t interval_ns, enum look_order order, struct error *e)
{
	(void)r;
	(void)interval_ns;
	(void)order;
	return error_set(e, ERROR_SYSTEM,
			 "the interactive view needs ncurses, which was not there when this "
			 "program was built (package libncurses-dev); use --once, --json or --csv");
}

#endif
