/*
 * python.h: call stacks of Python in samples.
 */
#ifndef SAMPLE_PYTHON_H
#define SAMPLE_PYTHON_H

/* Samples of this process have frames of Python from now on, if CPython interprets it. */
void python_frames_start(void);

#endif
