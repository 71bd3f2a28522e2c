/* tau_layout.c: which of the four layouts the records of a TAU trace have. */
#include <sys/stat.h>
#include <unistd.h>

#include "convert/io/regular.h"
#include "convert/tau/tau_trace.h"


/* Is a 3 where a layout has the parameter of the first record? Most other files end here. */
static int looks_begun(const unsigned char *p, size_t n)
{
	for (unsigned at = 8; at <= 16 && at + 8 <= n; at += 8)
		if (trc_number(p + at, 8, 0) == 3 || trc_number(p + at, 8, 1) == 3)
			return 1;
	return 0;
}

/* Of the records at p, n bytes, those before the first that no trace has: its time falls, or it is far from the first one's. */
static unsigned plausible(const struct trc_file *f, const unsigned char *p, size_t n)
{
	uint64_t first = trc_record(f, p).time, last = first;
	unsigned good = 0;

	for (size_t at = 0; at + f->size <= n; at += f->size, good++) {
		struct trc_record r = trc_record(f, p + at);

		if (r.event < 0 || r.event > INT32_MAX || r.time < last ||
		    r.time - first >= TRC_TIME_LIMIT)
			break;
		last = r.time;
	}
	return good;
}

/*
 * Which of the four layouts the first records have; swap means big endian. 0: none of them. The id
 * of the first record is that of EV_INIT: TAU's own, or the one that the definitions give it; where
 * there are no definitions, the first records decide.
 */
static int layout(struct trc_file *f, const unsigned char *p, size_t n, int64_t init, int defined)
{
	struct trc_file best = {0};
	unsigned most = 0;

	for (int k = 0; k < 4; k++) {
		struct trc_record r;
		unsigned good;

		f->size = k & 1 ? 32 : 24;
		f->swap = k >> 1;
		if (n < f->size)
			continue;
		r = trc_record(f, p);
		good = plausible(f, p, n);
		if (r.parameter != 3 || good <= most)
			continue;
		if (r.event == TAU_EV_INIT || r.event == init ||
		    (!defined && good > 1 && good == n / f->size)) {
			best = *f;
			most = good;
		}
	}
	f->size = best.size;
	f->swap = best.swap;
	return most > 0;
}

int trc_probe_head(struct trc_file *f, const unsigned char *head, size_t n, uint64_t size,
		   const char *edf, int defined)
{
	n = n < TRC_PROBE ? n : TRC_PROBE;
	if (!looks_begun(head, n))
		return 0;
	if (!layout(f, head, n, edf ? edf_init_id(edf) : -1, defined))
		return 0;
	f->records = size / f->size;
	return 1;
}

int trc_probe(struct trc_file *f, const char *path, const char *edf, int defined)
{
	unsigned char head[TRC_PROBE];
	struct stat st;
	ssize_t n;
	int fd = regular_open(path, NULL);

	if (fd < 0)
		return 0;
	n = fstat(fd, &st) ? -1 : read(fd, head, sizeof(head));
	close(fd);
	return n >= 0 && trc_probe_head(f, head, (size_t)n, (uint64_t)st.st_size, edf, defined);
}
