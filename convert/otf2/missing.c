/* missing.c: the errors for OTF2 archives in programs that were built without the OTF2 library. */
#include "convert/formats.h"
#include "convert/trace_write.h"

static int missing(const char *path, struct error *e)
{
	return error_set(e, ERROR_SYSTEM,
			 "%s: this program was built without the OTF2 library: install "
			 "libopen-trace-format2-dev and build it again",
			 path);
}

int otf2_open(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e)
{
	(void)kept, (void)out;
	return missing(in->path, e);
}

int otf2_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	(void)t, (void)o;
	return missing(to, e);
}
