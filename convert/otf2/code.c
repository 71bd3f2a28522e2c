/* code.c: the functions of samples in an archive of ours, which are calling contexts there. */
#include "analyze/base/map.h"
#include "convert/otf2/definitions.h"

#define INLINED "inline "
#define CODE    "code "

/* The module of "tau:inline MODULE" or "tau:code MODULE"; NULL: it is another description. */
static const char *module_of(const struct archive_raw *d, const struct raw_region *r, int *inlined)
{
	const char *said = archive_text(d, r->description);
	size_t n = strlen(ARCHIVE_OURS);

	if (!d->run->ours || strncmp(said, ARCHIVE_OURS, n))
		return NULL;
	said += n;
	*inlined = !strncmp(said, INLINED, strlen(INLINED));
	if (*inlined)
		return said + strlen(INLINED);
	return strncmp(said, CODE, strlen(CODE)) ? NULL : said + strlen(CODE);
}

int archive_is_code(const struct archive_raw *d, const struct raw_region *r)
{
	int inlined;

	return module_of(d, r, &inlined) != NULL;
}

/* A function that has no name is called after its module. */
static int nameless(const char *name, const char *module)
{
	size_t n = strlen(ARCHIVE_NAMELESS);

	return module && !strncmp(name, ARCHIVE_NAMELESS, n) && !strcmp(name + n, module);
}

/* A copy that lives as long as the trace. */
static const char *keep_text(struct archive *run, const char *s)
{
	uint32_t id = names_add(&run->code_text, s, strlen(s));

	return run->code_text.name[id];
}

/* The same of a text of the archive; NULL for one that is not defined. */
static const char *keep(struct archive_raw *d, uint32_t ref)
{
	return map_get(&d->string_of, ref) == MAP_NONE ? NULL
						       : keep_text(d->run, archive_text(d, ref));
}

void archive_codes(struct archive_raw *d)
{
	struct archive *run = d->run;
	struct map region_of = {0};

	for (size_t i = 0; i < d->region_n; i++)
		map_set(&region_of, d->region[i].ref, (uint32_t)i);
	for (size_t i = 0; i < d->context_n; i++) {
		const struct raw_context *x = &d->context[i];
		uint32_t at = map_get(&region_of, x->region);
		const struct raw_region *r = at == MAP_NONE ? NULL : &d->region[at];
		struct archive_code *c = array_add(run, code);
		const char *module = r ? module_of(d, r, &c->inlined) : NULL;
		uint32_t line = map_get(&d->line_of, x->place);

		c->parent = map_get(&run->context_of, x->parent);
		c->code.module = "UNKNOWN";
		if (!r)
			continue;
		if (!nameless(archive_text(d, r->name), module))
			c->code.name = keep(d, r->name);
		c->code.file = keep(d, r->file);
		c->code.line = line == MAP_NONE ? 0 : line;
		if (module && *module)
			c->code.module = keep_text(run, module);
	}
	d->trace->code_n = run->code_n;
	map_release(&region_of);
}

#define INLINES 256 /* functions inlined into each other; more is a circle */

int archive_code(struct trace *t, uint32_t code, struct trace_place *place,
		 struct trace_address *address)
{
	struct archive *run = t->reader;
	struct archive_code *c = &run->code[code];
	size_t n = 1;

	(void)address;
	if (!place)
		return 0;
	pthread_mutex_lock(&run->code_lock);
	for (uint32_t i = code; run->code[i].inlined && n < INLINES; n++) {
		if (run->code[i].parent == TRACE_NONE)
			break;
		i = run->code[i].parent;
	}
	if (!c->place) {
		uint32_t i = code;

		c->place = mem_alloc(n * sizeof(*c->place));
		for (size_t k = 0; k < n; k++, i = run->code[i].parent)
			c->place[k] = run->code[i].code;
	}
	pthread_mutex_unlock(&run->code_lock);
	*place = (struct trace_place){c->place, n};
	return 0;
}
