/*
 * view_converted.h: traces of other tools are read from their begin for each request of a page. Large ones are converted once to a run of
 * ours, whose windows cost what is in them. It is kept in $XDG_CACHE_HOME/tau, or ~/.cache/tau, and belongs to the trace as its files are.
 */
#ifndef VIEW_CONVERTED_H
#define VIEW_CONVERTED_H

#define CONVERTED_LEAST (4 << 20) /* bytes of a trace from which it is converted */
#define CONVERTED_MOST	16	  /* conversions that are kept: those that were used last */

/*
 * The run that the trace was converted to, now or before; free it. NULL: it is read as it is, because it is one of ours, or not a trace, or
 * short, or cannot be converted, which is printed. converter: the path of tau-convert; NULL: there is none.
 */
char *view_converted(const char *trace, const char *converter);

#endif
