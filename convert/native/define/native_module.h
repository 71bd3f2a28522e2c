/* native_module.h: the files that a process had mapped, and addresses in them. */
#ifndef NATIVE_MODULE_H
#define NATIVE_MODULE_H

#include "convert/io/bytes.h"
#include "convert/native/native_run.h"

/* The last defined of the modules that cover an address; NULL: none does. O(modules of the stream). */
const struct native_module *native_module_at(const struct native_stream *s, uint64_t address);
/*
 * The same of the modules whose file has this name, without folders; "", or there is none: of all. Leaks are found at the end, when
 * another module may be at the address where their site was.
 */
const struct native_module *native_module_named(const struct native_stream *s, uint64_t address,
						const char *file);
/*
 * The module that follows an address in a SITE: string path, string build id in hexadecimal, varint bias. 0 and a module that the caller
 * releases, or -1: it is damaged, or a trace without it.
 */
int native_module_read(struct bytes *b, struct native_module *out);
void native_module_release(struct native_module *m);
void native_modules_release(struct native_stream *s);

/* An address of a process, with copies of what is known of its module, which the process may unload later. */
struct native_where {
	uint64_t at;	/* ELF virtual address; the address itself if path is NULL */
	uint64_t bias;	/* of the module: the address less `at` */
	char *path;	/* NULL: in no module */
	unsigned char *build_id;
	size_t build_id_n;
};
/* The caller releases it. */
struct native_where native_where(const struct native_stream *s, uint64_t address);
struct native_where native_where_in(const struct native_module *m, uint64_t address);	/* m NULL: in no module */
void native_where_release(struct native_where *p);
/* The name of the module's file without folders; NULL: in no module. */
const char *native_where_module(const struct native_where *p);

#endif
