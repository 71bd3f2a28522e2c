/* snapshot_write.c: struct profile -> TAU's merged profile (format: snapshot.h). */
#include "convert/tau/snapshot.h"

#include <string.h>

#include "convert/tau/tau_numbered.h"
#include "convert/io/number.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_metadata.h"
#include "convert/io/xml.h"
#include "record/metadata.h"

static void put_definitions(FILE *to, const struct tau_numbered *f)
{
	fputs("<profile_xml>\n\n<definitions thread=\"*\">\n", to);
	for (size_t i = 0; i < f->metric.name_n; i++) {
		fprintf(to, "<metric id=\"%zu\"><name>", i);
		xml_put(to, f->metric.name[i]);
		fputs("</name>\n<units>unknown</units>\n</metric>\n", to);
	}
	for (size_t i = 0; i < f->function_n; i++) {
		fprintf(to, "<event id=\"%zu\"><name>", i);
		xml_put(to, f->function[i].name);
		fputs("</name><group>", to);
		xml_put(to, f->function[i].groups);
		fputs("</group></event>\n", to);
	}
	for (uint32_t i = 0; i < f->event.name_n; i++) {
		fprintf(to, "<userevent id=\"%u\"><name>", i);
		xml_put(to, numbered_event_name(f, i));
		fputs("</name></userevent>\n", to);
	}
	fputs("</definitions>\n\n</profile_xml>\n", to);
}

static const char *meta_of(const struct profile_attribute *meta, size_t n, const char *name)
{
	for (size_t i = n; i-- > 0;)
		if (!strcmp(meta[i].name, name))
			return meta[i].value;
	return NULL;
}

/* The trial's metadata stand with the first thread, or with all where one of them says something
 * else. */
static int is_common(const struct tau_numbered *f, const char *name)
{
	for (size_t i = 0; i < f->thread_n; i++)
		if (meta_of(f->thread[i].meta, f->thread[i].meta_n, name))
			return 0;
	return 1;
}

static void put_thread(FILE *to, const struct tau_numbered *f, size_t i)
{
	const struct numbered_thread *t = &f->thread[i];
	const char *end = meta_of(t->meta, t->meta_n, TAU_META_ENDING_TIMESTAMP);

	end = end ? end : meta_of(f->meta, f->meta_n, TAU_META_ENDING_TIMESTAMP);
	fprintf(to,
		"<profile_xml>\n\n<thread id=\"%d.%d.%d.0\" node=\"%d\" context=\"%d\" "
		"thread=\"%d\">\n<metadata>",
		t->node, t->context, t->thread, t->node, t->context, t->thread);
	for (size_t k = 0; k < f->meta_n; k++)
		if ((i == 0 || !is_common(f, f->meta[k].name)) &&
		    !meta_of(t->meta, t->meta_n, f->meta[k].name))
			tau_metadata_write(to, f->meta[k].name, f->meta[k].value);
	for (size_t k = 0; k < t->meta_n; k++)
		tau_metadata_write(to, t->meta[k].name, t->meta[k].value);
	fprintf(to,
		"</metadata>\n</thread>\n\n<profile thread=\"%d.%d.%d.0\">\n<name>final</name>\n"
		"<timestamp>",
		t->node, t->context, t->thread);
	xml_put(to, end ? end : "0");
	fputs("</timestamp>\n", to);
}

static void put_values(FILE *to, const struct tau_numbered *f, const struct numbered_thread *t)
{
	fputs("<interval_data metrics=\"", to);
	for (size_t m = 0; m < f->metric.name_n; m++)
		fprintf(to, "%zu ", m);
	fputs("\">\n", to);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct numbered_row *r = &t->row[i];

		fprintf(to, "%u ", r->function);
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

		fprintf(to, "%u", s->event);
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
	numbered_take(&f, p);
	numbered_window_meta(&f, p);
	put_definitions(to, &f);
	for (size_t i = 0; i < f.thread_n; i++) {
		put_thread(to, &f, i);
		put_values(to, &f, &f.thread[i]);
	}
	numbered_release(&f);
}
