/* native_seal.h: closes the streams that processes left open when they ended. */
#ifndef NATIVE_SEAL_H
#define NATIVE_SEAL_H

#include "convert/io/input.h"

/*
 * Closes the streams of a run directory that ended processes of this host left open: their live chunks become the last chunks of
 * their files, which get an index, and the live files are removed. A stream is left as it is if a process may still write it, if it
 * is damaged, if it or the directory belongs to another user, or if it cannot be written to: readers read it as before. Several
 * processes may do this at once, and may be killed meanwhile. Reports nothing. If the
 * directory has live files, it is listed again afterwards.
 */
void native_seal(struct input *in);

#endif
