/*
 * xml.h: XML as a stream of elements, read with libxml2, from files whose blemishes are known: several roots, an XML
 * declaration before any of them, NUL and other control characters between and within them (they become blanks), bytes that
 * are not UTF-8 (they count as Latin-1). Nothing else is fetched, no entities but the five of XML exist, and a document type
 * is an error.
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

/* A handler ends the reading with text of its own (to be freed) about what is wrong; NULL: go on. */
struct xml_handler {
	void *arg;
	char *(*open)(void *arg, const char *name, const struct xml_attribute *a, size_t n);
	/* text: what stood since the last tag, of length bytes, terminated. It may be changed. */
	char *(*close)(void *arg, const char *name, char *text, size_t length);
};

/* The value of an attribute, or NULL. */
const char *xml_get(const struct xml_attribute *a, size_t n, const char *name);

/* 0, or ERROR_INPUT: "PATH: line N: what". */
int xml_read(const char *path, const unsigned char *p, size_t n, const struct xml_handler *h, struct error *e);

/* Puts s as text, so that it reads back the same, control characters but line ends and tabs aside. */
void xml_put(FILE *f, const char *s);

/* Where the text of n bytes begins behind a byte order mark, NULs, blanks and an XML declaration. */
const unsigned char *xml_start(const unsigned char *p, size_t n);

#endif
