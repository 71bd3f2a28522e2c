/*
 * meta.h: metadata of the process and the machine.
 */
#ifndef META_H
#define META_H

#include <stdint.h>

void meta_write(void);
void meta_end(void);

#endif
