/*
 * ending.h: the ends of a process that call no exit handlers: _exit() and abort().
 */
#ifndef WRAP_CUDA_ENDING_H
#define WRAP_CUDA_ENDING_H

/* From now on, finish() is called once when this process ends so, in the recorder's thread; the end waits a second at most. */
void ending_start(void (*finish)(void));

#endif
