/* screen_draw.c: rows of a look on a terminal. */
#include "cmd/monitor/screen_draw.h"

#ifdef HAVE_NCURSES
#include <math.h>
#include <ncurses.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/monitor/look.h"
#include "cmd/monitor/look_summary.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table_text.h"

/* ---- pieces ---- */

/* From column x on, at most to the right edge, without what could command the terminal. */
static void put(int y, int x, const char *s)
{
	char *clean;
	int room = COLS - x;

	if (room <= 0 || y >= LINES)
		return;
	clean = text_clean(s);
	table_elide(clean, (size_t)room);
	mvaddstr(y, x, clean);
	free(clean);
}

static void put_name(int y, int x, const char *name)
{
	char *s = region_name_short(name);

	if (COLS > x) {
		region_name_fit(s, (size_t)(COLS - x));
		put(y, x, s);
	}
	free(s);
}

/* Right-aligned; missing values are blank. */
static void put_number(int y, int end, double v, const char *format)
{
	char text[64];
	int n;

	if (!isfinite(v))
		return;
	n = snprintf(text, sizeof(text), format, v);
	if (end - n >= 0)
		put(y, end - n, text);
}

static void put_bytes(int y, int end, double v)
{
	char text[QUANTITY_TEXT];

	quantity_size_text(v, text);
	put(y, end - (int)strlen(text), text);
}

/* Shares of the last looks, the newest on the right. */
static void put_spark(const struct view *v, int y, int x, size_t width, size_t id)
{
	static const char *const level[2][9] = {
		{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		{" ", ".", ":", "-", "=", "+", "*", "#", "@"}};
	int ascii = table_ascii((size_t)COLS);

	for (size_t i = 0; i < width; i++) {
		size_t back = width - i;
		float share;

		if (back > v->run->looks || back > LOOK_HISTORY)
			continue;
		share = v->run->share[id][(v->run->looks - back) % LOOK_HISTORY];
		mvaddstr(y, x + (int)i, level[ascii][share > 0 ? 1 + (int)(share * 7.99f) : 0]);
	}
}

static int mark_applies(const struct view *v)
{
	return v->mark_n && v->mark_kind == v->kind;
}

static int passes(const struct view *v, const char *name)
{
	return !v->filter[0] || (name && strstr(name, v->filter));
}

/* ---- rows ---- */

static int spark_width(void)
{
	return COLS >= 140 ? 40 : COLS >= 100 ? 20 : 8;
}

static void region_row(const struct view *v, int y, size_t i)
{
	const struct look_region *x = &v->look.region[i];
	struct view_mark from = {0};
	int at = 52;

	if (mark_applies(v) && x->id < v->mark_n)
		from = v->mark[x->id];
	put_number(y, 11, x->calls - from.calls, "%.0f");
	put_number(y, 21, v->look.elapsed > 0 ? x->new_calls / v->look.elapsed : NAN, "%.1f");
	put_number(y, 31, v->look.elapsed > 0 ? x->new_excl / 1e4 / v->look.elapsed : NAN, "%.1f");
	put_number(y, 41, (x->excl - from.excl) / 1e6, "%.3f");
	put_number(y, 51, (x->incl - from.incl) / 1e6, "%.3f");
	put_spark(v, y, at, (size_t)spark_width(), x->id);
	put_name(y, at + spark_width() + 1, x->name);
}

static void thread_row_draw(const struct view *v, int y, size_t i)
{
	const struct look_thread *x = &v->look.thread[i];
	char name[40];

	snprintf(name, sizeof(name), "%d.%d", x->node, x->thread);
	put(y, 0, name);
	put_number(y, 22, x->calls, "%.0f");
	put_number(y, 32, v->look.elapsed > 0 ? x->new_calls / v->look.elapsed : NAN, "%.1f");
	put_number(y, 40, 100 * x->useful, "%.1f");
	put_number(y, 52, x->since / 1e3, "%.1f");
	put_name(y, 53, x->open	       ? x->open
			   : x->running ? "(nothing is open)"
			   : x->unknown ? "(unknown)"
					: "(ended)");
}

static void memory_row_draw(const struct view *v, int y, size_t i)
{
	const struct look_memory *x = &v->look.memory[i];

	put_bytes(y, 12, x->bytes);
	put_number(y, 24, x->blocks, "%.0f");
	put(y, 26, x->type);
}

/* Of views that are tables. */
static void line_draw(const struct view *v, int y, size_t i)
{
	put(y, 0, v->rows.line[i]);
}

static void host_row_draw(const struct view *v, int y, size_t i)
{
	const struct look_host *x = &v->look.host[i];
	char *text = mem_printf("%s%s%s", x->name, x->why ? ": " : "", x->why ? x->why : "");

	put(y, 2, look_host_states[x->state]);
	put_number(y, 19, x->now, "%.3f");
	put_number(y, 28, x->lost, "%.1f");
	put_number(y, 37, x->again, "%.1f");
	put(y, 39, text);
	free(text);
}

/* ---- views as rows of a table ---- */

const char view_keys[VIEW_KINDS + 1] = "rctmpwh";

struct view_of {
	const char *name, *header; /* header NULL: that of the table */
	size_t (*count)(const struct view *v);
	const char *(*text)(const struct view *v, size_t i); /* that the filter looks at */
	void (*draw)(const struct view *v, int y, size_t i);
};

static size_t regions(const struct view *v)
{
	return v->look.region_n;
}
static const char *region_filtered(const struct view *v, size_t i)
{
	return v->look.region[i].name;
}
static size_t threads(const struct view *v)
{
	return v->look.thread_n;
}
static const char *thread_filtered(const struct view *v, size_t i)
{
	return v->look.thread[i].open;
}
static size_t memory(const struct view *v)
{
	return v->look.memory_n;
}
static const char *memory_filtered(const struct view *v, size_t i)
{
	return v->look.memory[i].type;
}
static size_t hosts(const struct view *v)
{
	return v->look.host_n;
}
static const char *host_filtered(const struct view *v, size_t i)
{
	return v->look.host[i].name;
}
static size_t lines(const struct view *v)
{
	return v->rows.line_n;
}
static const char *line_filtered(const struct view *v, size_t i)
{
	return v->rows.line[i];
}

#define REGION_HEADER "      calls   calls/s   recent %   excl s    incl s"
static const struct view_of views[VIEW_KINDS] = {
	[VIEW_REGIONS] = {"regions", REGION_HEADER, regions, region_filtered, region_row},
	[VIEW_PATHS] = {"call paths", REGION_HEADER, regions, region_filtered, region_row},
	[VIEW_THREADS] = {"threads", "thread           calls   calls/s useful %    since ms open",
			  threads, thread_filtered, thread_row_draw},
	[VIEW_MEMORY] = {"memory", "        live      blocks  type", memory, memory_filtered,
			 memory_row_draw},
	[VIEW_PROCESSES] = {"processes", NULL, lines, line_filtered, line_draw},
	[VIEW_WAITS] = {"waits", NULL, lines, line_filtered, line_draw},
	[VIEW_CELLS] = {"", NULL, lines, line_filtered, line_draw},
	[VIEW_HOSTS] = {"hosts", "  state      time s   lost s  retry s  host", hosts,
			host_filtered, host_row_draw},
};

/* ---- the whole ---- */

int view_head(const struct view *v)
{
	return 4 + (v->alarm != NULL);
}

/* The views, and the order; the title of cells is in their place. */
static void tabs_draw(const struct view *v, int y)
{
	char text[300];
	int x = 0;

	if (v->kind == VIEW_CELLS) {
		snprintf(text, sizeof(text), "%s", v->cells.title ? v->cells.title : "");
		put(y, 0, text);
		x = (int)strlen(text) + 2;
	}
	for (int i = 0; i < VIEW_CELLS && v->kind != VIEW_CELLS; i++) {
		if (i == VIEW_HOSTS && !v->look.host_n)
			continue;
		snprintf(text, sizeof(text), "%c:%s", view_keys[i], views[i].name);
		if (v->kind == (enum view_kind)i)
			attron(A_UNDERLINE);
		put(y, x, text);
		attroff(A_UNDERLINE);
		x += (int)strlen(text) + 2;
	}
	snprintf(text, sizeof(text), "s:%s%s", COLS < x + 14 ? "" : "by ", look_orders[v->order]);
	put(y, x, text);
}

/* Of a longer sentence the begin is shown. */
static void alarm_put(const char *s)
{
	char *text = mem_string(s);
	size_t room = COLS > 1 ? (size_t)COLS - 1 : 1;

	if (table_text_width(text) > room && strlen(text) > room)
		strcpy(text + room - 1, "~");
	put(2, 0, text);
	free(text);
}

static void head_draw(const struct view *v)
{
	char at[QUANTITY_TEXT],
		*from = mark_applies(v) ? mem_printf(", counted from %s on",
						     quantity_in_text(v->mark_now, 3, "s", at))
					: mem_string("");
	char *title = mem_printf("%s at %s%s%s%s", v->run->path,
				 quantity_in_text(v->look.now, 3, "s", at),
				 v->look.running ? "" : ", which has ended", from,
				 v->frozen ? " (frozen: space goes on)" : "");
	char *summary = look_summary(&v->look, (size_t)COLS);
	const char *header = views[v->kind].header ? views[v->kind].header : v->rows.header;
	int y = view_head(v) - 1;

	attron(A_BOLD);
	put(0, 0, title);
	attroff(A_BOLD);
	put(1, 0, summary);
	if (v->alarm) {
		attron(v->alarmed ? A_BOLD | A_STANDOUT : A_NORMAL);
		alarm_put(v->alarm);
		attroff(A_BOLD | A_STANDOUT);
	}
	tabs_draw(v, y - 1);
	attron(A_REVERSE);
	mvhline(y, 0, ' ', COLS);
	put(y, 0, header ? header : "");
	if (v->kind == VIEW_REGIONS || v->kind == VIEW_PATHS) {
		put(y, 52, "history");
		put(y, 52 + spark_width() + 1, v->kind == VIEW_PATHS ? "call path" : "region");
	}
	attroff(A_REVERSE);
	free(from);
	free(title);
	free(summary);
}

static void help_draw(const struct view *v)
{
	static const char *const line[] = {
		"r c t m p   regions, call paths, threads, memory, processes",
		"w           waits: who waits for whom, and what hangs",
		"h           hosts, if there are several, and why one is not shown",
		"s           order by another column",
		"/           show only rows with a text",
		"Enter       of a thread or process: its functions; of a function: its threads;",
		"            of a region: the call paths that contain it",
		"f           the selected region on all threads, contexts and nodes",
		"Esc, Backspace   back; from where nothing is before: all regions",
		"space       freeze, and go on",
		"M           count from now on; again: from the beginning",
		"S           write the profile as TAU does, below the current directory",
		"+ -         look more often, less often",
		"arrows, page keys, mouse   move",
		"?           this help; any key ends it",
		"q           quit; the program is not affected",
		"recent %: exclusive time since the last look, of one CPU",
	};

	for (size_t i = 0; i < sizeof(line) / sizeof(*line); i++)
		put(view_head(v) + (int)i, 2, line[i]);
}

/* The number of rows that pass. Draws those that are on the screen if draw is set. */
static size_t rows_pass(const struct view *v, int draw)
{
	const struct view_of *of = &views[v->kind];
	int head = view_head(v);
	size_t n = 0;

	for (size_t i = 0; i < of->count(v); i++) {
		if (!passes(v, of->text(v, i)))
			continue;
		if (draw && n >= v->top && (int)(n - v->top) < LINES - head - 1) {
			int y = head + (int)(n - v->top);

			of->draw(v, y, i);
			if (n == v->at)
				mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
		}
		n++;
	}
	return n;
}

static void scroll_to(struct view *v)
{
	size_t n = rows_pass(v, 0), page = 1;

	if (LINES > view_head(v) + 1)
		page = (size_t)(LINES - view_head(v) - 1);
	if (v->at >= n)
		v->at = n ? n - 1 : 0;
	if (v->at < v->top)
		v->top = v->at;
	if (v->at >= v->top + page)
		v->top = v->at - page + 1;
	if (v->top + page > n)
		v->top = n > page ? n - page : 0;
}

/* Why there are no rows. */
static void no_rows_draw(const struct view *v)
{
	const char *why = "Nothing is recorded yet.";

	if (v->filter[0])
		why = "No row contains the text of the filter. Esc: all regions";
	else if (v->kind == VIEW_MEMORY)
		why = "No blocks of memory are known. tau-record --memory records them.";
	else if (v->kind == VIEW_WAITS && v->look.host_n)
		why = "Not known at several hosts. tau-report hang RUN shows it.";
	put(view_head(v), 2, why);
}

/* A message, or the filter. */
static void last_draw(const struct view *v)
{
	char *filter = region_name_short(v->filter);
	char *text = mem_printf("? keys   q quit%s%s", *filter ? "   filter: " : "", filter);

	put(LINES - 1, 0, v->message[0] ? v->message : text);
	free(text);
	free(filter);
}

void view_draw(struct view *v)
{
	erase();
	scroll_to(v);
	head_draw(v);
	if (v->help)
		help_draw(v);
	else if (!rows_pass(v, 1))
		no_rows_draw(v);
	last_draw(v);
	refresh();
}

size_t view_selected(const struct view *v)
{
	const struct view_of *of = &views[v->kind];
	size_t n = 0;

	for (size_t i = 0; i < of->count(v); i++)
		if (passes(v, of->text(v, i)) && n++ == v->at)
			return i;
	return SIZE_MAX;
}

#endif
