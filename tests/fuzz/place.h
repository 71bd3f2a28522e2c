/* place.h: a folder in memory for fuzz targets whose readers want files; it is gone when the target ends. */
#ifndef FUZZ_PLACE_H
#define FUZZ_PLACE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char place_dir[64], place_files[4][96];

static inline void place_remove(void)
{
	for (size_t i = 0; i < sizeof(place_files) / sizeof(*place_files); i++)
		unlink(place_files[i]);
	rmdir(place_dir);
}

static inline const char *place(void)
{
	if (!*place_dir) {
		snprintf(place_dir, sizeof(place_dir), "/dev/shm/tau-fuzz.XXXXXX");
		if (access("/dev/shm", W_OK))
			snprintf(place_dir, sizeof(place_dir), "/tmp/tau-fuzz.XXXXXX");
		if (!mkdtemp(place_dir))
			abort();
		atexit(place_remove);
	}
	return place_dir;
}

/* File number i (0 to 3) of the folder, with these bytes. */
static inline const char *place_put(int i, const char *name, const void *p, size_t n)
{
	int fd;

	if (!*place_files[i])
		snprintf(place_files[i], sizeof(place_files[i]), "%s/%s", place(), name);
	fd = open(place_files[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		abort();
	close(fd);
	return place_files[i];
}

#endif
