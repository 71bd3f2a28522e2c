/* select.c: fuzzes the reader of selective instrumentation files, and asks what it would record. */
#include "convert/code/select.h"
#include "place.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct select *s;
	struct error e = { 0 };
	size_t size;

	place_open();
	if (!select_read(place_put("select", p, n), &s, &e)) {
		select_wants(s, "void solve(int, double)", "solve.c");
		select_wants(s, "main", NULL);
		free(select_table(s, NULL, 0, &size));
		select_free(s);
	}
	place_close();
	return 0;
}
