/* xml_put.c: text as XML, for programs that do not load libxml2. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "convert/io/utf8.h"
#include "convert/io/xml.h"

void xml_put(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);

	while (p < end) {
		uint32_t c = utf8_next(&p, end);
		char out[4];

		if (c == '<' || c == '&' || c == '>' || c == '"')
			fputs(c == '<'   ? "&lt;"
			      : c == '&' ? "&amp;"
			      : c == '>' ? "&gt;"
					 : "&quot;",
			      f);
		else if (c == '\n' || c == '\r' || c == '\t')
			fprintf(f, "&#%u;", (unsigned)c);
		else if (c < 0x20 || c == 0xfffe || c == 0xffff)
			fputs("\xef\xbf\xbd", f);
		else
			fwrite(out, 1, utf8_put(out, c), f);
	}
}
