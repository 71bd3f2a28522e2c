/* note.c: notes as sentences, and copies of them. */
#include "analyze/base/note.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void test_sentences(void)
{
	static const struct {
		struct note note;
		const char *text;
	} cases[] = {
		{{.kind = NOTE_LOST, .number = 2, .text = "2 events lost"}, "2 events lost"},
		{{.kind = NOTE_LOST, .run = "a.run", .text = "2 events lost"}, "a.run: 2 events lost"},
		{{.kind = NOTE_WINDOW, .window = "f#1", .text = "is empty"}, "window 'f#1': is empty"},
		{{.kind = NOTE_WINDOW, .run = "a.run", .window = "f#1", .text = "is empty"}, "a.run: window 'f#1': is empty"},
		{{.kind = NOTE_DAMAGE, .run = "", .text = ""}, ": "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = note_sentence(&cases[i].note);

		ok(!strcmp(text, cases[i].text), "sentence '%s'", cases[i].text);
		free(text);
	}
}

static void test_copy(void)
{
	char run[] = "a.run", window[] = "w", text[] = "text";
	struct note from = {NOTE_PAUSED, 3, 4, 5, 0.25, run, window, text};
	struct note *v = malloc(2 * sizeof(*v));

	v[0] = note_copy(&from);
	from.run = from.window = NULL;
	v[1] = note_copy(&from);
	memset(run, 'x', 2);
	memset(text, 'x', 2);
	ok(v[0].kind == NOTE_PAUSED && v[0].stream == 3 && v[0].process == 4 && v[0].number == 5 && v[0].seconds == 0.25,
	   "a copy has the fields");
	ok(!strcmp(v[0].run, "a.run") && !strcmp(v[0].window, "w") && !strcmp(v[0].text, "text"), "and texts of its own");
	ok(!v[1].run && !v[1].window, "a missing text stays missing");
	notes_free(v, 2);
	notes_free(NULL, 0);
}

int main(void)
{
	test_sentences();
	test_copy();
	return tap_end();
}
