/*
 * native_walk.c: splits chunks into elements and describes the fields of each kind of element.
 */
#include "convert/native/events/native_walk.h"

#include <string.h>

#include "analyze/trace/event_kinds.h"

/* How a field of each type (EVENT_TYPES) is stored: the letters of native_walk.h. */
#define STORED_REF "v"
#define STORED_RANK "z"
#define STORED_SIGNED "z"
#define STORED_SIZE "v"
#define STORED_AMOUNT "v"
#define STORED_COUNT "v"
#define STORED_DEPTH "v"
#define STORED_DURATION "d"
#define STORED_OFFSET "w"
#define STORED_INNER "w"
#define STORED_NUMBER "z"
#define STORED_THREAD "v"
#define STORED_EVENT "e"
#define STORED_COMM "c"
#define STORED_REQUEST "q"
#define STORED_MEMTYPE "m"
#define STORED_COLL_OP "v"
#define STORED_RMA_OP "v"
#define STORED_SYNC_OP "v"
#define STORED_IO_OP "v"
#define STORED_MARK_KIND "v"
#define STORED_WAIT_KIND "v"
#define STORED_FILE_WAIT "v"
#define STORED_FEW "v"
#define STORED_REGIONS "R"
#define STORED_PATH "R"
#define STORED_CODE "A"

#define STORED_FIELD(type, member, name, column) STORED_##type name " "
#define STORED_ROW(kind, title, text, metrics, lost, fields) [TAU_REC_##kind] = {title, "" fields},
const struct native_kind native_record_kind[64] = {
	EVENT_RECORD_ROWS(STORED_ROW, STORED_FIELD)
	[TAU_REC_VALUE_F64] = {"EVENT", "eevent fvalue"},
	[TAU_REC_BRIEF] = {"BRIEF", "mtype vbytes"},
};

const struct native_kind native_define_kind[NATIVE_DEFINE_KINDS] = {
	[TAU_DEF_REGION] = {"REGION", "vregion sname sgroups sfile vline ?place"},
	[TAU_DEF_ADDRESS] = {"ADDRESS", "vregion aaddress"},
	[TAU_DEF_MODULE] = {"MODULE", "abegin aend abias spath xbuild_id"},
	[TAU_DEF_EVENT] = {"EVENT", "vevent vflags sname ?lock ?place tcalled tfirst"},
	[TAU_DEF_META] = {"META", "sname svalue"},
	[TAU_DEF_RANK] = {"RANK", "vrank vsize vsource"},
	[TAU_DEF_COMM] = {"COMM", "vcomm sname Vranks wfirst wnumber"},
	[TAU_DEF_MEMTYPE] = {"MEMTYPE", "vmemtype oowner vflags vsize sname slibrary"},
	[TAU_DEF_THREAD] = {"THREAD", "vtid sname wdevice"},
	[TAU_DEF_LIMIT] = {"LIMIT", "rregion vwhy vcalls"},
	[TAU_DEF_SITE] = {"SITE", "vmemtype aaddress tname tfile wline"},
	[TAU_DEF_BLOCK] = {"BLOCK", "vblock mmemtype vbytes"},
	[TAU_DEF_STACK] = {"STACK", "vstack vcaller aaddress"},
	[TAU_DEF_PATH] = {"PATH", "vmemtype vstack"},
	[TAU_DEF_CODE] = {"CODE", "aaddress vinlined smodule sname sfile vline"},
	[TAU_DEF_CALL] = {"CALL", "vregion vcalled asite afunction"},
	[TAU_DEF_RENAME] = {"RENAME", "eevent vnumber sname"},
	[TAU_DEF_METRIC] = {"METRIC", "vmetric vflags sname sunit"},
};

char native_field(const char **fields, const char **name, int *name_n)
{
	const char *s = *fields;
	char type = *s;

	if (!type)
		return 0;
	*name = ++s;
	*name_n = (int)strcspn(s, " ");
	s += *name_n;
	*fields = *s ? s + 1 : s;
	return type;
}

struct native_list native_definitions(const struct native_columns *c)
{
	return (struct native_list){ bytes_of(c->data[TAU_DEFS], c->length[TAU_DEFS]), UINT64_MAX };
}

int native_list_next(struct native_list *l, struct native_element *out)
{
	if (!l->left || (l->left == UINT64_MAX && !bytes_left(&l->rest)))
		return l->rest.bad ? -1 : 0;
	l->left -= l->left != UINT64_MAX;
	memset(out, 0, sizeof(*out));
	out->kind = (uint32_t)bytes_upto(&l->rest, UINT32_MAX);
	out->fields = bytes_string(&l->rest);
	return l->rest.bad ? -1 : 1;
}

/* Takes the next values of the chunk's metrics. */
static void read_metrics(struct native_walk *w, struct bytes *b, struct native_element *out)
{
	out->metric_n = w->columns->head.metrics;
	for (uint32_t i = 0; i < out->metric_n; i++)
		w->metric[i] = out->metric[i] = bytes_add(w->metric[i], bytes_zigzag(b));
}

void native_blocks_add(struct native_blocks *b, const struct native_columns *c)
{
	struct native_list l = native_definitions(c);
	struct native_element d;

	while (native_list_next(&l, &d) > 0) {
		uint64_t id, memtype;

		if (d.kind != TAU_DEF_BLOCK)
			continue;
		id = bytes_upto(&d.fields, TAU_BLOCK_MAX);
		memtype = bytes_varint(&d.fields);
		while (b->v_n <= id && !d.fields.bad)
			array_add(b, v);
		if (!d.fields.bad)
			b->v[id] = (struct native_block_said){memtype, bytes_varint(&d.fields)};
	}
}

static unsigned char *put_varint(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

/* Gets the extended record of a token of memory. -1: its block is not defined. */
static int block_record(const struct native_walk *w, uint32_t token, struct native_element *out)
{
	static const uint32_t kind[TAU_BLOCK_OPS] = { TAU_REC_ALLOC, TAU_REC_FREE, TAU_REC_BRIEF };
	uint32_t id = (token - TAU_TOKEN_BLOCK) / TAU_BLOCK_OPS;
	unsigned char *p;

	if (!w->blocks || id >= w->blocks->v_n || !w->blocks->v[id].memtype)
		return -1;
	out->kind = kind[(token - TAU_TOKEN_BLOCK) % TAU_BLOCK_OPS];
	p = put_varint(out->made, w->blocks->v[id].memtype);
	p = put_varint(p, w->blocks->v[id].bytes);
	out->fields = bytes_of(out->made, (size_t)(p - out->made));
	return 0;
}

int native_walk_begin(struct native_walk *w, const struct native_columns *c,
		      const struct native_blocks *blocks, struct native_list *snapshot)
{
	struct native_list sections;
	struct native_element section;
	int code;

	w->columns = c;
	w->blocks = blocks;
	w->at = 0;
	w->tick = c->head.first_tick;
	w->request = 0;
	sections.rest = bytes_of(c->data[TAU_ARGS], c->length[TAU_ARGS]);
	sections.left = bytes_varint(&sections.rest);
	*snapshot = sections;
	memset(w->metric, 0, sizeof(w->metric));
	while ((code = native_list_next(&sections, &section)) > 0)
		for (uint32_t i = 0; section.kind == TAU_SNAP_METRICS && i < c->head.metrics; i++)
			w->metric[i] = bytes_zigzag(&section.fields);
	w->args = sections.rest;
	return code;
}

/* Takes the request of a record: the fields before it are varints. */
static void read_request(struct native_walk *w, struct native_element *out)
{
	const char *fields = native_record_kind[out->kind].fields, *name;
	struct bytes b = out->fields;
	int length;
	char type;

	while (fields && (type = native_field(&fields, &name, &length)) && bytes_left(&b)) {
		if (type == 'q')
			out->request = w->request += (uint32_t)bytes_zigzag(&b);
		else
			bytes_varint(&b);
	}
}

int native_walk_next(struct native_walk *w, struct native_element *out)
{
	const struct native_columns *c = w->columns;
	size_t n = c->head.records, i = w->at;
	uint32_t token;
	uint64_t delta;

	if (i == n)
		return 0;
	w->at++;
	memset(out, 0, sizeof(*out));
	token = native_token(c, i);
	delta = c->data[TAU_TIMES][i] | (uint32_t)c->data[TAU_TIMES][n + i] << 8;
	out->kind = token < TAU_TOKEN_REGION ? token : TAU_TOKEN_REGION;
	if (token >= TAU_TOKEN_BLOCK && token != TAU_TOKEN_FAR) {
		if (block_record(w, token, out))
			return -1;
	} else if (token >= TAU_TOKEN_REGION)
		out->region =
			token == TAU_TOKEN_FAR ? bytes_varint(&w->args) : token - TAU_TOKEN_REGION;
	else if (token)
		out->fields = bytes_string(&w->args);
	if (token == TAU_REC_SEND || token == TAU_REC_RECV || token == TAU_REC_POSTED ||
	    token == TAU_REC_COMPLETED)
		read_request(w, out);
	if (token && token < TAU_TOKEN_REGION && TAU_KIND_HAS_METRICS(token))
		read_metrics(w, &out->fields, out);
	else if (!token || TAU_TOKEN_IS_REGION(token))
		read_metrics(w, &w->args, out);
	if (delta == TAU_TIME_LONG)
		delta = bytes_varint(&w->args);
	if (w->args.bad || out->fields.bad || delta > c->head.last_tick - w->tick)
		return -1;
	w->tick += delta;
	out->tick = w->tick;
	return 1;
}
