/*
 * budget.h: keeps the cost of recording below the limit of --budget.
 */
#ifndef BUDGET_H
#define BUDGET_H

struct stream;

/* The calling thread begins to use s. */
void budget_begin(struct stream *s);
/* One more call was recorded or folded. */
void budget_called(struct stream *s);
/* The live chunk is about to be stored: counts its records. */
void budget_count(struct stream *s);
/* A chunk was stored. */
void budget_stored(struct stream *s);
/* The thread of s ends. */
void budget_end(struct stream *s);
void budget_meta(void);

#endif
