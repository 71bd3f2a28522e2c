/* notes.c: prints the notes of a load on standard error. */
#include "cmd/shared/message.h"
#include "cmd/shared/notes.h"

#include <stdio.h>

void notes_print(const char *program, const struct note *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *sentence = note_sentence(&v[i]);

		message_print(program, "%s", sentence);
		free(sentence);
	}
}
