/* result_files.c: results appear whole or not at all, and what could block is not opened. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/io/regular.h"
#include "convert/io/whole_file.h"
#include "files.h"
#include "tap.h"

static char folder[] = "/tmp/tau-test.XXXXXX";

static int exists(const char *name)
{
	return !access(file_below(folder, name), F_OK);
}

static void test_regular(void)
{
	struct error e = {0};
	const char *fifo = file_below(folder, "fifo");

	mkfifo(fifo, 0600);
	ok(regular_open(fifo, &e) == ERROR_INPUT && strstr(e.text, "a FIFO"), "a FIFO: %s", e.text);
	ok(regular_open(folder, &e) == ERROR_INPUT && strstr(e.text, "a directory"), "a directory is no file to read");
	ok(!regular_check(folder, &e), "but may be an input");
	ok(regular_check("/dev/null", &e) == ERROR_INPUT && strstr(e.text, "a device"), "a device: %s", e.text);
	ok(regular_check(file_below(folder, "none"), &e) == ERROR_SYSTEM, "a file that is not there");
	ok(regular_open(fifo, NULL) == ERROR_INPUT, "without a place for the sentence");
	unlink(fifo);
}

static void test_file(void)
{
	const char *to = file_below(folder, "result");
	struct error e = {0};
	struct whole w;
	FILE *f;
	char text[10] = "";

	ok(!whole_open(&w, to, &e) && !exists("result"), "a file that is being written has another name");
	fputs("new", w.file);
	ok(!whole_close(&w, to, 0, &e) && exists("result"), "and its own in the end");
	whole_open(&w, to, &e);
	fputs("bad", w.file);
	whole_close(&w, to, 1, &e);
	f = regular_fopen(to, &e);
	ok(f && fgets(text, sizeof(text), f) && !strcmp(text, "new"), "what was thrown away changes nothing");
	fclose(f);
	unlink(to);
	ok(whole_open(&w, file_below(folder, "none/result"), &e) < 0 && e.text[0], "a folder that is not there: %s", e.text);
	ok(!rmdir(folder) && !mkdir(folder, 0700), "nothing else was left");
}

static void test_folder(void)
{
	const char *to = file_below(folder, "run");
	struct error e = {0};
	char *name = whole_folder(to, &e);

	ok(name && !exists("run") && !access(name, W_OK), "a folder that is being written");
	ok(!whole_folder_close(name, to, 0, &e) && exists("run"), "has its name in the end");
	ok(!whole_folder(to, &e) && e.code, "one that is there is left alone: %s", e.text);
	rmdir(to);
	name = whole_folder(to, &e);
	whole_folder_close(name, to, 1, &e);
	ok(!exists("run"), "one that was thrown away is not there");
	ok(!rmdir(folder), "nothing else was left");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_regular();
	test_file();
	test_folder();
	return tap_end();
}
