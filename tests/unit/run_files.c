/* run_files.c: files of a run are made new, and links are not followed. */
#include "convert/native/file/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/native/live/native_ends.h"
#include "files.h"
#include "tap.h"

static void test_files(void)
{
	char folder[] = "/tmp/run-files-XXXXXX";
	const char *other = "elsewhere";
	unsigned char *text;
	size_t n;
	int run, fd;

	if (!mkdtemp(folder) || (run = run_directory(folder)) < 0)
		exit(1);
	file_put(file_below(folder, other), "mine", 4);
	if (symlinkat(other, run, "link"))
		exit(1);
	ok(run_file_open(run, "link", O_RDONLY) < 0 && errno == ELOOP, "a link is not opened");
	fd = run_file_new(run, "link", 0600);
	ok(fd >= 0 && write(fd, "new", 3) == 3 && !close(fd), "a new file takes the place of a link");
	text = file_get(file_below(folder, other), &n);
	ok(n == 4 && !memcmp(text, "mine", 4), "what the link led to stays");
	free(text);
	fd = run_file_open(run, "link", O_RDONLY);
	ok(fd >= 0 && !close(fd), "a file is opened");
	ok(run_file_open(run, "missing", O_RDONLY) < 0 && errno == ENOENT, "a missing one is not");
	ok(run_directory(file_below(folder, other)) < 0, "a file is no directory");
	ok(run_file_mode(run) == 0600, "without the job's file the run is private");
	file_put(file_below(folder, RUN_JOB_FILE), "", 0);
	chmod(file_below(folder, RUN_JOB_FILE), 0600);
	ok(run_file_mode(run) == 0600, "with a private one, too");
	chmod(file_below(folder, RUN_JOB_FILE), 0644);
	ok(run_file_mode(run) == 0666, "with one that others may read it is shared");
	close(run);
	folder_remove(folder);
}

int main(void)
{
	test_files();
	return tap_end();
}
