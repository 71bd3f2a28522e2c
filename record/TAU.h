/* TAU.h: the name under which programs written for TAU include the public interface. */
#include "tau.h"
