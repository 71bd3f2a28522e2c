/* otf2_none.c: stands in for the OTF2 files where the library is not installed: says so when an
 * archive is met. */
#include "formats.h"
#include "trace_write.h"

int otf2_open(const char *path, struct trace **out, struct error *e)
{
	(void)out;
	return error_set(e, ERROR_INPUT, "%s: this program was built without the OTF2 library",
			 path);
}

int otf2_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	(void)t;
	(void)o;
	return error_set(e, ERROR_USAGE, "%s: this program was built without the OTF2 library", to);
}
