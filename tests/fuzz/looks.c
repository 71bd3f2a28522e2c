/*
 * looks.c: fuzzes what monitors on several hosts send to each other. The first byte is the kind of a frame, the rest its payload:
 * a look is added to another one and printed in each form, and a profile likewise.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/monitor/frame.h"
#include "cmd/shared/host_list.h"
#include "cmd/monitor/look_bytes.h"
#include "cmd/monitor/look_merge.h"
#include "cmd/monitor/look_json.h"
#include "cmd/monitor/look_print.h"
#include "convert/profile_bytes.h"

static void print(struct look *l)
{
	FILE *f = fopen("/dev/null", "w");

	for (int order = 0; order < LOOK_ORDERS; order++)
		look_sort(l, (enum look_order)order);
	look_text(l, "run", 5, 80, f);
	look_csv(l, 1, f);
	look_json(l, "run", f);
	look_openmetrics(l, "run", f);
	fclose(f);
}

static void take_look(const unsigned char *p, size_t n)
{
	struct look a, b, all;
	struct look_nodes nodes = {0};

	if (look_get(p, n, &a))
		return;
	if (!look_get(p, n, &b)) {
		struct look_source from[] = {{.look = &a, .fresh = 1}, {.look = &b, .lost = 1}};

		for (size_t i = 0; i < b.process_n; i++)
			b.process[i].pid++;
		look_merge(&nodes, from, 2, &all);
		print(&all);
		look_release(&all);
		look_release(&b);
	}
	print(&a);
	look_release(&a);
	look_nodes_release(&nodes);
}

static void take_profile(const unsigned char *p, size_t n)
{
	struct profile *from = profile_get(p, n), *into;
	struct look_nodes nodes = {0};

	if (!from)
		return;
	into = profile_new();
	look_merge_profile(&nodes, 0, from, into);
	look_merge_profile(&nodes, 1, from, into);
	profile_sort(into);
	profile_free(into);
	profile_free(from);
	look_nodes_release(&nodes);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct host_start start;
	struct monitor_frame f;

	if (n < 1)
		return 0;
	frame_get(p, n, &f);
	switch (*p) {
	case FRAME_START:
		host_start_get(p + 1, n - 1, &start);
		host_start_release(&start);
		break;
	case FRAME_LOOK:
		take_look(p + 1, n - 1);
		break;
	case FRAME_PROFILE:
		take_profile(p + 1, n - 1);
		break;
	default:
		break;
	}
	return 0;
}
