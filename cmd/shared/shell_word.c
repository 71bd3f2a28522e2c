/* shell_word.c: quotes words, and composes commands for shells on other hosts. */
#include "cmd/shared/shell_word.h"

#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "%+,-./:=@_";

char *shell_word(const char *word)
{
	char *out, *to;

	if (*word && !word[strspn(word, plain)])
		return mem_string(word);
	out = to = mem_alloc(4 * strlen(word) + 3);
	*to++ = '\'';
	for (; *word; word++)
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	strcpy(to, "'");
	return out;
}

/* Adds a word that the caller owned, before the NULL at the end. */
static void add(struct shell_words *w, char *word)
{
	if (!w->v_n)
		array_add(w, v);
	*array_add(w, v) = NULL;
	w->v[w->v_n - 2] = word;
}

void shell_words_remote(struct shell_words *w, const char *rsh, const char *host,
			const char *program)
{
	char *words = mem_string(rsh), *save = NULL;

	for (char *s = strtok_r(words, " \t", &save); s; s = strtok_r(NULL, " \t", &save))
		add(w, mem_string(s));
	free(words);
	add(w, mem_string(host));
	shell_words_there(w, program);
}

void shell_words_there(struct shell_words *w, const char *word)
{
	add(w, shell_word(word));
}

void shell_words_option(struct shell_words *w, const char *option, const char *value)
{
	if (!value)
		return;
	add(w, mem_string(option));
	shell_words_there(w, value);
}

void shell_words_add(struct shell_words *w, const char *word)
{
	add(w, mem_string(word));
}

/* Copies one word to `to`. Returns what follows it; NULL: a quote has no end. */
static const char *word_copy(const char *s, char *to)
{
	char quote = 0;

	for (; *s && (quote || !strchr(" \t\r\n", *s)); s++)
		if (*s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else if (*s == '\\' && s[1] && quote != '\'' && (!quote || strchr("\"\\$`", s[1])))
			*to++ = *++s;
		else
			*to++ = *s;
	*to = 0;
	return quote ? NULL : s;
}

int shell_words_split(struct shell_words *w, const char *what, const char *text, struct error *e)
{
	char *word = mem_alloc(strlen(text) + 1);
	const char *s = text;

	while (s && *(s += strspn(s, " \t\r\n"))) {
		s = word_copy(s, word);
		if (s)
			shell_words_add(w, word);
	}
	free(word);
	return s ? 0 : error_set(e, ERROR_USAGE, "%s: a quote has no end: %s", what, text);
}

char *shell_words_text(const struct shell_words *w)
{
	char *text = mem_string("");

	for (size_t i = 0; i < w->v_n && w->v[i]; i++) {
		char *word = shell_word(w->v[i]);
		char *more = mem_printf("%s%s%s", text, i ? " " : "", word);

		free(word);
		free(text);
		text = more;
	}
	return text;
}

void shell_words_release(struct shell_words *w)
{
	for (size_t i = 0; i < w->v_n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct shell_words){0};
}
