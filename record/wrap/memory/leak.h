/* leak.h: what is live at the end, and what leads to it. */
#ifndef LEAK_H
#define LEAK_H


#pragma GCC visibility push(hidden)

/* Reports all live blocks, and whether pointers lead to them. */
void leak_run(void);

#pragma GCC visibility pop
#endif
