/* handle.h: what a Ttf_FileHandleT is: each kind of file begins with this. */
#ifndef HANDLE_H
#define HANDLE_H

enum ttf_handle { TTF_INPUT, TTF_OUTPUT };

#endif
