/* json_parts.c: the parts that all of Chrome's trace events (JSON) are made of. */
#include "convert/text/json_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "convert/io/utf8.h"
#include "convert/text/text_names.h"

static void put_us(FILE *f, int64_t ns)
{
	fprintf(f, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

void json_text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);

	putc('"', f);
	while (p < end) {
		uint32_t c = utf8_next(&p, end);
		char out[4];

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", (int)c);
		else if (c < ' ')
			fprintf(f, "\\u%04x", (unsigned)c);
		else
			fwrite(out, 1, utf8_put(out, c), f);
	}
	putc('"', f);
}

void json_head(struct text *x, const char *phase, int64_t time, const char *name)
{
	fprintf(x->f, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":", x->comma ? "," : "",
		phase, x->node, x->thread);
	x->comma = 1;
	text_time(x);
	put_us(x->f, time);
	if (name) {
		fputs(",\"name\":", x->f);
		json_text(x->f, name);
	}
}

void json_name(struct text *x, const char *what, const char *name)
{
	json_head(x, "M", 0, what);
	fputs(",\"args\":{\"name\":", x->f);
	json_text(x->f, name);
	fputs("}}", x->f);
}

void json_counter(struct text *x, int64_t time, const char *cat, const char *name, double v)
{
	if (!isfinite(v)) {
		x->o->loss[LOSS_NAN]++;
		return;
	}
	json_head(x, "C", time, name);
	fprintf(x->f, ",\"cat\":\"%s\",\"args\":{\"value\":", cat);
	text_value(x->f, v);
	fputs("}}", x->f);
}
