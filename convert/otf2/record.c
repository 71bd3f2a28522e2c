/* record.c: what is done with each record of a location, whatever its kind: its time, its attributes, values of metrics. */
#include "convert/otf2/record.h"

#include <string.h>

void archive_rows(struct trace_cursor *c)
{
	size_t width = c->trace->metric_n;

	while (c->row_n < c->batch.n) {
		if (c->row_n == c->row_cap)
			c->batch.metric = array_grow(c->batch.metric, &c->row_cap,
						     width * sizeof(*c->batch.metric));
		memcpy(c->batch.metric + c->row_n * width, c->metric, width * sizeof(*c->metric));
		c->row_n++;
	}
}

void archive_settle(struct trace_cursor *c)
{
	c->fresh = 0;
	archive_push_args(c, EVENT_METRICS);
	archive_rows(c);
}

int archive_at(struct trace_cursor *c, OTF2_TimeStamp time)
{
	if (!c->limit) {
		c->stamp = time;
		return 0;
	}
	if (c->fresh && time != c->stamp)
		archive_settle(c);
	if (time >= c->limit) {
		c->wrong = "the time of a record is impossible";
		return 0;
	}
	c->fell += time < c->stamp && c->stamp != OTF2_UNDEFINED_TIMESTAMP;
	return 1;
}

static uint64_t value_of(OTF2_Type type, OTF2_AttributeValue v)
{
	switch (type) {
	case OTF2_TYPE_UINT8:
	case OTF2_TYPE_INT8:
		return v.uint8;
	case OTF2_TYPE_UINT16:
	case OTF2_TYPE_INT16:
		return v.uint16;
	case OTF2_TYPE_UINT64:
	case OTF2_TYPE_INT64:
	case OTF2_TYPE_DOUBLE:
	case OTF2_TYPE_LOCATION:
		return v.uint64;
	default:
		return v.uint32;
	}
}

void archive_tags_read(struct trace_cursor *c, const OTF2_AttributeList *attributes)
{
	struct archive_tags *g = &c->given;
	uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);

	for (g->n = 0; g->n < n && g->n < ARCHIVE_GIVEN; g->n++) {
		OTF2_AttributeValue v;
		OTF2_Type type;

		if (OTF2_AttributeList_GetAttributeByIndex(attributes, g->n, &g->ref[g->n], &type,
							   &v))
			break;
		g->value[g->n] = value_of(type, v);
	}
}

uint64_t archive_attribute(const struct trace_cursor *c, uint32_t ref)
{
	for (unsigned i = 0; i < c->given.n; i++)
		if (c->given.ref[i] == ref)
			return c->given.value[i];
	return 0;
}

int64_t archive_peer(const struct trace_cursor *c, uint64_t ref, uint64_t rank, uint32_t *comm)
{
	uint32_t at = map_get(&c->run->comm_of, ref);
	const struct archive_comm *x;
	const struct trace_comm *side;

	*comm = TRACE_NONE;
	if (at == MAP_NONE)
		return (int64_t)rank;
	x = &c->run->comm[at];
	*comm = x->comm;
	if (x->self)
		return (int64_t)c->rank;
	side = &c->trace->comm[x->comm];
	if (x->remote != TRACE_NONE)
		for (size_t i = 0; i < side->n; i++)
			if (side->rank[i] == c->rank) {
				side = &c->trace->comm[x->remote];
				break;
			}
	return rank < side->n ? side->rank[rank] : (int64_t)rank;
}
