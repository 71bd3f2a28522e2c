/* otf2_record.c: the table of records, and the function that reads any of them. */
#include "otf2_record.h"

const struct otf2_record otf2_event_record[256] = {
	[OTF2_FLUSH] = {"BUFFER_FLUSH", "T", "stop"},
	[OTF2_ON_OFF] = {"MEASUREMENT_ON_OFF", "b", "mode"},
	[OTF2_ENTER] = {"ENTER", "r", "region"},
	[OTF2_LEAVE] = {"LEAVE", "r", "region"},
	[OTF2_SEND] = {"MPI_SEND", "ucuU", "receiver comm tag bytes"},
	[OTF2_ISEND] = {"MPI_ISEND", "ucuUU", "receiver comm tag bytes request"},
	[OTF2_ISEND_COMPLETE] = {"MPI_ISEND_COMPLETE", "U", "request"},
	[OTF2_IRECV_REQUEST] = {"MPI_IRECV_REQUEST", "U", "request"},
	[OTF2_RECV] = {"MPI_RECV", "ucuU", "sender comm tag bytes"},
	[OTF2_IRECV] = {"MPI_IRECV", "ucuUU", "sender comm tag bytes request"},
	[20] = {"MPI_REQUEST_TEST", "U", "request"},
	[21] = {"MPI_REQUEST_CANCELLED", "U", "request"},
	[OTF2_COLL_BEGIN] = {"MPI_COLLECTIVE_BEGIN", "", ""},
	[OTF2_COLL_END] = {"MPI_COLLECTIVE_END", "bcuUU", "operation comm root sent received"},
	[24] = {"OMP_FORK", "u", "threads"},
	[25] = {"OMP_JOIN", "", ""},
	[26] = {"OMP_ACQUIRE_LOCK", "uu", "lock order"},
	[27] = {"OMP_RELEASE_LOCK", "uu", "lock order"},
	[28] = {"OMP_TASK_CREATE", "U", "task"},
	[OTF2_OMP_TASK_SWITCH] = {"OMP_TASK_SWITCH", "U", "task"},
	[30] = {"OMP_TASK_COMPLETE", "U", "task"},
	[OTF2_METRIC] = {"METRIC", "mM", "metric values"},
	[OTF2_TEXT_PARAMETER] = {"PARAMETER_STRING", "ps", "parameter text"},
	[OTF2_INT_PARAMETER] = {"PARAMETER_INT", "pi", "parameter value"},
	[OTF2_UINT_PARAMETER] = {"PARAMETER_UNSIGNED_INT", "pU", "parameter value"},
	[35] = {"RMA_WIN_CREATE", "w", "window"},
	[36] = {"RMA_WIN_DESTROY", "w", "window"},
	[37] = {"RMA_COLLECTIVE_BEGIN", "", ""},
	[OTF2_RMA_COLL_END] = {"RMA_COLLECTIVE_END", "buwuUU",
			       "operation level window root sent received"},
	[39] = {"RMA_GROUP_SYNC", "uwg", "level window group"},
	[40] = {"RMA_REQUEST_LOCK", "wuUb", "window remote lock type"},
	[41] = {"RMA_ACQUIRE_LOCK", "wuUb", "window remote lock type"},
	[42] = {"RMA_TRY_LOCK", "wuUb", "window remote lock type"},
	[43] = {"RMA_RELEASE_LOCK", "wuU", "window remote lock"},
	[44] = {"RMA_SYNC", "wub", "window remote type"},
	[45] = {"RMA_WAIT_CHANGE", "w", "window"},
	[OTF2_RMA_PUT] = {"RMA_PUT", "wuUU", "window remote bytes id"},
	[OTF2_RMA_GET] = {"RMA_GET", "wuUU", "window remote bytes id"},
	[OTF2_RMA_ATOMIC] = {"RMA_ATOMIC", "wubUUU", "window remote type sent received id"},
	[49] = {"RMA_OP_COMPLETE_BLOCKING", "wU", "window id"},
	[50] = {"RMA_OP_COMPLETE_NON_BLOCKING", "wU", "window id"},
	[51] = {"RMA_OP_TEST", "wU", "window id"},
	[52] = {"RMA_OP_COMPLETE_REMOTE", "wU", "window id"},
	[53] = {"THREAD_FORK", "bu", "model threads"},
	[54] = {"THREAD_JOIN", "b", "model"},
	[55] = {"THREAD_TEAM_BEGIN", "c", "team"},
	[56] = {"THREAD_TEAM_END", "c", "team"},
	[57] = {"THREAD_ACQUIRE_LOCK", "buu", "model lock order"},
	[58] = {"THREAD_RELEASE_LOCK", "buu", "model lock order"},
	[59] = {"THREAD_TASK_CREATE", "cuu", "team creator generation"},
	[OTF2_TASK_SWITCH] = {"THREAD_TASK_SWITCH", "cuu", "team creator generation"},
	[61] = {"THREAD_TASK_COMPLETE", "cuu", "team creator generation"},
	[62] = {"THREAD_CREATE", "cU", "contingent sequence"},
	[63] = {"THREAD_BEGIN", "cU", "contingent sequence"},
	[64] = {"THREAD_WAIT", "cU", "contingent sequence"},
	[65] = {"THREAD_END", "cU", "contingent sequence"},
	[OTF2_CONTEXT_ENTER] = {"CALLING_CONTEXT_ENTER", "xu", "context distance"},
	[OTF2_CONTEXT_LEAVE] = {"CALLING_CONTEXT_LEAVE", "x", "context"},
	[OTF2_CONTEXT_SAMPLE] = {"CALLING_CONTEXT_SAMPLE", "xuq", "context distance generator"},
	[69] = {"IO_CREATE_HANDLE", "hbuu", "handle mode creation status"},
	[70] = {"IO_DESTROY_HANDLE", "h", "handle"},
	[71] = {"IO_DUPLICATE_HANDLE", "hhu", "old new status"},
	[72] = {"IO_SEEK", "hibU", "handle offset whence result"},
	[73] = {"IO_CHANGE_STATUS_FLAGS", "hu", "handle status"},
	[74] = {"IO_DELETE_FILE", "Of", "paradigm file"},
	[OTF2_IO_BEGIN] = {"IO_OPERATION_BEGIN", "hbuUU", "handle mode flags bytes id"},
	[76] = {"IO_OPERATION_TEST", "hU", "handle id"},
	[77] = {"IO_OPERATION_ISSUED", "hU", "handle id"},
	[OTF2_IO_COMPLETE] = {"IO_OPERATION_COMPLETE", "hUU", "handle bytes id"},
	[OTF2_IO_CANCELLED] = {"IO_OPERATION_CANCELLED", "hU", "handle id"},
	[80] = {"IO_ACQUIRE_LOCK", "hb", "handle type"},
	[81] = {"IO_RELEASE_LOCK", "hb", "handle type"},
	[82] = {"IO_TRY_LOCK", "hb", "handle type"},
	[83] = {"PROGRAM_BEGIN", "sS", "name arguments"},
	[84] = {"PROGRAM_END", "i", "status"},
	[85] = {"NON_BLOCKING_COLLECTIVE_REQUEST", "U", "request"},
	[OTF2_ICOLL_COMPLETE] = {"NON_BLOCKING_COLLECTIVE_COMPLETE", "bcuUUU",
				 "operation comm root sent received request"},
	[87] = {"COMM_CREATE", "c", "comm"},
	[88] = {"COMM_DESTROY", "c", "comm"},
};

const struct otf2_record otf2_global_record[256] = {
	[OTF2_DEF_CLOCK] = {"CLOCK_PROPERTIES", "UUUU", "resolution offset length realtime"},
	[6] = {"PARADIGM", "bsb", "paradigm name class"},
	[7] = {"PARADIGM_PROPERTY", "bbV", "paradigm property value"},
	[8] = {"IO_PARADIGM", "Ossbu", "self identification name class flags"},
	[OTF2_DEF_STRING] = {"STRING", "uZ", "self text"},
	[11] = {"ATTRIBUTE", "usbs", "self name type description"},
	[OTF2_DEF_NODE] = {"SYSTEM_TREE_NODE", "ussn", "self name class parent"},
	[OTF2_DEF_PROCESS] = {"LOCATION_GROUP", "usbnu", "self name type node creator"},
	[OTF2_DEF_LOCATION] = {"LOCATION", "UsbUu", "self name type events group"},
	[OTF2_DEF_REGION] = {"REGION", "ussbsuusbbu",
			     "self name description type file begin end canonical role paradigm "
			     "flags"},
	[16] = {"CALLSITE", "usuuu", "self file line entered left"},
	[17] = {"CALLPATH", "uuu", "self parent region"},
	[OTF2_DEF_GROUP] = {"GROUP", "usbNbbu", "self name old-type members type paradigm flags"},
	[OTF2_DEF_MEMBER] = {"METRIC_MEMBER", "ussbbbbis",
			     "self name description type mode value base exponent unit"},
	[OTF2_DEF_CLASS] = {"METRIC_CLASS", "uEbb", "self members occurrence recorder"},
	[OTF2_DEF_INSTANCE] = {"METRIC_INSTANCE", "uuUbU", "self class recorder scope of"},
	[OTF2_DEF_COMM] = {"COMM", "usuuu", "self name group parent flags"},
	[OTF2_DEF_PARAMETER] = {"PARAMETER", "usb", "self name type"},
	[OTF2_DEF_WINDOW] = {"RMA_WIN", "usuu", "self name comm flags"},
	[25] = {"METRIC_CLASS_RECORDER", "uU", "metric recorder"},
	[26] = {"SYSTEM_TREE_NODE_PROPERTY", "nssV", "node name old-value value"},
	[27] = {"SYSTEM_TREE_NODE_DOMAIN", "nb", "node domain"},
	[OTF2_DEF_PROPERTY] = {"LOCATION_GROUP_PROPERTY", "ussV", "group name old-value value"},
	[29] = {"LOCATION_PROPERTY", "UssV", "location name old-value value"},
	[30] = {"CART_DIMENSION", "usub", "self name size periodic"},
	[31] = {"CART_TOPOLOGY", "usuE", "self name comm dimensions"},
	[32] = {"CART_COORDINATE", "uuE", "topology rank coordinates"},
	[OTF2_DEF_PLACE] = {"SOURCE_CODE_LOCATION", "usu", "self file line"},
	[OTF2_DEF_CONTEXT] = {"CALLING_CONTEXT", "uuuu", "self region place parent"},
	[35] = {"CALLING_CONTEXT_PROPERTY", "usV", "context name value"},
	[36] = {"INTERRUPT_GENERATOR", "usbbiU", "self name mode base exponent period"},
	[37] = {"IO_FILE_PROPERTY", "usV", "file name value"},
	[OTF2_DEF_FILE] = {"IO_REGULAR_FILE", "usn", "self name scope"},
	[OTF2_DEF_FOLDER] = {"IO_DIRECTORY", "usn", "self name scope"},
	[OTF2_DEF_HANDLE] = {"IO_HANDLE", "usuOuuu", "self name file paradigm flags comm parent"},
	[41] = {"IO_PRE_CREATED_HANDLE_STATE", "ubu", "handle mode status"},
	[42] = {"CALLPATH_PARAMETER", "uuV", "callpath parameter value"},
	[OTF2_DEF_INTER] = {"INTER_COMM", "usuuuu", "self name group-a group-b common flags"},
};

const struct otf2_record otf2_local_record[256] = {
	[OTF2_LOCAL_MAP] = {"MAPPING_TABLE", "bI", "of ids"},
	[OTF2_LOCAL_OFFSET] = {"CLOCK_OFFSET", "TiD", "time offset deviation"},
};

/* 1 + which table replaces a reference, by letter; 0: none. */
static const unsigned char table_of[128] = {
	['s'] = 1 + OTF2_OF_STRING,    ['a'] = 1 + OTF2_OF_ATTRIBUTE, ['l'] = 1 + OTF2_OF_LOCATION,
	['r'] = 1 + OTF2_OF_REGION,    ['g'] = 1 + OTF2_OF_GROUP,     ['m'] = 1 + OTF2_OF_METRIC,
	['c'] = 1 + OTF2_OF_COMM,      ['p'] = 1 + OTF2_OF_PARAMETER, ['w'] = 1 + OTF2_OF_WINDOW,
	['o'] = 1 + OTF2_OF_PLACE,     ['x'] = 1 + OTF2_OF_CONTEXT,   ['q'] = 1 + OTF2_OF_INTERRUPT,
	['f'] = 1 + OTF2_OF_FILE,      ['h'] = 1 + OTF2_OF_HANDLE,    ['G'] = 1 + OTF2_OF_PROCESS,
};

uint64_t otf2_value(struct otf2_bytes *b, unsigned type)
{
	switch (type) {
	case 1:
	case 5:
		return otf2_number(b, 1);
	case 2:
	case 6:
		return otf2_number(b, 2);
	case 9:
		return otf2_number(b, 4);
	case OTF2_DOUBLE:
		return otf2_number(b, 8);
	case OTF2_UINT64:
	case OTF2_INT64:
	case 13:
		return otf2_compressed(b, 8);
	default:
		return otf2_compressed(b, 4);
	}
}

/* One field that is no reference; a list ends up in out->list. */
static uint64_t field(struct otf2_bytes *b, char letter, struct otf2_fields *out)
{
	uint64_t n;

	switch (letter) {
	case 'b':
	case 'O':
		return otf2_number(b, 1);
	case 'U':
	case 'i':
		return otf2_compressed(b, 8);
	case 'D':
	case 'T':
		return otf2_number(b, 8);
	case 'Z':
		out->text = otf2_string(b);
		return 0;
	case 'V':
		n = otf2_number(b, 1);
		out->list = *b;
		otf2_value(b, (unsigned)n);
		return n;
	case 'M':
		n = otf2_number(b, 1);
		out->list = *b;
		for (uint64_t i = 0; i < n && !b->bad; i++) {
			otf2_number(b, 1);
			otf2_compressed(b, 8);
		}
		return n;
	case 'E':
		n = otf2_number(b, 1);
		out->list = *b;
		for (uint64_t i = 0; i < n && !b->bad; i++)
			otf2_compressed(b, 4);
		return n;
	case 'S':
	case 'N':
		n = otf2_compressed(b, 4);
		out->list = *b;
		for (uint64_t i = 0; i < n && !b->bad; i++)
			otf2_compressed(b, letter == 'S' ? 4 : 8);
		return n;
	case 'I':
		n = otf2_compressed(b, 8);
		out->list = *b;
		return n;
	default:
		return otf2_compressed(b, 4);
	}
}

int otf2_fields(struct otf2_bytes *b, const char *letters, const struct otf2_ids *tables,
		struct otf2_fields *out)
{
	out->text = "";
	out->list = (struct otf2_bytes){.p = b->p, .end = b->p, .big = b->big};
	for (out->n = 0; letters[out->n] && otf2_left(b); out->n++) {
		char letter = letters[out->n];
		unsigned table = table_of[(unsigned char)letter];
		uint64_t v;

		if (!table)
			v = field(b, letter, out);
		else
			v = otf2_compressed(b, letter == 'l' ? 8 : 4);
		out->v[out->n] = table && tables ? otf2_global(&tables[table - 1], v) : v;
	}
	for (unsigned i = out->n; i < OTF2_FIELDS; i++)
		out->v[i] = 0;
	return b->bad ? -1 : 0;
}
