/* version.h: the one place where the version of the programs stands. */
#ifndef VERSION_H
#define VERSION_H

#define TAU_VERSION "0.1.0"

#endif
