/*
 * xml.h: reads XML as a stream of elements with libxml2, from files that may have known defects:
 * several roots, an XML declaration before any of them, NUL and other control characters between
 * and within them (they become blanks), bytes that are not UTF-8 (they count as Latin-1), a "&" that
 * begins no entity (it means itself, as in names of Cube 3). No other
 * files are read, only the five entities of XML exist, and a document type is an error.
 */
#ifndef XML_H
#define XML_H

#include <stddef.h>
#include <stdio.h>

#include "analyze/base/base.h"

#define XML_DEPTH_MAX 2000

struct xml_attribute {
	const char *name, *value;
};

/*
 * A handler stops the reading by returning a message about the error, which xml_read() frees; NULL:
 * continue.
 */
struct xml_handler {
	void *arg;
	char *(*open)(void *arg, const char *name, const struct xml_attribute *a, size_t n);
	/*
	 * text: the text since the last tag, `length` bytes and a NUL. The handler may change it.
	 */
	char *(*close)(void *arg, const char *name, char *text, size_t length);
};

/* The value of an attribute, or NULL. */
const char *xml_get(const struct xml_attribute *a, size_t n, const char *name);

/* Reads n bytes. Returns 0, ERROR_INPUT: "PATH: line N: what", or ERROR_SYSTEM: no memory. */
int xml_read(const char *path, const unsigned char *p, size_t n, const struct xml_handler *h, struct error *e);

/*
 * Writes s as text that reads back the same, except for control characters other than line ends and
 * tabs, and for bytes that are not UTF-8, which are written as Latin-1 characters.
 */
void xml_put(FILE *f, const char *s);

/* The begin of the text in n bytes after a byte order mark, NULs, blanks and an XML declaration. */
const unsigned char *xml_start(const unsigned char *p, size_t n);

#endif
