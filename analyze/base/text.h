/*
 * text.h: text from data as people read it on a terminal: UTF-8 may be broken, and control characters are orders to a terminal.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* Bytes of the UTF-8 character at s (1 for ASCII), or 0 where it is none. */
size_t text_utf8(const char *s);
/* The same where the character can be printed; 0 where it is broken, or a control character (C0, DEL, C1). */
size_t text_plain(const char *s);
/*
 * Writes s to the `size` bytes at `to`, as snprintf() does, with what cannot be printed as \xHH. Returns the length of the whole. All that
 * files name is printed through it: by text_clean(), error_set() and note_sentence().
 */
size_t text_clean_to(char *to, size_t size, const char *s);

#endif
