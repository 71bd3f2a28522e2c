/* report_runs.c: adds runs to those of a report, whole or window by window, with what was noted. */
#include "cmd/report/report_runs.h"

#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/profile_series.h"
#include "record/metadata.h"

static int runs_has_meta(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->thread_n; i++)
		if (profile_meta(p, i, name))
			return 1;
	return profile_meta(p, UINT32_MAX, name) != NULL;
}

/* Trials and profiles have pauses in their metadata; of a trace they are noted when it is read. */
void runs_note_pauses(struct report_runs *r, const char *name)
{
	*array_add(r, note) = (struct note){
		.kind = NOTE_PAUSED,
		.run = mem_string(name),
		.text = mem_printf("recording was off at times (metadata TAU Recording Paused): "
				   "the region MEASUREMENT OFF has that time")};
}

int runs_has_note(const struct load_report *said, enum note_kind kind)
{
	for (size_t i = 0; i < said->note_n; i++)
		if (said->note[i].kind == kind)
			return 1;
	return 0;
}

/* said: what was noted when it was read. */
void runs_add(struct report_runs *r, char *name, char *title, struct profile *p,
	      const struct load_report *said)
{
	struct report_run *run = array_add(r, run);

	run->name = name;
	run->title = title;
	run->profile = p;
	run->operand = SIZE_MAX;
	if (runs_has_meta(p, TAU_META_RECORDING_PAUSED) && !runs_has_note(said, NOTE_PAUSED))
		runs_note_pauses(r, name);
}

/* The runs that were added last are those of this operand. */
void runs_number(struct report_runs *r, size_t operand)
{
	for (size_t i = r->run_n; i-- && r->run[i].operand == SIZE_MAX;)
		r->run[i].operand = operand;
}

int runs_without_recorder(const struct report_options *o)
{
	const struct filter *only = o->load ? o->load->only : NULL;
	int chosen = only && (only->region.v_n || only->group.v_n);

	return !chosen && (!o->word || strncmp(o->word, TAU_REGION_OWN, strlen(TAU_REGION_OWN)));
}

int runs_are_live(const struct report_options *o)
{
	return !o->whole && !o->kind->at_end && (!o->view || !strcmp(o->view, "live"));
}

struct timeline *runs_series_begin(struct report_runs *r, const struct report_options *o,
				   char *name, char *title)
{
	r->series = mem_alloc(sizeof(*r->series));
	timeline_begin(r->series, o->samples ? TIMER_SAMPLE : TIMER_MEASURED);
	*array_add(r, run) = (struct report_run){.name = name, .title = title};
	return r->series;
}

int runs_series_look(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct report_runs *r = to;

	(void)at;
	(void)n;
	(void)e;
	timeline_look(r->series, p);
	return 0;
}

int runs_series_receive(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct report_runs *r = to;

	(void)at;
	(void)n;
	(void)e;
	timeline_add(r->series, p);
	r->run[0].paused |= runs_has_meta(p, TAU_META_RECORDING_PAUSED);
	profile_free(p);
	return 0;
}

void report_run_release(struct report_run *run)
{
	free(run->name);
	free(run->title);
	profile_free(run->profile);
}

