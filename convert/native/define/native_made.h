/*
 * native_made.h: code that a program made at run time, in no file: names that the program listed itself (code_map.h) are stored with
 * the run, as those of a module perf-PID.map whose build id is the id of the process. Readers use what is stored alone.
 */
#ifndef NATIVE_MADE_H
#define NATIVE_MADE_H

#include "convert/code/stored_names.h"
#include "convert/native/native_run.h"

struct native_made;

/* Lists of processes of this host that were written since the run began are looked for from now on, for native_made_store(). */
void native_made_search(struct native_run *run);
/* The module of an address of a stream that is in no file, whose build id is the id of its process; to be freed. NULL: it is unknown. */
char *native_made_module(struct native_run *run, const struct native_stream *s, uint64_t address);
int native_made_is(const char *module);
/* The function at an address that native_made_module() knows, whose name is to be freed; its other texts live as long as the run. */
struct trace_code native_made_code(struct native_run *run, const char *module, const unsigned char *id, uint64_t address);
/* Adds what native_made_code() looked up. */
void native_made_store(const struct native_run *run, struct stored_names *to);
void native_made_release(struct native_run *run);

#endif
