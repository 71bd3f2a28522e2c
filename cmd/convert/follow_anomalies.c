/* follow_anomalies.c: writes a line for each slow instance, and for each rank that becomes slower than the others. */
#include "cmd/convert/follow_anomalies.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/anomalies/slow_now.h"
#include "analyze/base/quantity.h"
#include "cmd/table/region_name.h"
#include "cmd/shared/message.h"

struct follow_anomalies {
	struct slow_now s;
	FILE *to;
};

struct follow_anomalies *follow_anomalies_new(FILE *to, int64_t least)
{
	struct follow_anomalies *a = mem_alloc(sizeof(*a));

	a->to = to;
	a->s.least = (double)least;
	return a;
}

static void line(const struct follow_anomalies *a, const struct follow_event *ev,
		 const struct slow_now_alarm *alarm)
{
	char *name = region_name_short(alarm->region);
	char own[QUANTITY_TEXT], typical[QUANTITY_TEXT], at[QUANTITY_TEXT];

	quantity_time_text(alarm->own, own);
	quantity_time_text(alarm->typical, typical);
	quantity_in_text((double)(alarm->rank_late ? ev->time : alarm->begin) / 1e9, 6, "s", at);
	if (alarm->rank_late)
		fprintf(a->to,
			"%s: rank %d is slower than the others: %s: median of the last %d "
			"instances %s, over all ranks %s\n",
			at, alarm->node, name, SLOW_NOW_BLOCK, own, typical);
	else
		fprintf(a->to, "%s: %s: %s, usually %s: instance %llu on rank %d, thread %u\n", at,
			name, own, typical, (unsigned long long)alarm->nth, alarm->node,
			ev->thread);
	free(name);
}

void follow_anomalies_receive(void *to, const struct follow_event *ev)
{
	struct follow_anomalies *a = to;
	struct slow_now_alarm alarm[SLOW_NOW_ALARMS];
	int n = 0;

	if (ev->event == EVENT_ENTER)
		slow_now_enter(&a->s, ev->node, ev->thread, ev->name, ev->groups, ev->time,
			       ev->open);
	else if (ev->event == EVENT_LEAVE)
		n = slow_now_leave(&a->s, ev->node, ev->thread, ev->time, alarm);
	for (int i = 0; i < n; i++)
		line(a, ev, &alarm[i]);
}

void follow_anomalies_report(const struct follow_anomalies *a, const char *program)
{
	message_print(program, "%llu instances compared, %llu anomal%s",
		(unsigned long long)a->s.instances, (unsigned long long)a->s.alarms,
		a->s.alarms == 1 ? "y" : "ies");
}

void follow_anomalies_free(struct follow_anomalies *a)
{
	if (!a)
		return;
	slow_now_release(&a->s);
	free(a);
}
