/* experiment.c: fuzzes the reader of experiment files. What is complete is written, read again, and is the same. */
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/experiment.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static int same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int same(const struct experiment *a, const struct experiment *b)
{
	size_t words = experiment_words(a);

	if (words != experiment_words(b) || a->size_n != b->size_n || a->variant_n != b->variant_n ||
	    a->repeat != b->repeat || !same_text(a->name, b->name) ||
	    !same_text(a->record, b->record) || !same_text(a->input, b->input) ||
	    !same_text(a->output, b->output) || !same_text(a->db, b->db))
		return 0;
	for (size_t i = 0; i < words; i++)
		if (strcmp(a->command.v[i], b->command.v[i]) != 0)
			return 0;
	for (size_t i = 0; i < a->size_n; i++)
		if (a->size[i] != b->size[i])
			return 0;
	for (size_t i = 0; i < a->variant_n; i++)
		if (strcmp(a->variant[i].name, b->variant[i].name) != 0 ||
		    strcmp(a->variant[i].value, b->variant[i].value) != 0)
			return 0;
	return 1;
}

static void again(const struct experiment *x)
{
	struct experiment y = {0};
	struct error e = {0};

	if (!experiment_write(x, PLACE "/again", *x->id != 0, &e) &&
	    (experiment_read(&y, PLACE "/again", &e) || experiment_complete(&y, &e) || !same(x, &y)))
		abort();
	experiment_release(&y);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct experiment x = {0};
	struct error e = {0};
	const char *path;

	place_open();
	path = place_put("experiment", p, n);
	experiment_is_file(path);
	if (experiment_read(&x, path, &e) || experiment_complete(&x, &e)) {
		if (!*e.text)
			abort();
	} else {
		again(&x);
	}
	experiment_release(&x);
	place_close();
	return 0;
}
