/*
 * otf2.c: otf2 write DIR EVENTS writes an archive: two locations with call trees of about 100 functions whose gaps vary; otf2 read
 * DIR reads it with callbacks for enter and leave that do nothing but count, location after location. That is what reading can
 * cost at the least.
 */
#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 100
#define LOCATIONS 2

static OTF2_FlushType on_flush(void *to, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)to, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = on_flush };

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t write_location(OTF2_Archive *a, uint64_t location, uint64_t n, uint64_t *end)
{
	OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, location);
	uint64_t seed = 88172645463325252u + location, time = 1000, written = 0;
	uint32_t stack[64], depth = 0;

	while (written < n) {
		uint64_t r = next_random(&seed);

		time += r % 400 + 1;
		if (depth == 0 || (depth < 60 && r >> 40 & 1)) {
			stack[depth] = (uint32_t)(r >> 20) % FUNCTIONS;
			OTF2_EvtWriter_Enter(w, NULL, time, stack[depth++]);
		} else {
			OTF2_EvtWriter_Leave(w, NULL, time, stack[--depth]);
		}
		written++;
	}
	for (; depth; written++)
		OTF2_EvtWriter_Leave(w, NULL, ++time, stack[--depth]);
	OTF2_Archive_CloseEvtWriter(a, w);
	*end = time > *end ? time : *end;
	return written;
}

static int write_archive(const char *dir, uint64_t n)
{
	OTF2_Archive *a = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 22, OTF2_SUBSTRATE_POSIX,
					    OTF2_COMPRESSION_NONE);
	uint64_t events[LOCATIONS], end = 0;
	OTF2_GlobalDefWriter *d;
	char name[32];

	if (!a)
		return 1;
	OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	OTF2_Archive_OpenEvtFiles(a);
	for (uint64_t i = 0; i < LOCATIONS; i++)
		events[i] = write_location(a, i, n / LOCATIONS, &end);
	OTF2_Archive_CloseEvtFiles(a);
	OTF2_Archive_OpenDefFiles(a);
	for (uint64_t i = 0; i < LOCATIONS; i++)
		OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i));
	OTF2_Archive_CloseDefFiles(a);
	d = OTF2_Archive_GetGlobalDefWriter(a);
	OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 0, end, OTF2_UNDEFINED_TIMESTAMP);
	OTF2_GlobalDefWriter_WriteString(d, 0, "");
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "function %u", i);
		OTF2_GlobalDefWriter_WriteString(d, i + 1, name);
		OTF2_GlobalDefWriter_WriteRegion(d, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
						 OTF2_REGION_FLAG_NONE, 0, 0, 0);
	}
	OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint64_t i = 0; i < LOCATIONS; i++) {
		OTF2_GlobalDefWriter_WriteLocationGroup(d, (uint32_t)i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
							OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(d, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], (uint32_t)i);
	}
	OTF2_Archive_CloseGlobalDefWriter(a, d);
	OTF2_Archive_Close(a);
	printf("%llu\n", (unsigned long long)(events[0] + events[1]));
	return 0;
}

static OTF2_CallbackCode on_region(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *to,
				   OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)location, (void)time, (void)position, (void)attributes, (void)region;
	++*(uint64_t *)to;
	return OTF2_CALLBACK_SUCCESS;
}

static int read_archive(const char *dir)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
	uint64_t count = 0, n;
	char path[4096];
	OTF2_Reader *r;

	snprintf(path, sizeof(path), "%s/traces.otf2", dir);
	r = OTF2_Reader_Open(path);
	if (!r)
		return 1;
	OTF2_Reader_SetSerialCollectiveCallbacks(r);
	OTF2_Reader_ReadAllGlobalDefinitions(r, OTF2_Reader_GetGlobalDefReader(r), &n);
	for (uint64_t i = 0; i < LOCATIONS; i++)
		OTF2_Reader_SelectLocation(r, i);
	OTF2_Reader_OpenEvtFiles(r);
	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_region);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_region);
	for (uint64_t i = 0; i < LOCATIONS; i++) {
		OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, i);

		OTF2_Reader_RegisterEvtCallbacks(r, e, c, &count);
		OTF2_Reader_ReadAllLocalEvents(r, e, &n);
		OTF2_Reader_CloseEvtReader(r, e);
	}
	OTF2_Reader_Close(r);
	printf("%llu\n", (unsigned long long)count);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "write"))
		return write_archive(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "read"))
		return read_archive(argv[2]);
	return 2;
}
