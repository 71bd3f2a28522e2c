/*
 * native_code.c: addresses in samples: which module they lie in, one number for the same code in
 * all processes, and what it is called.
 */
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/io/bytes.h"
#include "convert/native/define/native_code.h"
#include "convert/native/define/native_made.h"
#include "convert/native/file/native_out.h"
#include "convert/native/native_run.h"
#include "convert/code/stored_names.h"
#include "convert/code/symbols.h"

#define IMAGE_LIMIT                                                                                \
	65536 /* binaries of a run; the last number is used for all above the limit */
#define IMAGE_NAMED (IMAGE_LIMIT - 2) /* for code that a file names itself */

struct native_code {
	uint32_t image; /* MAP_NONE: in no module */
	uint64_t at;    /* ELF virtual address */
	int known;
	uint32_t named; /* in run->named; MAP_NONE: its binary has the name */
	struct trace_place place;
	struct trace_code *own; /* what place has, with a name that no symbol is; NULL: symbols have it */
};

/* A binary, by path and build id. */
struct native_image {
	char *path;
	unsigned char *build_id;
	size_t build_id_n;
};

static uint32_t image_get(struct native_run *run, const char *path, const unsigned char *build_id,
			  size_t build_id_n)
{
	size_t n = strlen(path) + 1 + build_id_n;
	char *key = mem_alloc(n);
	uint32_t id;

	memcpy(key, path, strlen(path) + 1);
	if (build_id_n)
		memcpy(key + strlen(path) + 1, build_id, build_id_n);
	id = (uint32_t)names_add(&run->image_name, key, n);
	free(key);
	if (id == run->image_n) {
		struct native_image *i = array_add(run, image);

		i->path = mem_string(path);
		i->build_id = mem_alloc(build_id_n);
		if (build_id_n)
			memcpy(i->build_id, build_id, build_id_n);
		i->build_id_n = build_id_n;
	}
	return id;
}

/* The module of an address as of a chunk: the one defined last, or if all came later, the first. */
static const struct native_module *module_at(const struct native_stream *s, uint64_t address,
					     size_t chunk)
{
	const struct native_module *found = NULL;

	for (size_t i = s->module_n; i-- > 0;) {
		const struct native_module *m = &s->module[i];

		if (address < m->begin || address >= m->end)
			continue;
		found = m;
		if (m->chunk <= chunk)
			break;
	}
	return found;
}

static uint32_t code_add(struct trace *t, struct native_run *run, uint32_t image, uint64_t at)
{
	uint64_t key = (uint64_t)image << 48 ^ at;
	uint32_t code = map_get(&run->code_index, key);

	if (code == MAP_NONE) {
		code = (uint32_t)run->code_n;
		*array_add(run, code) =
			(struct native_code){.image = image, .at = at, .named = MAP_NONE};
		map_set(&run->code_index, key, code);
		__atomic_store_n(&t->code_n, run->code_n, __ATOMIC_RELAXED);
	}
	return code;
}

/* Code in no module, or in one that is one too many, is all the same. */
static uint32_t code_of(struct trace *t, struct native_run *run, uint32_t image, uint64_t at)
{
	return image < IMAGE_NAMED ? code_add(t, run, image, at)
				       : code_add(t, run, IMAGE_LIMIT - 1, 0);
}

/* The image of an address in a module, or in code that the program made and listed. IMAGE_LIMIT: it is in none. */
static uint32_t image_of(struct native_run *run, const struct native_stream *s,
			 const struct native_module *m, uint64_t address)
{
	uint32_t image = IMAGE_LIMIT;
	char *made;

	if (m)
		return image_get(run, m->path, m->build_id, m->build_id_n);
	made = native_made_module(run, s, address);
	if (made)
		image = image_get(run, made, (const unsigned char *)&s->file->head.process_id,
				  sizeof(s->file->head.process_id));
	free(made);
	return image;
}

/* What is known of an address stays known, unless modules took each other's place in this stream.
 */
static uint32_t code_get(struct trace *t, struct native_stream *s, uint64_t address, size_t chunk)
{
	struct native_run *run = t->reader;
	uint32_t code = s->overlap ? MAP_NONE : map_get(&s->code, address);
	const struct native_module *m;

	if (s->named.n && code == MAP_NONE)
		code = map_get(&s->named, address);
	if (code != MAP_NONE)
		return code;
	m = module_at(s, address, chunk);
	pthread_mutex_lock(&run->code_lock);
	code = code_of(t, run, image_of(run, s, m, address), m ? address - m->bias : address);
	pthread_mutex_unlock(&run->code_lock);
	if (!s->overlap)
		map_set(&s->code, address, code);
	return code;
}

/* A text of a definition that lives as long as the trace; NULL for an empty one. */
static const char *text_keep(struct trace *t, struct bytes *b)
{
	struct native_run *run = t->reader;
	struct bytes x = bytes_string(b);
	char *s = mem_alloc(bytes_left(&x) + 1);
	uint32_t id;

	memcpy(s, x.p, bytes_left(&x));
	trace_text(t, s, bytes_left(&x));
	id = names_add(&run->code_text, s, strlen(s));
	free(s);
	return *run->code_text.name[id] ? run->code_text.name[id] : NULL;
}

/* The functions of a description of code in a file. n 0: it is damaged. */
static struct trace_place place_read(struct trace *t, struct bytes b)
{
	struct {
		struct trace_code *v;
		size_t v_n, v_cap;
	} to = {0};

	while (bytes_left(&b)) {
		struct trace_code *c = array_add(&to, v);

		c->module = text_keep(t, &b);
		c->name = text_keep(t, &b);
		c->file = text_keep(t, &b);
		c->line = (uint32_t)bytes_upto(&b, UINT32_MAX);
		if (!c->module)
			c->module = "UNKNOWN";
	}
	if (b.bad) {
		free(to.v);
		return (struct trace_place){0};
	}
	return (struct trace_place){to.v, to.v_n};
}

/* The code with this description, in any file. MAP_NONE: it is damaged. */
static uint32_t named_code(struct trace *t, struct native_run *run, const void *said, size_t n)
{
	uint32_t id = names_add(&run->named, said, n);
	uint32_t code = code_add(t, run, IMAGE_NAMED, id);
	struct native_code *c = &run->code[code];

	if (!c->known) {
		c->place = place_read(t, bytes_of(said, n));
		c->image = MAP_NONE;
		c->named = id;
		c->known = 1;
	}
	return c->place.n ? code : MAP_NONE;
}

void native_code_name(struct trace *t, struct native_stream *s, uint64_t address, const void *said,
		      size_t n)
{
	struct native_run *run = t->reader;
	uint32_t code;

	pthread_mutex_lock(&run->code_lock);
	code = named_code(t, run, said, n);
	pthread_mutex_unlock(&run->code_lock);
	if (code != MAP_NONE)
		map_set(&s->named, address, code);
}

int native_code_list(struct trace *t, struct native_stream *s, size_t chunk, struct bytes *f,
		     struct event_batch *b, struct event_list *to)
{
	uint64_t at = 0, n = bytes_varint(f);

	to->first = (uint32_t)b->code_n;
	if (n > bytes_left(f))
		return -1;
	for (uint64_t i = 0; i < n && !f->bad; i++) {
		at += (uint64_t)bytes_zigzag(f);
		*array_add(b, code) = code_get(t, s, at - (i > 0), chunk);
	}
	to->n = (uint32_t)n;
	return 0;
}

uint32_t native_code(struct trace *t, struct native_stream *s, uint64_t address, size_t chunk)
{
	return code_get(t, s, address - 1, chunk);
}

/*
 * varint 0: in no module; otherwise 1 plus the number of its image, which follows at its first use;
 * a number one larger: the file's description of the code follows, as a string.
 */
void native_code_put(struct native_run *run, uint32_t code, struct native_images *images,
		     struct buffer *b)
{
	const struct native_code *c;
	size_t k = 0;

	pthread_mutex_lock(&run->code_lock);
	c = &run->code[code];
	if (c->image < run->image_n) {
		const struct native_image *i = &run->image[c->image];

		while (k < images->v_n && images->v[k] != c->image)
			k++;
		put_varint(b, k + 1);
		if (k == images->v_n) {
			*array_add(images, v) = c->image;
			put_string(b, i->path);
			put_varint(b, i->build_id_n);
			put(b, i->build_id, i->build_id_n);
		}
		put_varint(b, c->at);
	} else if (c->named != MAP_NONE) {
		put_varint(b, images->v_n + 2);
		put_varint(b, run->named.length[c->named]);
		put(b, run->named.name[c->named], run->named.length[c->named]);
	} else {
		put_varint(b, 0);
	}
	pthread_mutex_unlock(&run->code_lock);
}

static void image_read(struct native_run *run, struct native_images *images, struct bytes *b)
{
	struct bytes path = bytes_string(b), id = bytes_string(b);
	char *name;

	if (b->bad)
		return;
	name = memcpy(mem_alloc(bytes_left(&path) + 1), path.p, bytes_left(&path));
	*array_add(images, v) = image_get(run, name, id.p, bytes_left(&id));
	free(name);
}

uint32_t native_code_get(struct trace *t, struct native_images *images, struct bytes *b)
{
	struct native_run *run = t->reader;
	uint64_t k = bytes_upto(b, images->v_n + 2), at;
	struct bytes said = {0};
	uint32_t code = 0;

	if (k == images->v_n + 2)
		said = bytes_string(b);
	pthread_mutex_lock(&run->code_lock);
	if (k == images->v_n + 1)
		image_read(run, images, b);
	at = k && !said.p ? bytes_varint(b) : 0;
	if (!b->bad)
		code = said.p ? named_code(t, run, said.p, bytes_left(&said))
			      : code_of(t, run, k ? images->v[k - 1] : IMAGE_LIMIT, at);
	pthread_mutex_unlock(&run->code_lock);
	b->bad |= code == MAP_NONE;
	return b->bad ? 0 : code;
}

/* A function of a stripped binary is named by its beginning. */
static void start_name(struct native_run *run, struct native_code *c, const struct native_image *i)
{
	const size_t n = c->place.n;
	char *name = symbols_start_name(run->symbols, i->path, i->build_id, i->build_id_n, c->at);

	if (!name)
		return;
	c->own = mem_alloc(n * sizeof(*c->own));
	memcpy(c->own, c->place.code, n * sizeof(*c->own));
	c->own[n - 1].name = name;
	c->place.code = c->own;
}

static void made_place(struct native_run *run, struct native_code *c, const struct native_image *i)
{
	c->own = mem_alloc(sizeof(*c->own));
	*c->own = native_made_code(run, i->path, i->build_id, c->at);
	c->own->module = i->path;
	c->place = (struct trace_place){c->own, 1};
}

/* One thread at a time: the libraries that look names up are made for one. */
static struct trace_place place_get(struct trace *t, struct native_run *run, uint32_t code)
{
	static const struct trace_code nowhere = {.module = "UNKNOWN"};
	struct native_code *c = &run->code[code];
	const struct native_image *i = c->image < run->image_n ? &run->image[c->image] : NULL;
	size_t notes;

	if (c->known)
		return c->place;
	if (!i)
		return (struct trace_place){&nowhere, 1};
	notes = symbols_note_n(run->symbols);
	c->known = 1;
	__atomic_fetch_add(&t->code_named, 1, __ATOMIC_RELAXED);
	if (native_made_is(i->path)) {
		made_place(run, c, i);
		return c->place;
	}
	c->place = symbols_place(run->symbols, i->path, i->build_id, i->build_id_n, c->at);
	if (!c->place.code[c->place.n - 1].name)
		start_name(run, c, i);
	for (; notes < symbols_note_n(run->symbols); notes++)
		trace_late_note(t, NULL, (struct note){.kind = NOTE_SYMBOLS}, "%s",
				symbols_note(run->symbols, notes));
	return c->place;
}

int native_code_of(struct trace *t, uint32_t code, struct trace_place *place,
		   struct trace_address *address)
{
	struct native_run *run = t->reader;
	const struct native_code *c;
	const struct native_image *i;

	/* Other threads may add code, and move the table. */
	pthread_mutex_lock(&run->code_lock);
	c = &run->code[code];
	i = c->image < run->image_n ? &run->image[c->image] : NULL;
	if (i && address)
		*address = (struct trace_address){i->path, i->build_id, i->build_id_n, c->at};
	if (place)
		*place = place_get(t, run, code);
	pthread_mutex_unlock(&run->code_lock);
	return i != NULL;
}

void native_code_release(struct native_run *run)
{
	for (size_t i = 0; i < run->image_n; i++) {
		free(run->image[i].path);
		free(run->image[i].build_id);
	}
	for (size_t i = 0; i < run->code_n; i++) {
		struct native_code *c = &run->code[i];

		if (c->own)
			free((void *)(uintptr_t)c->own[c->place.n - 1].name);
		if (c->named != MAP_NONE)
			free((void *)(uintptr_t)c->place.code);
		else
			free(c->own);
	}
	free(run->image);
	free(run->code);
	names_release(&run->named);
	names_release(&run->code_text);
	names_release(&run->image_name);
	map_release(&run->code_index);
	map_release(&run->call_index);
	if (run->symbols)
		symbols_free(run->symbols);
	native_made_release(run);
	stored_names_free(run->names);
	pthread_mutex_destroy(&run->code_lock);
}
