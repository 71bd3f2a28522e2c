/* map.h: what is mapped. */
#ifndef MAP_H
#define MAP_H


#pragma GCC visibility push(hidden)

extern int maps; /* requested */
int map_init(void);
void map_forget(void);

#pragma GCC visibility pop
#endif
