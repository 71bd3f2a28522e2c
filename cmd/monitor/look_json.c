/* look_json.c: a look as one line of JSON. */
#include "cmd/monitor/look_json.h"

#include "cmd/monitor/look_hang.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"

/* ,"key":VALUE */
static void member(FILE *f, const char *key, double v)
{
	fprintf(f, ",\"%s\":", key);
	table_json_number(f, v);
}

static void json_regions(const struct look *l, FILE *f)
{
	for (size_t i = 0; i < l->region_n; i++) {
		const struct look_region *x = &l->region[i];

		fprintf(f, "%s{\"region\":", i ? "," : "");
		table_json_string(f, x->name);
		table_json_member(f, "groups", x->groups);
		member(f, "calls", x->calls);
		member(f, "exclusive_us", x->excl);
		member(f, "inclusive_us", x->incl);
		member(f, "new_calls", x->new_calls);
		member(f, "new_exclusive_us", x->new_excl);
		fputc('}', f);
	}
}

static void json_threads(const struct look *l, FILE *f)
{
	for (size_t i = 0; i < l->thread_n; i++) {
		const struct look_thread *x = &l->thread[i];

		fprintf(f, "%s{\"node\":%d,\"thread\":%d,\"running\":%s", i ? "," : "", x->node,
			x->thread, x->running ? "true" : x->unknown ? "null" : "false");
		table_json_member(f, "name", x->label);
		member(f, "calls", x->calls);
		member(f, "new_calls", x->new_calls);
		member(f, "time_us", x->time);
		member(f, "useful", x->useful);
		table_json_member(f, "open", x->open);
		member(f, "since_us", x->since);
		fputc('}', f);
	}
}

/* A look at what is recorded here has none. */
static void json_hosts(const struct look *l, FILE *f)
{
	for (size_t i = 0; i < l->host_n; i++) {
		fputs(i ? ",{\"host\":" : ",\"hosts\":[{\"host\":", f);
		table_json_string(f, l->host[i].name);
		table_json_member(f, "state", look_host_states[l->host[i].state]);
		member(f, "time_s", l->host[i].now);
		table_json_member(f, "why", l->host[i].why);
		member(f, "lost_s", l->host[i].lost);
		member(f, "retry_s", l->host[i].again);
		fputc('}', f);
	}
	if (l->host_n)
		fputc(']', f);
}

static void json_use(const struct look_process *p, FILE *f)
{
	member(f, "cpu_s", p->use.cpu);
	member(f, "cpu_load", p->load);
	member(f, "resident_bytes", p->use.resident);
	member(f, "peak_bytes", p->use.peak);
	member(f, "read_bytes", p->use.read);
	member(f, "read_rate", p->read_rate);
	member(f, "written_bytes", p->use.written);
	member(f, "written_rate", p->written_rate);
	fputs(",\"top\":[", f);
	for (size_t i = 0; i < p->top_n; i++) {
		fputs(i ? ",{\"region\":" : "{\"region\":", f);
		table_json_string(f, p->top[i].name);
		member(f, "new_exclusive_us", p->top[i].new_excl);
		fputc('}', f);
	}
	fputc(']', f);
}

/* null: not looked for. */
static void json_hang(const struct look_hang *h, FILE *f)
{
	if (!h) {
		fputs(",\"hang\":null", f);
		return;
	}
	fprintf(f, ",\"hang\":{\"stuck\":%s", h->stuck ? "true" : "false");
	member(f, "stuck_s", h->stuck_s);
	member(f, "still_s", h->still_s);
	member(f, "time_s", h->at_s);
	member(f, "blocked", (double)h->blocked);
	member(f, "waiting", (double)h->waiting);
	member(f, "computing", (double)h->computing);
	member(f, "ended", (double)h->gone);
	table_json_member(f, "sentence", h->sentence);
	fputs(",\"rows\":", f);
	table_print_json_rows(h->programs, f);
	fputc('}', f);
}

static void json_rest(const struct look *l, FILE *f)
{
	char state[32];

	fputs("],\"memory\":[", f);
	for (size_t i = 0; i < l->memory_n; i++) {
		fprintf(f, "%s{\"type\":", i ? "," : "");
		table_json_string(f, l->memory[i].type);
		member(f, "live_bytes", l->memory[i].bytes);
		member(f, "live_blocks", l->memory[i].blocks);
		fputc('}', f);
	}
	fputs("],\"processes\":[", f);
	for (size_t i = 0; i < l->process_n; i++) {
		const struct look_process *p = &l->process[i];

		fprintf(f, "%s{\"node\":%d,\"pid\":%u", i ? "," : "", p->node, p->pid);
		table_json_member(f, "host", p->host);
		table_json_member(f, "state", look_process_state(p, state));
		json_use(p, f);
		fputc('}', f);
	}
	fputs("]", f);
	json_hang(l->hang, f);
	json_hosts(l, f);
	fputs("}\n", f);
}

void look_json(const struct look *l, const char *path, FILE *f)
{
	fputs("{\"run\":", f);
	table_json_string(f, path);
	member(f, "time_s", l->now);
	member(f, "elapsed_s", l->elapsed);
	member(f, "pes", (double)l->pes);
	member(f, "running", (double)l->running);
	member(f, "ended", (double)l->ended);
	member(f, "unknown", (double)l->unknown);
	member(f, "records", l->records);
	member(f, "lost", l->lost);
	member(f, "messages_in_flight", l->messages);
	member(f, "bytes_in_flight", l->bytes);
	fputs(",\"regions\":[", f);
	json_regions(l, f);
	fputs("],\"threads\":[", f);
	json_threads(l, f);
	json_rest(l, f);
}

/* ---- rows about one thread or function ---- */

void look_cells_json(const struct look *l, const struct look_cells *x, const struct look_chosen *c,
		     const char *path, FILE *f)
{
	struct table *t = look_cells_table(x, c, CELLS_FOR_DATA, 0);

	fputs("{\"run\":", f);
	table_json_string(f, path);
	member(f, "time_s", l->now);
	member(f, "running", (double)l->running);
	member(f, "ended", (double)l->ended);
	table_json_member(f, "of", c->of == CELLS_THREAD ? "thread" : "function");
	table_json_member(f, "title", x->title);
	fputs(",\"rows\":", f);
	table_print_json_rows(t, f);
	fputs("}\n", f);
	table_free(t);
}
