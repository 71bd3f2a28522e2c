/* note.c: notes as sentences, and their memory. */
#include "analyze/base/note.h"

#include "analyze/base/base.h"

static char *copy(const char *s)
{
	return s ? mem_string(s) : NULL;
}

char *note_sentence(const struct note *n)
{
	const char *run = n->run ? n->run : "", *colon = n->run ? ": " : "";

	char *text = n->window ? mem_printf("%s%swindow '%s': %s", run, colon, n->window, n->text)
			       : mem_printf("%s%s%s", run, colon, n->text);
	char *clean = text_clean(text);

	free(text);
	return clean;
}

struct note note_copy(const struct note *n)
{
	struct note to = *n;

	to.run = copy(n->run);
	to.window = copy(n->window);
	to.text = copy(n->text);
	return to;
}

void notes_free(struct note *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i].run);
		free(v[i].window);
		free(v[i].text);
	}
	free(v);
}
