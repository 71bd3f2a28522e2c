/* TauAPI.h: TAU.h under the name of the header that TAU's own header includes. */
#ifndef TAU_TAUAPI_H
#define TAU_TAUAPI_H

#include "../TAU.h"

#endif
