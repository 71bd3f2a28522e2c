/* found.c: keeps what was found of the code of one module, and stores it with a run. */
#include "convert/code/found.h"

#include <stdlib.h>

#include "analyze/base/base.h"

void found_room(struct code_place *p, size_t n)
{
	p->code = mem_alloc(n * (sizeof(*p->code) + sizeof(*p->name)));
	p->name = (char **)(p->code + n);
	p->n = n;
}

void found_release(struct found *f)
{
	for (size_t i = 0; i < f->answer_n; i++) {
		free(f->answer[i].name);
		free(f->answer[i].file);
	}
	for (size_t i = 0; i < f->place_n; i++) {
		for (size_t k = 0; k < f->place[i].n; k++)
			free(f->place[i].name[k]);
		free(f->place[i].code);
	}
	for (size_t i = 0; i < f->user_n; i++)
		free(f->user[i]);
	free(f->answer);
	free(f->place);
	free(f->user);
	map_release(&f->answers);
	map_release(&f->places);
	map_release(&f->users);
}

static int slot_compare(const void *va, const void *vb)
{
	const struct map_slot *a = va, *b = vb;

	return (a->key > b->key) - (a->key < b->key);
}

/* The entries of a table in order of address, to be freed. */
static struct map_slot *slots_sorted(const struct map *m, size_t *n)
{
	struct map_slot *v = mem_alloc((m->n + 1) * sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < m->slots; i++)
		if (m->slot[i].value != MAP_NONE)
			v[(*n)++] = m->slot[i];
	qsort(v, *n, sizeof(*v), slot_compare);
	return v;
}

static void answer_store(const struct answer *a, uint64_t address, struct stored_names *out)
{
	stored_names_row(out, (struct stored_row){
				      .address = address,
				      .kind = STORED_FUNCTION,
				      .name = stored_names_text(out, a->name),
				      .file = stored_names_text(out, a->file),
				      .line = a->line,
			      });
}

static void place_store(const struct code_place *p, uint64_t address, struct stored_names *out)
{
	for (size_t k = 0; k < p->n; k++)
		stored_names_row(out, (struct stored_row){
					      .address = address,
					      .kind = k ? STORED_INTO : STORED_CODE,
					      .name = stored_names_text(out, p->code[k].name),
					      .file = stored_names_text(out, p->code[k].file),
					      .line = p->code[k].line,
				      });
}

static void users_store(const char *text, uint64_t address, struct stored_names *out)
{
	if (text)
		stored_names_row(out, (struct stored_row){
					      .address = address,
					      .kind = STORED_USERS,
					      .name = stored_names_text(out, text),
					      .file = STORED_NONE,
				      });
}

void found_store(const struct found *f, struct stored_names *out)
{
	size_t n;
	struct map_slot *v = slots_sorted(&f->answers, &n);

	for (size_t i = 0; i < n; i++)
		answer_store(&f->answer[v[i].value], v[i].key, out);
	free(v);
	v = slots_sorted(&f->places, &n);
	for (size_t i = 0; i < n; i++)
		place_store(&f->place[v[i].value], v[i].key, out);
	free(v);
	v = slots_sorted(&f->users, &n);
	for (size_t i = 0; i < n; i++)
		users_store(f->user[v[i].value], v[i].key, out);
	free(v);
}
