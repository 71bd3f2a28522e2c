/*
 * short_names.h: how pictures show whose memory something is and where it was allocated, in little room. Tables never shorten:
 * there names are data.
 */
#ifndef SHORT_NAMES_H
#define SHORT_NAMES_H

/* A site without the folders of its library or file: "grow [libopen-pal.so.40]", "main [app.c:17]". The caller frees it. */
char *place_short(const char *site);
/* Without the line: "main [src/app.c]". The caller frees it. */
char *place_code(const char *site);
/* Its function alone: "grow". The caller frees it. */
char *place_function(const char *site);
/* "owned by OWNERS, at SITE": short or whole; "" when both are NULL. The caller frees it. */
char *place_words(const char *owner, const char *site, int whole);
/* "TYPE <= OWNER @ FUNCTION": in one line, the immediate owner and the function alone. The caller frees it. */
char *place_line(const char *type, const char *parent, const char *site);

#endif
