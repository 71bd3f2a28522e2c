/* otf2_raw.c: collects the global definitions of an archive, in whatever order they come. */
#include <string.h>

#include "otf2_raw.h"

static void take_string(struct otf2_raw *d, const struct otf2_fields *f)
{
	char *copy = mem_string(f->text);

	trace_text(d->trace, copy, strlen(copy));
	map_set(&d->string_of, f->v[0], (uint32_t)d->string_n);
	*array_add(d, string) = copy;
}

/* Before version 1.1 a region had one number for its role and its paradigm. */
static uint8_t old_paradigm(uint64_t type)
{
	return type >= 5 && type <= 19 ? OTF2_OPENMP : OTF2_USER;
}

static void take_region(struct otf2_raw *d, const struct otf2_fields *f)
{
	int old = f->n < 10;

	*array_add(d, region) = (struct raw_region){
		.ref = (uint32_t)f->v[0],
		.name = (uint32_t)f->v[1],
		.description = (uint32_t)f->v[2],
		.file = (uint32_t)f->v[4],
		.line = (uint32_t)f->v[5],
		.role = old ? OTF2_ROLE_FUNCTION : (uint8_t)f->v[8],
		.paradigm = old ? old_paradigm(f->v[3]) : (uint8_t)f->v[9],
	};
}

/* Before version 1.2 the type of a group told the paradigm, too. */
static void take_group(struct otf2_raw *d, struct otf2_fields *f)
{
	static const uint8_t old_type[] = {0, 1, 2, 3, OTF2_COMM_GROUP, OTF2_COMM_SELF,
					   OTF2_COMM_LOCATIONS};
	struct raw_members *m;
	int old = f->n < 6;

	m = array_add(d, members);
	m->type = old ? f->v[2] < sizeof(old_type) ? old_type[f->v[2]] : 0 : (uint8_t)f->v[4];
	m->paradigm = old ? OTF2_MPI : (uint8_t)f->v[5];
	m->n = (uint32_t)f->v[3];
	m->member = mem_alloc((size_t)m->n * sizeof(*m->member) + 1);
	for (uint32_t i = 0; i < m->n; i++)
		m->member[i] = otf2_compressed(&f->list, 8);
	/* Some writers give the list of locations and the group of ranks the same number: the group
	 * is meant. */
	if (m->type != OTF2_COMM_LOCATIONS || map_get(&d->members_of, f->v[0]) == MAP_NONE)
		map_set(&d->members_of, f->v[0], (uint32_t)d->members_n - 1);
}

static void take_class(struct otf2_raw *d, struct otf2_fields *f)
{
	struct raw_metric *m = array_add(d, metric);

	m->ref = m->class = (uint32_t)f->v[0];
	m->n = (uint8_t)f->v[1];
	m->occurrence = (uint8_t)f->v[2];
	m->first = d->of_class_n;
	for (uint8_t i = 0; i < m->n; i++)
		*array_add(d, of_class) = (uint32_t)otf2_compressed(&f->list, 4);
}

static void take_handle(struct otf2_raw *d, const struct otf2_fields *f)
{
	map_set(&d->handle_of, f->v[0], (uint32_t)d->handle_n);
	*array_add(d, handle) =
		(struct raw_handle){(uint32_t)f->v[0], (uint32_t)f->v[1], (uint32_t)f->v[2],
				    f->n > 6 ? (uint32_t)f->v[6] : OTF2_UNDEFINED32};
}

/* Since version 2.0 a property has a type; before it was a text. */
static void take_property(struct otf2_raw *d, struct otf2_fields *f)
{
	uint64_t value = f->v[2];

	if (f->n > 3 && f->v[3] != OTF2_STRING)
		return;
	if (f->n > 3)
		value = otf2_compressed(&f->list, 4);
	*array_add(d, property) =
		(struct raw_property){(uint32_t)f->v[0], (uint32_t)f->v[1], (uint32_t)value};
}

static void take_clock(struct otf2_raw *d, const struct otf2_fields *f)
{
	d->clock = 1;
	d->resolution = f->v[0];
	d->offset = f->v[1];
	d->run->length = f->v[2];
	d->run->real = f->n > 3 && !(f->v[3] >> 62) ? (int64_t)f->v[3] : 0;
	d->run->real_at = f->v[1];
}

static const char *take(void *to, unsigned kind, struct otf2_fields *f)
{
	struct otf2_raw *d = to;
	const uint64_t *v = f->v;
	uint32_t self = (uint32_t)v[0];

	switch (kind) {
	case OTF2_DEF_CLOCK:
		take_clock(d, f);
		break;
	case OTF2_DEF_STRING:
		take_string(d, f);
		break;
	case OTF2_DEF_NODE:
		map_set(&d->node_of, self, (uint32_t)d->node_n);
		*array_add(d, node) =
			(struct raw_node){(uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]};
		break;
	case OTF2_DEF_PROCESS:
		map_set(&d->group_of, self, (uint32_t)d->group_n);
		*array_add(d, group) = (struct raw_group){
			self,           f->n > 4 ? (uint32_t)v[4] : OTF2_UNDEFINED32,
			(uint32_t)v[1], (uint32_t)v[3],
			(uint8_t)v[2],  TRACE_NONE};
		break;
	case OTF2_DEF_LOCATION:
		*array_add(d, location) = (struct raw_location){
			v[0], (uint32_t)v[1], (uint8_t)v[2], (uint32_t)v[4], v[3], TRACE_NONE, 0};
		break;
	case OTF2_DEF_REGION:
		take_region(d, f);
		break;
	case OTF2_DEF_GROUP:
		take_group(d, f);
		break;
	case OTF2_DEF_MEMBER:
		map_set(&d->member_of, self, (uint32_t)d->member_n);
		*array_add(d, member) =
			(struct raw_member){(uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[8],
					    (uint8_t)v[4],  (uint8_t)v[5],  (uint8_t)v[6],
					    (int64_t)v[7]};
		break;
	case OTF2_DEF_CLASS:
		take_class(d, f);
		break;
	case OTF2_DEF_INSTANCE:
		*array_add(d, metric) = (struct raw_metric){.ref = self,
							    .class = (uint32_t)v[1],
							    .recorder = v[2],
							    .scope = (uint8_t)v[3],
							    .of = v[4]};
		break;
	case OTF2_DEF_COMM:
		*array_add(d, comm) = (struct raw_comm){self, (uint32_t)v[1], (uint32_t)v[2],
							OTF2_UNDEFINED32};
		break;
	case OTF2_DEF_INTER:
		*array_add(d, comm) = (struct raw_comm){self, (uint32_t)v[1], (uint32_t)v[2],
							(uint32_t)v[3]};
		break;
	case OTF2_DEF_PARAMETER:
		*array_add(d, parameter) =
			(struct raw_parameter){self, (uint32_t)v[1], (uint8_t)v[2]};
		break;
	case OTF2_DEF_WINDOW:
		*array_add(d, window) = (struct raw_window){self, (uint32_t)v[2]};
		break;
	case OTF2_DEF_PROPERTY:
		take_property(d, f);
		break;
	case OTF2_DEF_PLACE:
		map_set(&d->line_of, self, (uint32_t)v[2]);
		break;
	case OTF2_DEF_CONTEXT:
		*array_add(d, context) =
			(struct raw_context){self, (uint32_t)v[3], (uint32_t)v[1], (uint32_t)v[2]};
		break;
	case OTF2_DEF_FILE:
	case OTF2_DEF_FOLDER:
		map_set(&d->file_of, self, (uint32_t)v[1]);
		break;
	case OTF2_DEF_HANDLE:
		take_handle(d, f);
		break;
	default:
		break;
	}
	return NULL;
}

int otf2_collect(struct otf2_raw *d, struct error *e)
{
	struct otf2_definitions walk = {otf2_global_record, take, d, 0, {0}};
	struct otf2_file f;
	const char *wrong;
	int code = 0;

	if (otf2_file_open(&f, &d->run->archive, NULL, ".def"))
		return error_set(e, ERROR_INPUT,
				 "%s: its global definitions (.def) cannot be read",
				 d->run->archive.path);
	wrong = otf2_definitions(&walk, &f, d->run->archive.definition_chunk);
	/* What came before the damage may do, if it holds the locations. */
	if (wrong && !d->location_n)
		code = error_set(e, ERROR_INPUT, "%s: offset %llu: %s", f.path,
				 (unsigned long long)walk.offset, wrong);
	else if (wrong)
		trace_note(d->trace, "%s: offset %llu: %s; what follows in it is left out", f.path,
			   (unsigned long long)walk.offset, wrong);
	else if (d->location_n != d->run->archive.locations && d->run->archive.locations)
		trace_note(d->trace, "%s: it should define %llu locations, and defines %zu", f.path,
			   (unsigned long long)d->run->archive.locations, d->location_n);
	otf2_file_close(&f);
	return code;
}

const char *otf2_text(const struct otf2_raw *d, uint32_t ref)
{
	uint32_t at = map_get(&d->string_of, ref);

	return at == MAP_NONE ? "" : d->string[at];
}

void otf2_raw_release(struct otf2_raw *d)
{
	struct map *maps[] = {&d->string_of,  &d->node_of, &d->group_of, &d->member_of,
			      &d->members_of, &d->rank_of, &d->file_of,  &d->handle_of,
			      &d->line_of};
	void *lists[] = {d->string, d->node,      d->group,  d->location, d->region,
			 d->members, d->comm,     d->member, d->metric,   d->parameter,
			 d->window, d->property,  d->context, d->of_class, d->handle};

	for (size_t i = 0; i < d->string_n; i++)
		free(d->string[i]);
	for (size_t i = 0; i < d->members_n; i++)
		free(d->members[i].member);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		map_release(maps[i]);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		free(lists[i]);
	names_release(&d->region_name);
	names_release(&d->event_name);
	names_release(&d->metric_name);
}
