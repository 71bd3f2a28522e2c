/* definitions.c: collects the global definitions of an archive, in whatever order they come. */
#include "convert/otf2/definitions.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/io/blob.h"
#include "convert/otf2/whole.h"

static OTF2_CallbackCode on_clock(void *to, uint64_t resolution, uint64_t offset, uint64_t length,
				  uint64_t real)
{
	struct archive_raw *d = to;

	d->clock = 1;
	d->resolution = resolution;
	d->offset = offset;
	d->run->length = length;
	d->run->real = real >> 62 ? 0 : (int64_t)real;
	d->run->real_at = offset;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *to, OTF2_StringRef self, const char *text)
{
	struct archive_raw *d = to;
	char *copy = mem_string(text ? text : "");

	trace_text(d->trace, copy, strlen(copy));
	map_set(&d->string_of, self, (uint32_t)d->string_n);
	*array_add(d, string) = copy;
	*array_add(d, length) = (uint32_t)strlen(copy);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *to, OTF2_AttributeRef self, OTF2_StringRef name,
				      OTF2_StringRef description, OTF2_Type type)
{
	struct archive_raw *d = to;

	(void)self, (void)name, (void)description, (void)type;
	d->run->attributed = 1;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *to, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
				 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
	struct archive_raw *d = to;

	map_set(&d->node_of, self, (uint32_t)d->node_n);
	*array_add(d, node) = (struct raw_node){name, class, parent};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *to, OTF2_LocationGroupRef self, OTF2_StringRef name,
				  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
				  OTF2_LocationGroupRef creator)
{
	struct archive_raw *d = to;

	map_set(&d->group_of, self, (uint32_t)d->group_n);
	*array_add(d, group) = (struct raw_group){self, creator, name, node, type, TRACE_NONE};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *to, OTF2_LocationRef self, OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef group)
{
	struct archive_raw *d = to;

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
	struct archive_raw *d = to;

	(void)canonical, (void)flags, (void)end;
	*array_add(d, region) =
		(struct raw_region){self, name, description, file, role, paradigm, begin};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_members(void *to, OTF2_GroupRef self, OTF2_StringRef name,
				    OTF2_GroupType type, OTF2_Paradigm paradigm,
				    OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
	struct archive_raw *d = to;

	(void)name, (void)flags;
	*array_add(d, members) =
		(struct raw_members){self, type, paradigm, mem_copy(members, n, sizeof(*members)),
				     n};
	/*
	 * Some writers give the list of locations and the group of ranks the same number;
	 * references to it are to the group.
	 */
	if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS || map_get(&d->members_of, self) == MAP_NONE)
		map_set(&d->members_of, self, (uint32_t)d->members_n - 1);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_member(void *to, OTF2_MetricMemberRef self, OTF2_StringRef name,
				   OTF2_StringRef description, OTF2_MetricType type,
				   OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
				   int64_t exponent, OTF2_StringRef unit)
{
	struct archive_raw *d = to;

	(void)type;
	map_set(&d->member_of, self, (uint32_t)d->member_n);
	*array_add(d, member) =
		(struct raw_member){name, description, unit, mode, value, base, exponent};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *to, OTF2_MetricRef self, uint8_t n,
				  const OTF2_MetricMemberRef *members,
				  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
	struct archive_raw *d = to;
	struct raw_metric *m = array_add(d, metric);

	(void)recorder;
	m->ref = m->class = self;
	m->n = n;
	m->occurrence = occurrence;
	m->first = d->of_class_n;
	for (uint8_t i = 0; i < n; i++)
		*array_add(d, of_class) = members[i];
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_instance(void *to, OTF2_MetricRef self, OTF2_MetricRef class,
				     OTF2_LocationRef recorder, OTF2_MetricScope scope, uint64_t of)
{
	struct archive_raw *d = to;

	*array_add(d, metric) = (struct raw_metric){
		.ref = self, .class = class, .recorder = recorder, .scope = scope, .of = of};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *to, OTF2_CommRef self, OTF2_StringRef name,
				 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct archive_raw *d = to;

	(void)parent, (void)flags;
	*array_add(d, comm) = (struct raw_comm){self, name, group, OTF2_UNDEFINED_GROUP};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter(void *to, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
				  OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
	struct archive_raw *d = to;

	(void)common, (void)flags;
	*array_add(d, comm) = (struct raw_comm){self, name, a, b};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *to, OTF2_ParameterRef self, OTF2_StringRef name,
				      OTF2_ParameterType type)
{
	struct archive_raw *d = to;

	*array_add(d, parameter) = (struct raw_parameter){self, name, type};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *to, OTF2_RmaWinRef self, OTF2_StringRef name,
				   OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
	struct archive_raw *d = to;

	(void)name, (void)flags;
	*array_add(d, window) = (struct raw_window){self, comm};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_property(void *to, OTF2_LocationGroupRef group, OTF2_StringRef name,
				     OTF2_Type type, OTF2_AttributeValue value)
{
	struct archive_raw *d = to;

	if (type == OTF2_TYPE_STRING)
		*array_add(d, property) = (struct raw_property){group, name, value.stringRef};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_place(void *to, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
				  uint32_t line)
{
	struct archive_raw *d = to;

	(void)file;
	map_set(&d->line_of, self, line);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *to, OTF2_CallingContextRef self, OTF2_RegionRef region,
				    OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
	struct archive_raw *d = to;

	*array_add(d, context) = (struct raw_context){self, parent, region, place};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file(void *to, OTF2_IoFileRef self, OTF2_StringRef name,
				 OTF2_SystemTreeNodeRef scope)
{
	struct archive_raw *d = to;

	(void)scope;
	map_set(&d->file_of, self, name);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm(void *to, OTF2_IoParadigmRef self,
				     OTF2_StringRef identification, OTF2_StringRef name,
				     OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags,
				     uint8_t n,
				     const OTF2_IoParadigmProperty *properties,
				     const OTF2_Type *types, const OTF2_AttributeValue *values)
{
	struct archive_raw *d = to;

	(void)name, (void)class, (void)flags, (void)n, (void)properties, (void)types, (void)values;
	map_set(&d->paradigm_of, self, identification);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle(void *to, OTF2_IoHandleRef self, OTF2_StringRef name,
				   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
				   OTF2_IoHandleFlag flags, OTF2_CommRef comm,
				   OTF2_IoHandleRef parent)
{
	struct archive_raw *d = to;

	(void)flags, (void)comm;
	map_set(&d->handle_of, self, (uint32_t)d->handle_n);
	*array_add(d, handle) = (struct raw_handle){self, name, file, parent, paradigm};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *callbacks_new(void)
{
	OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();

	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_group);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_members);
	OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
	OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
	OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(c, on_instance);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
	OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter);
	OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter);
	OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, on_window);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, on_property);
	OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(c, on_place);
	OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, on_context);
	OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(c, on_file);
	OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(c, on_file);
	OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(c, on_paradigm);
	OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(c, on_handle);
	return c;
}

/* Reads those that are whole. NULL, or what is wrong. */
static const char *read_definitions(struct archive_raw *d, OTF2_Reader *r,
				    const struct whole_file *whole)
{
	OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(r);
	OTF2_GlobalDefReaderCallbacks *c;
	OTF2_ErrorCode code;
	uint64_t got;

	if (!reader)
		return "it cannot be read";
	c = callbacks_new();
	OTF2_Reader_RegisterGlobalDefCallbacks(r, reader, c, d);
	OTF2_GlobalDefReaderCallbacks_Delete(c);
	code = OTF2_Reader_ReadGlobalDefinitions(r, reader, whole->records, &got);
	OTF2_Reader_CloseGlobalDefReader(r, reader);
	return code                                   ? OTF2_Error_GetDescription(code)
	       : got < whole->records || !whole->ends ? "it is cut short"
						      : NULL;
}

/* The texts that definitions refer to are copied for each of them: those together, and what there
 * is. */
struct texts {
	const struct archive_raw *d;
	uint64_t copied, there;
};

static void texts_add(struct texts *t, uint32_t ref)
{
	uint32_t at = map_get(&t->d->string_of, ref);

	t->copied += at == MAP_NONE ? 0 : t->d->length[at];
}

int archive_is_vast(const struct archive_raw *d)
{
	struct texts t = {.d = d};

	for (size_t i = 0; i < d->string_n; i++)
		t.there += d->length[i];
	for (size_t i = 0; i < d->region_n; i++) {
		texts_add(&t, d->region[i].name);
		texts_add(&t, d->region[i].description);
		texts_add(&t, d->region[i].file);
	}
	for (size_t i = 0; i < d->location_n; i++)
		texts_add(&t, d->location[i].name);
	for (size_t i = 0; i < d->group_n; i++) {
		uint32_t node = map_get(&d->node_of, d->group[i].node);

		texts_add(&t, d->group[i].name);
		if (node != MAP_NONE)
			texts_add(&t, d->node[node].name);
	}
	for (size_t i = 0; i < d->comm_n; i++)
		texts_add(&t, d->comm[i].name);
	for (size_t i = 0; i < d->property_n; i++) {
		texts_add(&t, d->property[i].name);
		texts_add(&t, d->property[i].value);
	}
	for (size_t i = 0; i < d->member_n; i++)
		texts_add(&t, d->member[i].name);
	for (size_t i = 0; i < d->parameter_n; i++)
		texts_add(&t, d->parameter[i].name);
	for (size_t i = 0; i < d->handle_n; i++) {
		texts_add(&t, d->handle[i].name);
		texts_add(&t, map_get(&d->file_of, d->handle[i].file));
	}
	return !blob_allows(t.there, t.copied);
}

int archive_collect(struct archive_raw *d, OTF2_Reader *r, struct error *e)
{
	struct archive *run = d->run;
	char *path = archive_path(run, NULL, ".def");
	struct whole_file whole;
	const char *wrong;
	int code = 0;

	if (whole_definitions(path, run->definition_chunk, &whole)) {
		free(path);
		return error_set(e, ERROR_INPUT, "%s: its global definitions (.def) cannot be read",
				 run->anchor);
	}
	wrong = read_definitions(d, r, &whole);
	/* What came before the damage may do, if it holds the locations. */
	if (wrong && !d->location_n)
		code = error_set(e, ERROR_INPUT, "%s: %s", path, wrong);
	else if (wrong)
		trace_note(d->trace, (struct note){.kind = NOTE_DAMAGE},
			   "%s: %s; the rest of it is not included", path, wrong);
	else if (archive_is_vast(d))
		code = error_set(e, ERROR_INPUT,
				 "%s: its definitions refer to the same long texts so often that "
				 "they would need many times the "
				 "memory of the file",
				 path);
	else if (d->location_n != run->locations && run->locations)
		trace_note(d->trace, (struct note){.kind = NOTE_DEFINITIONS},
			   "%s: it should define %llu locations, but defines %zu", path,
			   (unsigned long long)run->locations, d->location_n);
	free(path);
	return code;
}

const char *archive_text(const struct archive_raw *d, uint32_t ref)
{
	uint32_t at = map_get(&d->string_of, ref);

	return at == MAP_NONE ? "" : d->string[at];
}

void archive_raw_release(struct archive_raw *d)
{
	struct map *maps[] = {&d->string_of, &d->node_of,    &d->group_of,
			      &d->member_of, &d->members_of, &d->rank_of,
			      &d->file_of,   &d->handle_of,  &d->line_of,
			      &d->paradigm_of};
	void *lists[] = {d->string,  d->node,     d->group,   d->location, d->region,
			 d->members, d->comm,     d->member,  d->metric,   d->parameter,
			 d->window,  d->property, d->context, d->of_class, d->handle};

	for (size_t i = 0; i < d->string_n; i++)
		free(d->string[i]);
	free(d->length);
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
