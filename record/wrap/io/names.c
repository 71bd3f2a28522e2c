/* names.c: the table of files by name, and the events of each. */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "tau.h"

#define FILES     4096
#define FULL      (FILES / 4 * 3)
#define FULL_DIRS (FULL + FILES / 8) /* for directories, after FULL names */
#define NAME_ROOM (FILES * 128)
#define DIRS_ROOM (FILES * 16) /* of it, for directories */
#define PATH_ROOM 960 /* an event's name has 1024 bytes */
#define CONTEXT   2   /* flag of an event: keep the call path */

static const char *const event_names[FILE_EVENTS] = {
	[FILE_BYTES_MAPPED] = "Bytes Mapped",
	[FILE_BYTES_READ] = "Bytes Read",
	[FILE_BYTES_WRITTEN] = "Bytes Written",
	[FILE_ERRORS] = "I/O Errors",
};

struct file file_other = {.name = "(other files)"};
static struct file files[FILES]; /* open addressing by name; a name is set once and stays */
static uint32_t file_n;
static char names[NAME_ROOM];
static uint32_t names_used;

static uint32_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 32);
}

static const char *name_copy(const char *name, uint32_t room)
{
	uint32_t n = (uint32_t)strlen(name) + 1,
		 at = __atomic_fetch_add(&names_used, n, __ATOMIC_RELAXED);

	if (n > room || at > room - n) {
		__atomic_fetch_sub(&names_used, n, __ATOMIC_RELAXED);
		return NULL;
	}
	return memcpy(names + at, name, n);
}

static struct file *find(const char *name, uint32_t most, uint32_t room)
{
	const char *copy = NULL, *there;
	uint32_t i = hash(name) % FILES;

	for (;; i = (i + 1) % FILES) {
		there = __atomic_load_n(&files[i].name, __ATOMIC_ACQUIRE);
		if (!there) {
			if (__atomic_load_n(&file_n, __ATOMIC_RELAXED) >= most ||
			    (!copy && !(copy = name_copy(name, room))))
				return NULL;
			if (__atomic_compare_exchange_n(&files[i].name, &there, copy, 0,
							__ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
				__atomic_fetch_add(&file_n, 1, __ATOMIC_RELAXED);
				return &files[i];
			}
		}
		if (!strcmp(there, name))
			return &files[i];
	}
}

struct file *file_of(const char *name)
{
	static const char other[] = "(other files)";
	struct file *f = find(name, FULL, NAME_ROOM - DIRS_ROOM);
	const char *end = strrchr(name, '/');
	char directory[PATH_ROOM + sizeof(other)];

	if (f || !end || (size_t)(end - name) >= PATH_ROOM - 1)
		return f ? f : &file_other;
	memcpy(directory, name, (size_t)(end - name) + 1);
	strcpy(directory + (end - name) + 1, other);
	f = find(directory, FULL_DIRS, NAME_ROOM);
	return f ? f : &file_other;
}

/* Of a very long path the end is kept, which identifies the file better. */
char *file_tidy(char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), d = sizeof(deleted) - 1;

	if (!strncmp(path, "pipe:", 5))
		return strcpy(path, "pipe");
	if (!strncmp(path, "socket:", 7))
		return strcpy(path, "socket");
	if (n > d && !strcmp(path + n - d, deleted))
		path[n -= d] = 0;
	if (n < PATH_ROOM)
		return path;
	path += n - PATH_ROOM + 1;
	memcpy(path, "...", 3);
	return path;
}

uint32_t file_event_define(struct file *f, enum file_event kind)
{
	char name[1024];
	uint32_t id;

	if (kind == FILE_NAME)
		snprintf(name, sizeof(name), "%s", f->name);
	else if (f->name)
		snprintf(name, sizeof(name), "%s <file=\"%s\">", event_names[kind], f->name);
	else
		snprintf(name, sizeof(name), "%s", event_names[kind]);
	id = tau_event(name, kind == FILE_NAME ? 0 : CONTEXT);
	__atomic_store_n(&f->id[kind], id, __ATOMIC_RELAXED);
	return id;
}
