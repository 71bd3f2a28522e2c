/* tau_profile_read.c: TAU profile directories -> struct profile (format: tau_profile.h). */
#include <string.h>

#include "analyze/profile/profile.h"
#include "convert/profile_format.h"
#include "convert/tau/meta_share.h"
#include "convert/tau/tau_dir.h"
#include "convert/tau/tau_file.h"
#include "convert/tau/tau_metadata.h"
#include "convert/tau/tau_profile.h"
#include "convert/tau/tau_text.h"
#include "record/metadata.h"

#define LEFT_OUT_NAMED 20 /* number of damaged files that are named; more are counted */

/* Adds to a list that ends with their number where there are too many. */
static void list_add(struct tau_list *l, const char *what)
{
	char *more;

	if (l->n++ >= LEFT_OUT_NAMED)
		return;
	more = mem_printf("%s%s%s", l->text ? l->text : "", l->text ? "; " : "", what);
	free(l->text);
	l->text = more;
}

/* Names a file without its folder's name, and what is wrong with it. */
static void leave_out(struct tau_reader *r, const char *dir)
{
	size_t skip = strlen(dir) + 1, n = strlen(r->text.e->text);

	list_add(&r->left_out, r->text.e->text + (n > skip ? skip : 0));
	*r->text.e = (struct error){0};
}

/* Notes the text that the file just read has after its end. */
static void note_rest(struct tau_reader *r)
{
	const char *slash = strrchr(r->text.file, '/');
	char *what;

	if (r->odd) {
		what = mem_printf("%s: %zu line%s among its timers, the first is line %zu",
				  slash ? slash + 1 : r->text.file, r->odd, plural(r->odd),
				  r->odd_line);
		list_add(&r->ignored, what);
		free(what);
	}
	if (!r->rest)
		return;
	what = mem_printf("%s from line %zu on, after its last %s",
			  slash ? slash + 1 : r->text.file, r->rest, r->rest_after);
	list_add(&r->ignored, what);
	free(what);
}

static char *file_name(const char *dir, const struct tau_dir_file *f)
{
	return mem_printf("%s/profile.%d.%d.%d", dir, f->node, f->context, f->thread);
}

/* The metric of a folder, which its first undamaged file names: needed before any row is made. */
static int peek_metric(struct tau_reader *r, const char *dir, const struct tau_dir *d,
		       char **metric)
{
	struct error first = { 0 };
	int code = 0;

	for (size_t i = 0; i < d->file_n && !*metric; i++) {
		char *file = file_name(dir, &d->file[i]);

		code = tau_text_open(&r->text, file);
		if (code == 0)
			code = tau_file_metric(r, metric);
		if (code && !first.code)
			first = *r->text.e;
		free(file);
	}
	*r->text.e = *metric ? (struct error){ 0 } : first;
	return *metric ? 0 : first.code;
}

static void begin_thread(struct tau_reader *r, int32_t node, int32_t context, int32_t thread)
{
	r->thread = profile_add_thread(r->p, node, context, thread);
	while (r->read.v_n < r->p->thread_n)
		*array_add(&r->read, v) = 0;
	r->fresh = !r->read.v[r->thread];
}

/* Reads all files of one folder, as values of r->metric. Damaged ones are excluded. */
static int read_folder(struct tau_reader *r, const char *dir, const struct tau_dir *d)
{
	size_t before = r->p->thread_n;
	unsigned char *here = mem_alloc(before + 1);
	int code = 0;

	for (size_t i = 0; code == 0 && i < d->file_n; i++) {
		const struct tau_dir_file *f = &d->file[i];
		char *file = file_name(dir, f);

		begin_thread(r, f->node, f->context, f->thread);
		if (r->thread < before)
			here[r->thread] = 1;
		r->before = r->p->thread[r->thread].row_n;
		code = tau_text_open(&r->text, file);
		if (code == 0)
			code = tau_file_parse(r, r->p->metric[r->metric].name);
		r->read.v[r->thread] |= code == 0;
		if (code == 0)
			note_rest(r);
		if (code && !r->mixed) {
			tau_file_undo(r);
			leave_out(r, dir);
			code = 0;
		}
		free(file);
	}
	for (size_t i = 0; i < before; i++)
		r->missing[r->metric] += here[i] ? 0 : r->p->thread[i].row_n;
	free(here);
	return code;
}

/* Threads of which no file could be read. */
static void drop_threads(struct tau_reader *r)
{
	struct profile *p = r->p;
	size_t kept = 0;

	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		if (r->read.v[i])
			p->thread[kept++] = *t;
		else
			profile_thread_release(t);
	}
	p->thread_n = kept;
}

static void list_note(struct tau_reader *r, const char *name, const struct tau_list *l)
{
	char *all = l->n > LEFT_OUT_NAMED
			    ? mem_printf("%s; and %zu more", l->text, l->n - LEFT_OUT_NAMED)
			    : NULL;

	if (l->text)
		profile_set_meta(r->p, UINT32_MAX, name, all ? all : l->text);
	free(all);
}

/* Metrics that do not have all rows, as metadata of the profile. empty: begins the list, or NULL. */
static void missing_note(struct tau_reader *r, const char *empty)
{
	char *all = mem_string(empty ? empty : "");

	for (size_t k = 0; k < r->p->metric_n; k++) {
		char *longer;

		if (!r->missing[k])
			continue;
		longer = mem_printf("%s%s (%llu), ", all, r->p->metric[k].name,
				    (unsigned long long)r->missing[k]);
		free(all);
		all = longer;
	}
	if (*all) {
		all[strlen(all) - 2] = 0;
		profile_set_meta(r->p, UINT32_MAX, TAU_META_VALUES_MISSING, all);
	}
	free(all);
}

static int read_folders(struct tau_reader *r, const struct tau_folders *f)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < f->v_n; i++) {
		char *metric = NULL;

		code = peek_metric(r, f->v[i].path, &f->v[i].dir, &metric);
		if (code < 0)
			return code;
		if (profile_add_metric(r->p, metric) != i)
			code = error_set(r->text.e, ERROR_INPUT,
					 "%s: metric %s for the second time", f->v[i].path, metric);
		free(metric);
	}
	r->missing = mem_alloc((f->v_n + 1) * sizeof(*r->missing));
	for (size_t i = 0; code == 0 && i < f->v_n; i++) {
		r->metric = (uint32_t)i;
		code = read_folder(r, f->v[i].path, &f->v[i].dir);
	}
	if (code == 0 && !r->read_n)
		code = error_set(r->text.e, ERROR_INPUT, "%s/%s", f->v[0].path, r->left_out.text);
	return code;
}

static char *last_part(const char *dir)
{
	char *real = realpath(dir, NULL), *name;

	name = mem_string(
		real && strrchr(real, '/') && strrchr(real, '/')[1] ? strrchr(real, '/') + 1 : dir);
	free(real);
	return name;
}

/* code: 0, or that of an error before. */
static int finish(struct tau_reader *r, const char *empty, int code, struct profile **out)
{
	for (size_t i = 0; i < r->common.v_n; i++)
		if (meta_share_whole(&r->common, i))
			tau_metadata_set(r->p, &(struct profile_attribute){r->common.name.name[i],
									   r->common.v[i].value});
	if (code == 0) {
		drop_threads(r);
		missing_note(r, empty);
		list_note(r, TAU_META_FILES_LEFT_OUT, &r->left_out);
		list_note(r, TAU_META_TEXT_IGNORED, &r->ignored);
	}
	free(r->missing);
	free(r->left_out.text);
	free(r->ignored.text);
	free(r->read.v);
	meta_share_release(&r->common);
	names_release(&r->events);
	names_release(&r->sample_names);
	free(r->sample_mark);
	free(r->mark);
	for (size_t i = 0; i < r->seen_n; i++)
		free(r->seen[i].text);
	free(r->seen);
	free(r->text.text);
	if (code < 0) {
		profile_free(r->p);
		return code;
	}
	profile_sort(r->p);
	*out = r->p;
	return 0;
}

int tau_profile_read(struct input *in, struct profile **out, struct error *e)
{
	struct tau_reader r = { .p = profile_new(), .text.e = e };
	struct tau_folders folders = { 0 };
	int code = tau_folders_find(in, &folders, e);

	r.p->source = 1;
	r.p->name = last_part(in->path);
	if (code == 0)
		code = read_folders(&r, &folders);
	code = finish(&r, folders.empty, code, out);
	tau_folders_release(&folders);
	return code;
}

int tau_file_is(const unsigned char *p, size_t n)
{
	static const char word[] = " templated_functions";
	size_t i = 0;

	while (i < n && i < 20 && p[i] >= '0' && p[i] <= '9')
		i++;
	if (!i || n - i < sizeof(word) - 1 || memcmp(p + i, word, sizeof(word) - 1) != 0)
		return 0;
	i += sizeof(word) - 1;
	/* A folded stack may begin so, and then has a number. */
	return i == n || memchr("_\r\n", p[i], 3);
}

/* Reads one file. Its name may contain the numbers of its thread: NAME.N.C.T. */
int tau_file_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
		  struct error *e)
{
	struct tau_reader r = { .p = profile_new(), .text.e = e };
	struct tau_dir_file place;
	char *metric = NULL;
	int code;

	tau_text_copy(&r.text, path, p, n);
	r.p->source = 1;
	if (!tau_dir_place(path, &place))
		place = (struct tau_dir_file){ 0 };
	code = tau_file_metric(&r, &metric);
	if (code == 0) {
		profile_add_metric(r.p, metric);
		r.missing = mem_alloc(sizeof(*r.missing));
		begin_thread(&r, place.node, place.context, place.thread);
		tau_text_copy(&r.text, path, p, n);
		code = tau_file_parse(&r, metric);
		if (code == 0)
			note_rest(&r);
		r.read.v[0] = 1;
	}
	free(metric);
	return finish(&r, NULL, code, out);
}

int tau_profile_is(struct input *in)
{
	struct error e;
	struct tau_folders f = { 0 };
	int code = tau_folders_find(in, &f, &e);

	tau_folders_release(&f);
	return code == 0;
}
