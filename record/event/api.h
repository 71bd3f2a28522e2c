/*
 * api.h: the public interface (tau.h) for the files that implement it: the functions are defined here, not weak references.
 */
#ifndef API_H
#define API_H

#define TAU_IMPLEMENTATION
#include "record/TAU.h"

#endif
