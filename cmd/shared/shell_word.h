/* shell_word.h: a word of a command as a shell reads it. */
#ifndef SHELL_WORD_H
#define SHELL_WORD_H

/* In quotes if the shell would change or divide it. To be freed. */
char *shell_word(const char *word);

#endif
