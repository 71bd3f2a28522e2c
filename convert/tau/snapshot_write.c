/* snapshot_write.c: struct profile -> TAU's merged profile (format: snapshot.h). */
#include "convert/tau/snapshot.h"

#include <string.h>

#include "convert/tau/tau_numbered.h"
#include "analyze/base/number.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_metadata.h"
#include "convert/io/xml.h"
#include "record/metadata.h"

static void put_metric(FILE *to, size_t id, const char *name)
{
	fprintf(to, "<metric id=\"%zu\"><name>", id);
	xml_put(to, name);
	fputs("</name>\n<units>unknown</units>\n</metric>\n", to);
}

static void put_function(FILE *to, size_t id, const char *name, const char *groups)
{
	fprintf(to, "<event id=\"%zu\"><name>", id);
	xml_put(to, name);
	fputs("</name><group>", to);
	xml_put(to, groups);
	fputs("</group></event>\n", to);
}

static void put_event(FILE *to, size_t id, const char *name)
{
	fprintf(to, "<userevent id=\"%zu\"><name>", id);
	xml_put(to, name);
	fputs("</name></userevent>\n", to);
}

static void put_definitions(FILE *to, const struct tau_numbered *f)
{
	fputs("<profile_xml>\n\n<definitions thread=\"*\">\n", to);
	for (size_t i = 0; i < f->metric.name_n; i++)
		put_metric(to, i, f->metric.name[i]);
	for (size_t i = 0; i < f->function_n; i++) {
		char *name = numbered_function_name(f, i);

		put_function(to, i, name, f->function[i].groups);
		free(name);
	}
	for (uint32_t i = 0; i < f->event.name_n; i++)
		put_event(to, i, numbered_event_name(f, i));
	fputs("</definitions>\n\n</profile_xml>\n", to);
}

static struct tau_metadata_list list_of(const struct numbered_thread *t)
{
	return (struct tau_metadata_list){t->meta, t->meta_n};
}

static void put_metadata(FILE *to, const struct tau_numbered *f, const struct numbered_thread *t)
{
	struct tau_metadata_of_file all = {0};

	tau_metadata_of_file((struct tau_metadata_list){f->meta, f->meta_n},
			     list_of(numbered_first(f)), list_of(t), &all);
	for (size_t k = 0; k < all.v_n; k++)
		tau_metadata_write(to, all.v[k]->name, all.v[k]->value);
	free(all.v);
}

static void put_thread(FILE *to, const struct tau_numbered *f, size_t i)
{
	const struct numbered_thread *t = &f->thread[i];
	const char *end = tau_metadata_find(list_of(t), TAU_META_ENDING_TIMESTAMP);

	end = end ? end
		  : tau_metadata_find((struct tau_metadata_list){f->meta, f->meta_n},
				      TAU_META_ENDING_TIMESTAMP);
	fprintf(to,
		"<profile_xml>\n\n<thread id=\"%d.%d.%d.0\" node=\"%d\" context=\"%d\" "
		"thread=\"%d\">\n<metadata>",
		t->node, t->context, t->thread, t->node, t->context, t->thread);
	put_metadata(to, f, t);
	fprintf(to,
		"</metadata>\n</thread>\n\n<profile thread=\"%d.%d.%d.0\">\n<name>final</name>\n"
		"<timestamp>",
		t->node, t->context, t->thread);
	xml_put(to, end ? end : "0");
	fputs("</timestamp>\n", to);
}

/* The numbers that a file has for metrics, functions and events; NULL: the same. */
struct written_ids {
	const uint32_t *metric, *function, *event;
};

static uint32_t id_of(const uint32_t *ids, size_t i)
{
	return ids ? ids[i] : (uint32_t)i;
}

static void put_values(FILE *to, const struct tau_numbered *f, const struct numbered_thread *t,
		       const struct written_ids *ids)
{
	fputs("<interval_data metrics=\"", to);
	for (size_t m = 0; m < f->metric.name_n; m++)
		fprintf(to, "%u ", id_of(ids->metric, m));
	fputs("\">\n", to);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct numbered_row *r = &t->row[i];

		fprintf(to, "%u ", id_of(ids->function, r->function));
		number_print(to, r->calls);
		putc(' ', to);
		number_print(to, r->subrs);
		for (size_t m = 0; m < 2 * f->metric.name_n; m++) {
			putc(' ', to);
			number_print(to, t->value[r->first + m]);
		}
		fputs(" \n", to);
	}
	fputs("</interval_data>\n<atomic_data>\n", to);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct numbered_sample *s = &t->sample[i];
		const double v[] = {s->n, s->max, s->min, s->mean, s->sumsq};

		fprintf(to, "%u", id_of(ids->event, s->event));
		for (size_t k = 0; k < sizeof(v) / sizeof(*v); k++) {
			putc(' ', to);
			number_print(to, v[k]);
		}
		putc('\n', to);
	}
	fputs("</atomic_data>\n</profile>\n\n</profile_xml>\n", to);
}

void snapshot_print(FILE *to, struct profile *p, size_t nth, size_t n)
{
	struct tau_numbered f = {0};

	(void)nth;
	(void)n;
	numbered_copy(&f, p);
	numbered_window_meta(&f, p);
	put_definitions(to, &f);
	for (size_t i = 0; i < f.thread_n; i++) {
		put_thread(to, &f, i);
		put_values(to, &f, &f.thread[i], &(struct written_ids){0});
	}
	numbered_release(&f);
}

/* ---- snapshots one after the other ---- */

void snapshot_series_release(struct snapshot_series *s)
{
	names_release(&s->metric);
	names_release(&s->function);
	names_release(&s->event);
}

/* The number of a name; *fresh: it had none. */
static uint32_t series_id(struct names *n, const char *name, int *fresh)
{
	size_t before = n->name_n;
	uint32_t id = names_add(n, name, strlen(name));

	*fresh = n->name_n > before;
	return id;
}

/* Numbers what f has, and prints what was not defined before. */
static void define_fresh(FILE *to, struct snapshot_series *s, const struct tau_numbered *f,
			 uint32_t *metric, uint32_t *function, uint32_t *event)
{
	int fresh;

	for (size_t i = 0; i < f->metric.name_n; i++) {
		metric[i] = series_id(&s->metric, f->metric.name[i], &fresh);
		if (fresh)
			put_metric(to, metric[i], f->metric.name[i]);
	}
	for (size_t i = 0; i < f->function_n; i++) {
		char *name = numbered_function_name(f, i);
		char *key = mem_printf("%s\n%s", name, f->function[i].groups);

		function[i] = series_id(&s->function, key, &fresh);
		if (fresh)
			put_function(to, function[i], name, f->function[i].groups);
		free(key);
		free(name);
	}
	for (uint32_t i = 0; i < f->event.name_n; i++) {
		event[i] = series_id(&s->event, f->event.name[i], &fresh);
		if (fresh)
			put_event(to, event[i], numbered_event_name(f, i));
	}
}

static void append_thread(FILE *to, struct snapshot_series *s, const struct tau_numbered *f,
			  const struct numbered_thread *t, const struct snapshot_moment *at)
{
	char *id = mem_printf("%d.%d.%d.%u", t->node, t->context, t->thread, at->pid);
	uint32_t *metric = mem_resize(NULL, f->metric.name_n + 1, sizeof(*metric));
	uint32_t *function = mem_resize(NULL, f->function_n + 1, sizeof(*function));
	uint32_t *event = mem_resize(NULL, f->event.name_n + 1, sizeof(*event));

	fputs("<profile_xml>\n", to);
	if (!s->metric.name_n) {
		fprintf(to,
			"\n<thread id=\"%s\" node=\"%d\" context=\"%d\" thread=\"%d\">\n<metadata>",
			id, t->node, t->context, t->thread);
		put_metadata(to, f, t);
		fputs("</metadata>\n</thread>\n", to);
	}
	fprintf(to, "\n<definitions thread=\"%s\">\n", id);
	define_fresh(to, s, f, metric, function, event);
	fprintf(to, "</definitions>\n\n<profile thread=\"%s\">\n<name>", id);
	xml_put(to, at->name);
	fprintf(to, "</name>\n<timestamp>%llu</timestamp>\n", (unsigned long long)at->time_us);
	put_values(to, f, t, &(struct written_ids){metric, function, event});
	free(id);
	free(metric);
	free(function);
	free(event);
}

void snapshot_append(FILE *to, struct snapshot_series *s, const struct profile *p, uint32_t thread,
		     const struct snapshot_moment *at)
{
	const struct profile_thread *want = &p->thread[thread];
	struct tau_numbered f = {0};

	numbered_copy(&f, p);
	for (size_t i = 0; i < f.thread_n; i++)
		if (f.thread[i].node == want->node && f.thread[i].context == want->context &&
		    f.thread[i].thread == want->thread)
			append_thread(to, s, &f, &f.thread[i], at);
	numbered_release(&f);
}
