/* tau_names.c: which names TAU's files would take for call paths and contexts. */
#include "convert/tau/tau_names.h"

#include <string.h>

#include "analyze/profile/context.h"

static const char arrow[] = " => ", colon[] = " : ";

/* How a timer's name would be misread in a file. */
enum {
	IN_PATH = 1,	/* it is part of a call path */
	HAS_CONTEXT = 2 /* its " : " would be taken for the end of the counter's name */
};

static void mark_paths(const struct profile *p, unsigned char *mark)
{
	for (size_t i = 0; i < p->path_n; i++)
		if (p->path[i].parent != PROFILE_FLAT) {
			mark[p->path[i].timer] |= IN_PATH;
			mark[p->path[p->path[i].parent].timer] |= IN_PATH;
		}
}

/*
 * A timer of no group is read as a call path if its name looks like one, a timer of a group if the
 * group marks it as one.
 */
static int has_arrow(const struct profile_timer *t, int in_path)
{
	return (in_path || !*t->groups) && strstr(t->name, arrow);
}

static int any_named(const struct profile *p)
{
	for (size_t i = 0; i < p->timer_n; i++)
		if (strstr(p->timer[i].name, colon))
			return 1;
	for (size_t i = 0; i < p->counter_n; i++)
		if (strstr(p->counter[i].name, colon))
			return 1;
	return 0;
}

/* Length of a name without the blanks at its end, which readers drop. */
static size_t trimmed(const char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == ' ')
		n--;
	return n;
}

/*
 * Marks the timers of contexts that a reader would split at a " : " inside the context. The texts
 * of the other contexts are kept in `texts`, because a counter of the same name is distinguished
 * from them only if it follows (tau_profile.h).
 */
static void mark_contexts(const struct profile *p, const struct profile_thread *t,
			  unsigned char *mark, struct names *texts)
{
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		char *text;

		if (s->path == PROFILE_FLAT)
			continue;
		text = profile_sample_text(p, s);
		if (context_base(p, &p->counter_names, text) ==
		    trimmed(p->counter[s->counter].name))
			names_add(texts, text, strlen(text));
		else
			for (uint32_t k = s->path; k != PROFILE_FLAT; k = p->path[k].parent)
				mark[p->path[k].timer] |= HAS_CONTEXT;
		free(text);
	}
}

/* Counters that are none of these texts in this thread, but read as a counter in its context. */
static void mark_counters(const struct profile *p, const struct profile_thread *t,
			  const struct names *texts, unsigned char *mark)
{
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		const char *name = p->counter[s->counter].name;

		if (s->path == PROFILE_FLAT && !mark[s->counter] && strstr(name, colon) &&
		    names_find(texts, name, strlen(name)) < 0)
			mark[s->counter] = context_base(p, &p->counter_names, name) != 0;
	}
}

/* Each of these signs within a name becomes '-'. */
static void hide(char *name, const char *sign)
{
	for (char *s = strstr(name, sign); s; s = strstr(s + 1, sign))
		s[1] = '-';
}

/* Its name in files; NULL: its own. */
static char *timer_name(const struct profile_timer *t, unsigned mark)
{
	char *name = mem_string(t->name);
	size_t n = strlen(name);

	if (has_arrow(t, mark & IN_PATH))
		hide(name, arrow);
	/* It would be found with the blank before the next arrow. */
	if (mark & IN_PATH && n >= 3 && !strcmp(name + n - 3, " =>"))
		name[n - 2] = '-';
	if (mark & HAS_CONTEXT)
		hide(name, colon);
	if (strcmp(name, t->name))
		return name;
	free(name);
	return NULL;
}

static char *counter_name(const struct profile_counter *c, int marked)
{
	char *name = marked ? mem_string(c->name) : NULL;

	if (name)
		hide(name, colon);
	return name;
}

/* What gets another name: the names by timer and by counter, NULL where it keeps its own. */
struct renamed {
	char **timer, **counter;
	size_t n;
};

static void rename_all(const struct profile *p, struct renamed *r)
{
	unsigned char *mark = mem_alloc(p->timer_n + 1), *counter = mem_alloc(p->counter_n + 1);
	int named = any_named(p);

	r->timer = mem_alloc((p->timer_n + 1) * sizeof(*r->timer));
	r->counter = mem_alloc((p->counter_n + 1) * sizeof(*r->counter));
	mark_paths(p, mark);
	for (size_t i = 0; i < p->thread_n && named; i++) {
		struct names texts = {0};

		mark_contexts(p, &p->thread[i], mark, &texts);
		mark_counters(p, &p->thread[i], &texts, counter);
		names_release(&texts);
	}
	for (size_t i = 0; i < p->timer_n; i++) {
		r->timer[i] = timer_name(&p->timer[i], mark[i]);
		r->n += r->timer[i] != NULL;
	}
	for (size_t i = 0; i < p->counter_n; i++) {
		r->counter[i] = counter_name(&p->counter[i], counter[i]);
		r->n += r->counter[i] != NULL;
	}
	free(mark);
	free(counter);
}

const struct profile *tau_names_apply(struct tau_names *n, const struct profile *p)
{
	struct renamed r = {0};

	*n = (struct tau_names){.p = *p};
	rename_all(p, &r);
	if (r.n) {
		n->p.timer = mem_copy(p->timer, p->timer_n, sizeof(*p->timer));
		n->p.counter = mem_copy(p->counter, p->counter_n, sizeof(*p->counter));
	}
	for (size_t i = 0; i < p->timer_n; i++)
		if (r.timer[i])
			*array_add(n, made) = n->p.timer[i].name = r.timer[i];
	for (size_t i = 0; i < p->counter_n; i++)
		if (r.counter[i])
			*array_add(n, made) = n->p.counter[i].name = r.counter[i];
	free(r.timer);
	free(r.counter);
	return r.n ? &n->p : p;
}

void tau_names_release(struct tau_names *n)
{
	if (n->made_n) {
		free(n->p.timer);
		free(n->p.counter);
	}
	for (size_t i = 0; i < n->made_n; i++)
		free(n->made[i]);
	free(n->made);
}

size_t tau_names_count(const struct profile *p)
{
	struct tau_names n;
	size_t count;

	tau_names_apply(&n, p);
	count = n.made_n;
	tau_names_release(&n);
	return count;
}
