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
#include "cmd/monitor/screen_rows.h"
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
	static const unsigned of[VIEW_KINDS] = {
		[VIEW_THREADS] = LOOK_THREADS, [VIEW_MEMORY] = LOOK_MEMORY,
		[VIEW_PATHS] = LOOK_PATHS,     [VIEW_WAITS] = LOOK_WAITS,
		[VIEW_CELLS] = LOOK_CELLS,
	};

	return of[v->kind] | LOOK_RANKS | LOOK_HANG;
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
	view_rows_renew(v);
}

static void kind_set(struct view *v, enum view_kind kind)
{
	if (v->kind == kind)
		return;
	v->kind = kind;
	v->at = v->top = 0;
	look_again(v);
}

/* ---- from view to view ---- */

static void place_forget(struct view *v)
{
	while (v->before_n)
		free(v->before[--v->before_n].chosen.function);
}

/* Remembers this view, and opens another one. The function of `chosen` is then the view's. */
static void deeper(struct view *v, enum view_kind kind, struct look_chosen chosen)
{
	struct view_place *p;

	if (v->before_n == VIEW_DEPTH) {
		free(v->before[0].chosen.function);
		memmove(v->before, v->before + 1, (VIEW_DEPTH - 1) * sizeof(*v->before));
		v->before_n--;
	}
	p = &v->before[v->before_n++];
	*p = (struct view_place){v->kind, v->at, v->top, "", v->chosen};
	memcpy(p->filter, v->filter, sizeof(p->filter));
	v->filter[0] = 0;
	v->chosen = chosen;
	v->kind = kind;
	v->at = v->top = 0;
	look_again(v);
}

/* Back to the view before; from the first one to all regions. */
static void back(struct view *v)
{
	struct view_place *p;

	if (!v->before_n) {
		v->filter[0] = 0;
		kind_set(v, VIEW_REGIONS);
		return;
	}
	p = &v->before[--v->before_n];
	free(v->chosen.function);
	v->kind = p->kind;
	v->chosen = p->chosen;
	memcpy(v->filter, p->filter, sizeof(v->filter));
	v->at = p->at;
	v->top = p->top;
	look_again(v);
}

static void to_function(struct view *v, const char *name)
{
	deeper(v, VIEW_CELLS,
	       (struct look_chosen){.of = CELLS_FUNCTION, .function = mem_string(name)});
}

static void to_thread(struct view *v, int32_t node, int32_t context, int32_t thread)
{
	deeper(v, VIEW_CELLS, (struct look_chosen){.of = CELLS_THREAD,
						   .node = node,
						   .context = context,
						   .thread = thread});
}

/* From a row to more about it: the functions of a thread, the threads of a function, the call paths that end in a region. */
static void drill_down(struct view *v)
{
	size_t i = view_selected(v);
	const struct look_cell *x;

	if (i == SIZE_MAX)
		return;
	switch (v->kind) {
	case VIEW_REGIONS:
		snprintf(v->filter, sizeof(v->filter), "%s", v->look.region[i].name);
		kind_set(v, VIEW_PATHS);
		break;
	case VIEW_THREADS:
		to_thread(v, v->look.thread[i].node, 0, v->look.thread[i].thread);
		break;
	case VIEW_PROCESSES:
		to_thread(v, v->look.process[i].node, 0, -1);
		break;
	case VIEW_CELLS:
		x = &v->cells.v[i];
		if (v->chosen.of == CELLS_THREAD)
			to_function(v, x->name);
		else
			to_thread(v, x->node, x->context, x->thread);
		break;
	default:
		break;
	}
}

/* The selected region on all threads. */
static void across_threads(struct view *v)
{
	size_t i = view_selected(v);

	if (i == SIZE_MAX)
		return;
	if (v->kind == VIEW_REGIONS)
		to_function(v, v->look.region[i].name);
	else if (v->kind == VIEW_CELLS && v->chosen.of == CELLS_THREAD)
		to_function(v, v->cells.v[i].name);
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

static void draw(struct view *v)
{
	if (v->rows.columns != COLS)
		view_rows_make(v, COLS);
	view_draw(v);
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
		draw(v);
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
	else if (m.y >= view_head(v))
		v->at = v->top + (size_t)(m.y - view_head(v));
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
		move_by(v, view_head(v) + 1 - LINES);
		break;
	case KEY_NPAGE:
		move_by(v, LINES - view_head(v) - 1);
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
		view_rows_renew(v);
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
	case 'f':
		across_threads(v);
		break;
	case KEY_ESC:
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		back(v);
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
	for (int i = 0; i < VIEW_CELLS; i++)
		if (key == view_keys[i] && (i != VIEW_HOSTS || v->look.host_n)) {
			place_forget(v);
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

		draw(v);
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

int screen(struct look_run *r, int64_t interval_ns, enum look_order order,
	   const struct look_chosen *chosen, struct error *e)
{
	struct view v = {.run = r, .interval_ns = interval_ns, .order = order};
	SCREEN *terminal;
	int code;

	v.kind = chosen->of != CELLS_NONE ? VIEW_CELLS : r->paths ? VIEW_PATHS : VIEW_REGIONS;
	v.chosen = *chosen;
	v.chosen.function = chosen->function ? mem_string(chosen->function) : NULL;
	code = look_read(r, needs(&v), &v.look, e);
	if (code) {
		view_rows_release(&v);
		return code;
	}
	look_sort(&v.look, order);
	hosts_print(&v);
	view_rows_renew(&v);
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		view_rows_release(&v);
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
	view_rows_release(&v);
	look_release(&v.look);
	host_news_release(&v.news);
	free(v.mark);
	return 0;
}

#else

int screen(struct look_run *r, int64_t interval_ns, enum look_order order,
	   const struct look_chosen *chosen, struct error *e)
{
	(void)r;
	(void)interval_ns;
	(void)order;
	(void)chosen;
	return error_set(e, ERROR_SYSTEM,
			 "the interactive view needs ncurses, which was not there when this "
			 "program was built (package libncurses-dev); use --once, --json or --csv");
}

#endif
