/* screen_rows.h: the lines of views that are tables: processes, waits, and what one thread or function has. */
#ifndef SCREEN_ROWS_H
#define SCREEN_ROWS_H

#include "cmd/monitor/screen_draw.h"

/* Makes the lines of the view, for a terminal of this width. */
void view_rows_make(struct view *v, int columns);
/* After a look: what the run waits for, and the cells of what is chosen. A sentence about failure is in v->message. */
void view_rows_renew(struct view *v);
void view_rows_release(struct view *v);

#endif
