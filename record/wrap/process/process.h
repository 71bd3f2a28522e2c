/* process.h: what the files of the process wrapper share: the table of functions, and who is in it.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tau.h"

#include "process.gen.c"

#endif
