/* version.h: the one place that has the version of the programs. */
#ifndef VERSION_H
#define VERSION_H

#define TAU_VERSION "0.1.0"

#endif
