/* shell_word.h: words of commands as a shell reads them, and commands for a shell on another host. */
#ifndef SHELL_WORD_H
#define SHELL_WORD_H

#include <stddef.h>

#include "analyze/base/base.h"

/* In quotes if the shell would change or divide it. To be freed. */
char *shell_word(const char *word);

/* The words of a command, which ends with NULL, for exec(). */
struct shell_words {
	char **v;
	size_t v_n, v_cap;
};

/*
 * Begins a command that a shell on another host executes: rsh, a command with options that blanks separate, the host, and the program
 * there.
 */
void shell_words_remote(struct shell_words *w, const char *rsh, const char *host, const char *program);
/* Adds a word for that shell. */
void shell_words_there(struct shell_words *w, const char *word);
/* Adds an option and, for that shell, its value; nothing if the value is NULL. */
void shell_words_option(struct shell_words *w, const char *option, const char *value);
/* Adds a copy of the word as it is. */
void shell_words_add(struct shell_words *w, const char *word);
/*
 * Adds the words that a shell would find in a text, by its rules for blanks, quotes and backslashes; variables and patterns stay as
 * they are. ERROR_USAGE: "WHAT: ...", a quote has no end.
 */
int shell_words_split(struct shell_words *w, const char *what, const char *text, struct error *e);
/* The words as a shell reads them, with blanks between them; to be freed. */
char *shell_words_text(const struct shell_words *w);
void shell_words_release(struct shell_words *w);

#endif
