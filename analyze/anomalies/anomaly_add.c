/* anomaly_add.c: adds an anomaly to a list, or to the same one of another thread. */
#include <string.h>

#include "analyze/anomalies/anomaly_add.h"

struct anomaly *anomaly_add(struct anomalies *a, const struct anomaly *one, int same)
{
	for (size_t i = a->v_n - a->n[one->kind]; same && i < a->v_n; i++) {
		struct anomaly *x = &a->v[i], sum = *one;

		if (x->region != one->region || x->loop != one->loop ||
		    x->first != one->first)
			continue;
		sum.streams += x->streams;
		sum.cost += x->cost;
		if (one->value <= x->value) {
			x->streams = sum.streams;
			x->cost = sum.cost;
		} else {
			*x = sum;
		}
		return x;
	}
	a->n[one->kind]++;
	*array_add(a, v) = *one;
	return &a->v[a->v_n - 1];
}
