/* otf2_raw.c: collects the global definitions of an archive, in whatever order they come. */
#include <string.h>

#include "otf2_raw.h"

static OTF2_CallbackCode on_clock(void *to, uint64_t resolution, uint64_t offset, uint64_t length,
				  uint64_t real)
{
	struct otf2_raw *d = to;

	(void)real;
	d->clock = 1;
	d->resolution = resolution;
	d->offset = offset;
	d->run->length = length;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *to, OTF2_StringRef self, const char *s)
{
	struct otf2_raw *d = to;
	char *copy = mem_string(s ? s : "");

	/* Names end up in line-oriented files: control characters would break them. */
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	map_set(&d->string_of, self, (uint32_t)d->string_n);
	*array_add(d, string) = copy;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *to, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
				 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
	struct otf2_raw *d = to;

	map_set(&d->node_of, self, (uint32_t)d->node_n);
	*array_add(d, node) = (struct raw_node){name, class, parent};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *to, OTF2_LocationGroupRef self, OTF2_StringRef name,
				  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
				  OTF2_LocationGroupRef creator)
{
	struct otf2_raw *d = to;

	map_set(&d->group_of, self, (uint32_t)d->group_n);
	*array_add(d, group) = (struct raw_group){self, creator, name, node, type, TRACE_NONE};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *to, OTF2_LocationRef self, OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef group)
{
	struct otf2_raw *d = to;

	*array_add(d, location) =
		(struct raw_location){self, name, type, group, events, TRACE_NONE, 0};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *to, OTF2_RegionRef self, OTF2_StringRef name,
				   OTF2_StringRef canonical, OTF2_StringRef description,
				   OTF2_RegionRole role, OTF2_Paradigm paradigm,
				   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
				   uint32_t end)
{
	struct otf2_raw *d = to;

	(void)canonical;
	(void)flags;
	(void)end;
	*array_add(d, region) =
		(struct raw_region){self, name, description, file, role, paradigm, begin};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_members(void *to, OTF2_GroupRef self, OTF2_StringRef name,
				    OTF2_GroupType type, OTF2_Paradigm paradigm,
				    OTF2_GroupFlag flags, uint32_t n, const uint64_t *member)
{
	struct otf2_raw *d = to;
	struct raw_members *m;

	(void)name;
	(void)flags;
	/* Some writers give the list of locations and the group of ranks the same number: the group
	 * is meant. */
	if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS || map_get(&d->members_of, self) == MAP_NONE)
		map_set(&d->members_of, self, (uint32_t)d->members_n);
	m = array_add(d, members);
	m->type = type;
	m->paradigm = paradigm;
	m->n = n;
	m->member = mem_alloc((size_t)n * sizeof(*m->member) + 1);
	if (n)
		memcpy(m->member, member, n * sizeof(*m->member));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *to, OTF2_CommRef self, OTF2_StringRef name,
				 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct otf2_raw *d = to;

	(void)parent;
	(void)flags;
	*array_add(d, comm) = (struct raw_comm){self, name, group, OTF2_UNDEFINED_GROUP};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter(void *to, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
				  OTF2_GroupRef b, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct otf2_raw *d = to;

	(void)parent;
	(void)flags;
	*array_add(d, comm) = (struct raw_comm){self, name, a, b};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_member(void *to, OTF2_MetricMemberRef self, OTF2_StringRef name,
				   OTF2_StringRef description, OTF2_MetricType type,
				   OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
				   int64_t exponent, OTF2_StringRef unit)
{
	struct otf2_raw *d = to;

	(void)type;
	(void)value;
	(void)unit;
	map_set(&d->member_of, self, (uint32_t)d->member_n);
	*array_add(d, member) = (struct raw_member){name, description, mode, base, exponent};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *to, OTF2_MetricRef self, uint8_t n,
				  const OTF2_MetricMemberRef *member,
				  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
	struct otf2_raw *d = to;
	struct raw_metric *m = array_add(d, metric);

	(void)occurrence;
	(void)recorder;
	m->ref = m->class = self;
	m->n = n;
	for (uint8_t i = 0; i < n; i++)
		m->member[i] = member[i];
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_instance(void *to, OTF2_MetricRef self, OTF2_MetricRef class,
				     OTF2_LocationRef recorder, OTF2_MetricScope scope, uint64_t of)
{
	struct otf2_raw *d = to;
	struct raw_metric *m = array_add(d, metric);

	m->ref = self;
	m->class = class;
	m->recorder = recorder;
	m->scope = scope;
	m->of = of;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *to, OTF2_ParameterRef self, OTF2_StringRef name,
				      OTF2_ParameterType type)
{
	struct otf2_raw *d = to;

	*array_add(d, parameter) = (struct raw_parameter){self, name, type};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *to, OTF2_RmaWinRef self, OTF2_StringRef name,
				   OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
	struct otf2_raw *d = to;

	(void)name;
	(void)flags;
	*array_add(d, window) = (struct raw_window){self, comm};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_property(void *to, OTF2_LocationGroupRef group, OTF2_StringRef name,
				     OTF2_Type type, OTF2_AttributeValue value)
{
	struct otf2_raw *d = to;

	if (type == OTF2_TYPE_STRING)
		*array_add(d, property) = (struct raw_property){group, name, value.stringRef};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *to, OTF2_CallingContextRef self, OTF2_RegionRef region,
				    OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
	struct otf2_raw *d = to;

	(void)place;
	*array_add(d, context) = (struct raw_context){self, parent, region};
	return OTF2_CALLBACK_SUCCESS;
}

int otf2_collect(struct otf2_raw *d, struct error *e)
{
	OTF2_GlobalDefReader *r = OTF2_Reader_GetGlobalDefReader(d->run->reader);
	OTF2_GlobalDefReaderCallbacks *c;
	OTF2_ErrorCode code;
	uint64_t n;

	if (!r)
		return error_set(e, ERROR_INPUT, "%s: its global definitions cannot be read",
				 d->trace->path);
	c = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_group);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_members);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
	OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter);
	OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
	OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
	OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(c, on_instance);
	OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter);
	OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, on_window);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, on_property);
	OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, on_context);
	OTF2_Reader_RegisterGlobalDefCallbacks(d->run->reader, r, c, d);
	code = OTF2_Reader_ReadAllGlobalDefinitions(d->run->reader, r, &n);
	OTF2_GlobalDefReaderCallbacks_Delete(c);
	OTF2_Reader_CloseGlobalDefReader(d->run->reader, r);
	if (code == OTF2_SUCCESS)
		return 0;
	/* What came before the damage may do, if it holds the locations. */
	if (!d->location_n)
		return otf2_fail(e, d->trace->path, "its global definitions cannot be read", code);
	trace_note(d->trace,
		   "%s: its global definitions are damaged (%s); what follows in them is left out",
		   d->trace->path, OTF2_Error_GetDescription(code));
	return 0;
}

const char *otf2_text(const struct otf2_raw *d, OTF2_StringRef ref)
{
	uint32_t at = map_get(&d->string_of, ref);

	return at == MAP_NONE ? "" : d->string[at];
}

void otf2_raw_release(struct otf2_raw *d)
{
	struct map *maps[] = {&d->string_of, &d->node_of,    &d->group_of,
			      &d->member_of, &d->members_of, &d->rank_of};
	void *lists[] = {d->string,  d->node,     d->group,  d->location, d->region,
			 d->members, d->comm,     d->member, d->metric,   d->parameter,
			 d->window,  d->property, d->context};

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
}
