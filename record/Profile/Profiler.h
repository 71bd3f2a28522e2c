/* Profiler.h: TAU.h under the name that older programs include. They expect the std namespace to be open, as TAU's header leaves it. */
#ifndef TAU_PROFILER_H
#define TAU_PROFILER_H

#include "../TAU.h"

#ifdef __cplusplus
#include <iostream>
using namespace std;
#endif

#endif
