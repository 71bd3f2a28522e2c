/* input.c: what a path is, and the names in a directory, are read once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/formats.h"
#include "convert/io/input.h"
#include "convert/profile_format.h"
#include "files.h"
#include "tap.h"

static char folder[] = "/tmp/input-XXXXXX";

static void test_names(void)
{
	struct input *in = input_new(folder);
	const struct listing *l;

	file_put(file_below(folder, "b"), "x", 1);
	file_put(file_below(folder, "a"), "x", 1);
	mkdir(file_below(folder, "c"), 0700);
	l = input_names(in);
	ok(l && l->entry_n == 3 && !strcmp(l->entry[0].name, "a") && !strcmp(l->entry[2].name, "c"),
	   "names are in order, without the directory itself");
	ok(l && listing_is_directory(folder, &l->entry[2]) && !listing_is_directory(folder, &l->entry[0]),
	   "an entry is a directory or not");
	file_put(file_below(folder, "d"), "x", 1);
	ok(input_names(in) == l && l->entry_n == 3, "a directory is listed once");
	ok(input_below(in, "c") == input_below(in, "c") && input_below(in, "c")->is_directory, "an entry is one input");
	input_changed(in);
	l = input_names(in);
	ok(l && l->entry_n == 4, "and again when it has changed");
	input_free(in);
}

static void test_head(void)
{
	static char large[INPUT_HEAD + 10];
	struct input *in = input_new(file_below(folder, "empty"));
	size_t n;

	file_put(in->path, "", 0);
	ok(!input_head(in, &n) && !n, "an empty file has no first bytes");
	file_put(in->path, "some", 4);
	ok(input_head(in, &n) && n == 4, "it has when something was written");
	file_put(in->path, "other", 5);
	ok(n == 4 && !memcmp(input_head(in, &n), "some", 4), "they are read once");
	input_changed(in);
	ok(input_head(in, &n) && n == 5, "and again when it has changed");
	input_free(in);
	in = input_new(file_below(folder, "large"));
	file_put(in->path, large, sizeof(large));
	ok(input_head(in, &n) && n == INPUT_HEAD, "of a large file there are %zu", n);
	input_free(in);
	in = input_new(folder);
	ok(!input_head(in, &n) && !n, "a directory has none");
	input_free(in);
}

static void test_none(void)
{
	struct input *file = input_new(file_below(folder, "a")), *none = input_new("/nonexistent/x");

	ok(!input_names(file) && errno == ENOTDIR, "a file has no names");
	ok(!input_names(none) && errno == ENOENT && !none->is_directory, "nor has a path that leads nowhere");
	input_free(file);
	input_free(none);
	input_free(NULL);
}

static void test_link(void)
{
	struct input *in;
	const struct listing *l;
	size_t at;

	ok(!symlink("c", file_below(folder, "link")), "a link to a directory is made");
	in = input_new(folder);
	l = input_names(in);
	at = listing_find(l, "link");
	ok(at < l->entry_n && listing_is_directory(folder, &l->entry[at]), "it counts as a directory");
	input_free(in);
}

static void test_answers(void)
{
	static const char stacks[] = "main;f 1\nmain;g 2\n";
	struct input *in;

	file_put(file_below(folder, "x.folded"), stacks, sizeof(stacks) - 1);
	in = input_new(file_below(folder, "x.folded"));
	ok(profile_is(in) && !trace_format_of(in), "a profile is recognized");
	unlink(in->path);
	ok(profile_is(in) && !trace_format_of(in), "and not looked at again");
	input_free(in);
}

static void test_pool(void)
{
	struct inputs all = {0};
	struct input *a = inputs_get(&all, folder), *b = inputs_get(&all, "/nonexistent/x");

	ok(a == inputs_get(&all, folder) && a != b && a->outlives, "a program has one input for each path");
	inputs_release(&all);
	ok(!all.v_n, "which end together");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_names();
	test_head();
	test_none();
	test_link();
	test_answers();
	test_pool();
	folder_remove(folder);
	return tap_end();
}
