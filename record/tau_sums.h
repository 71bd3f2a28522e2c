/*
 * tau_sums.h: TAU's questions about the numbers of the running program, answered from the sums of tau.h. Included by TAU.h.
 *
 * Times are microseconds, and the one counter is "TIME". Calls that are open count up to now. A list or an array of values is one block
 * of malloc(), which is the caller's: free(list) frees all of it. Without memory, or without sums, a list is NULL and its number 0.
 * A task is the number of a thread.
 */
#ifndef TAU_SUMS_H
#define TAU_SUMS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TAU_IMPLEMENTATION

TAU_INLINE struct tau_sums Tau_sums_timer(const void *timer, int thread)
{
	struct tau_sums s;

	(void)tau_sums_region((uint32_t)(uintptr_t)timer, thread, &s);
	return s;
}
TAU_INLINE void Tau_get_calls(void *timer, long *calls, int thread)
{
	*calls = (long)Tau_sums_timer(timer, thread).calls;
}
TAU_INLINE void Tau_get_child_calls(void *timer, long *calls, int thread)
{
	*calls = (long)Tau_sums_timer(timer, thread).child_calls;
}
TAU_INLINE void Tau_get_inclusive_values(void *timer, double *values, int thread)
{
	values[0] = (double)Tau_sums_timer(timer, thread).inclusive_ns / 1e3;
}
TAU_INLINE void Tau_get_exclusive_values(void *timer, double *values, int thread)
{
	values[0] = (double)Tau_sums_timer(timer, thread).exclusive_ns / 1e3;
}
/* The list is not the caller's. */
TAU_INLINE void Tau_get_counter_info(const char ***names, int *n)
{
	static const char *counter[] = {"TIME"};

	*names = counter;
	*n = 1;
}

/* Names 1 to n, without empty ones, as one block: pointers, then texts. *used: how many. */
TAU_INLINE const char **Tau_name_list(size_t (*name)(uint32_t, char *, size_t), uint32_t n,
				      int *used)
{
	size_t bytes = n * sizeof(char *);
	const char **list;
	char *text;
	uint32_t i;

	*used = 0;
	for (i = 1; i <= n; i++)
		bytes += name(i, NULL, 0) + 1;
	list = n ? (const char **)malloc(bytes) : NULL;
	if (!list)
		return NULL;
	text = (char *)(list + n);
	for (i = 1; i <= n; i++) {
		size_t room = bytes - (size_t)(text - (char *)list);

		if (!name(i, text, room))
			continue;
		list[(*used)++] = text;
		text += strlen(text) + 1;
	}
	return list;
}
TAU_INLINE void Tau_the_function_list(const char ***list, int *n)
{
	uint32_t count = tau_sums_regions();

	*n = 0;
	*list = (tau_sums_name) ? Tau_name_list((tau_sums_name), count, n) : NULL;
}
TAU_INLINE void Tau_get_event_names(const char ***list, int *n)
{
	uint32_t count = tau_sums_events();

	*n = 0;
	*list = (tau_sums_event_name) ? Tau_name_list((tau_sums_event_name), count, n) : NULL;
}

/* All regions of a name; calls of them inside each other count in both. */
TAU_INLINE struct tau_sums Tau_sums_named(const char *name)
{
	struct tau_sums all = {0, 0, 0, 0, 0}, one;
	size_t length = strlen(name);
	uint32_t n = tau_sums_regions();
	char *text = (char *)malloc(length + 2);
	uint32_t i;

	for (i = 1; text && i <= n; i++)
		if (tau_sums_name(i, text, length + 2) == length && !strcmp(text, name)) {
			(void)tau_sums_of(i, TAU_SUMS_SELF, &one);
			all.calls += one.calls;
			all.child_calls += one.child_calls;
			all.inclusive_ns += one.inclusive_ns;
			all.exclusive_ns += one.exclusive_ns;
		}
	free(text);
	return all;
}
/* Values of n regions as rows of one counter: pointers to rows, then the rows. */
TAU_INLINE double **Tau_value_rows(int n)
{
	double **rows = (double **)malloc((size_t)n * (sizeof(double *) + sizeof(double)));
	int i;

	for (i = 0; rows && i < n; i++)
		rows[i] = (double *)(rows + n) + i;
	return rows;
}
TAU_INLINE void Tau_get_function_values(const char **names, int n, double ***exclusive,
					double ***inclusive, int **calls, int **children,
					const char ***counters, int *counter_n)
{
	int i;

	n = n > 0 ? n : 0;
	*exclusive = Tau_value_rows(n);
	*inclusive = Tau_value_rows(n);
	*calls = (int *)calloc((size_t)n, sizeof(int));
	*children = (int *)calloc((size_t)n, sizeof(int));
	Tau_get_counter_info(counters, counter_n);
	for (i = 0; *exclusive && *inclusive && *calls && *children && i < n; i++) {
		struct tau_sums s = Tau_sums_named(names[i]);

		(*exclusive)[i][0] = (double)s.exclusive_ns / 1e3;
		(*inclusive)[i][0] = (double)s.inclusive_ns / 1e3;
		(*calls)[i] = (int)s.calls;
		(*children)[i] = (int)s.child_calls;
	}
}

TAU_INLINE struct tau_event_sums Tau_event_sums_named(const char *name)
{
	struct tau_event_sums all = {0, 0, 0, 0, 0}, one;
	size_t length = strlen(name);
	uint32_t n = tau_sums_events();
	char *text = (char *)malloc(length + 2);
	uint32_t i;

	for (i = 1; text && i <= n; i++)
		if (tau_sums_event_name(i, text, length + 2) == length && !strcmp(text, name) &&
		    tau_sums_event(i, TAU_SUMS_SELF, &one) && one.n) {
			all.min = all.n && all.min < one.min ? all.min : one.min;
			all.max = all.n && all.max > one.max ? all.max : one.max;
			all.n += one.n;
			all.sum += one.sum;
			all.sum_of_squares += one.sum_of_squares;
		}
	free(text);
	return all;
}
TAU_INLINE void Tau_get_event_vals(const char **names, int n, int **numbers, double **max,
				   double **min, double **mean, double **squares)
{
	int i;

	n = n > 0 ? n : 0;
	*numbers = (int *)calloc((size_t)n, sizeof(int));
	*max = (double *)calloc((size_t)n, sizeof(double));
	*min = (double *)calloc((size_t)n, sizeof(double));
	*mean = (double *)calloc((size_t)n, sizeof(double));
	*squares = (double *)calloc((size_t)n, sizeof(double));
	for (i = 0; *numbers && *max && *min && *mean && *squares && i < n; i++) {
		struct tau_event_sums e = Tau_event_sums_named(names[i]);

		(*numbers)[i] = (int)e.n;
		(*max)[i] = e.max;
		(*min)[i] = e.min;
		(*mean)[i] = e.n ? e.sum / (double)e.n : 0;
		(*squares)[i] = e.sum_of_squares;
	}
}

/* An open region of the calling thread: how many are open with it and outside of it. NULL: there is none. */
TAU_INLINE void *Tau_query_current_event(void)
{
	return (void *)(uintptr_t)tau_open_regions();
}
TAU_INLINE void *Tau_query_parent_event(void *event)
{
	uintptr_t depth = (uintptr_t)event;

	return (void *)(depth ? depth - 1 : 0);
}
/* Valid until the next call in the thread. "" if there is none. */
TAU_INLINE const char *Tau_query_event_name(void *event)
{
	static __thread char text[1024];

	text[0] = 0;
	(void)tau_open_name((size_t)(uintptr_t)event, text, sizeof(text));
	return text;
}
#endif

#ifdef __cplusplus
}
#endif

#define TAU_GET_FUNC_NAMES(list, n) Tau_the_function_list(&(list), &(n))
#define TAU_GET_COUNTER_NAMES(list, n) Tau_get_counter_info(&(list), &(n))
#define TAU_GET_EVENT_NAMES(list, n) Tau_get_event_names(&(list), &(n))
#define TAU_GET_FUNC_VALS(names, n, exclusive, inclusive, calls, children, counters, counter_n) \
	Tau_get_function_values(names, n, &(exclusive), &(inclusive), &(calls), &(children), \
				&(counters), &(counter_n))
#define TAU_GET_EVENT_VALS(names, n, numbers, max, min, mean, squares) \
	Tau_get_event_vals(names, n, &(numbers), &(max), &(min), &(mean), &(squares))
#define TAU_PROFILER_GET_CALLS(timer, calls) Tau_get_calls(timer, calls, TAU_SUMS_SELF)
#define TAU_PROFILER_GET_CHILD_CALLS(timer, calls) Tau_get_child_calls(timer, calls, TAU_SUMS_SELF)
#define TAU_PROFILER_GET_INCLUSIVE_VALUES(timer, values) \
	Tau_get_inclusive_values(timer, (double *)(values), TAU_SUMS_SELF)
#define TAU_PROFILER_GET_EXCLUSIVE_VALUES(timer, values) \
	Tau_get_exclusive_values(timer, (double *)(values), TAU_SUMS_SELF)
#define TAU_PROFILER_GET_COUNTER_INFO(list, n) Tau_get_counter_info((const char ***)(list), n)
#define TAU_PROFILER_GET_CALLS_TASK(timer, calls, task) Tau_get_calls(timer, calls, task)
#define TAU_PROFILER_GET_CHILD_CALLS_TASK(timer, calls, task) \
	Tau_get_child_calls(timer, calls, task)
#define TAU_PROFILER_GET_INCLUSIVE_VALUES_TASK(timer, values, task) \
	Tau_get_inclusive_values(timer, (double *)(values), task)
#define TAU_PROFILER_GET_EXCLUSIVE_VALUES_TASK(timer, values, task) \
	Tau_get_exclusive_values(timer, (double *)(values), task)
#define TAU_PROFILER_GET_COUNTER_INFO_TASK(list, n, task) \
	Tau_get_counter_info((const char ***)(list), n)
#define TAU_PROFILER_SET_CALLS_TASK(timer, calls, task) ((void)(calls))
#define TAU_PROFILER_SET_CHILD_CALLS_TASK(timer, calls, task) ((void)(calls))
#define TAU_PROFILER_SET_INCLUSIVE_VALUES_TASK(timer, values, task) ((void)(values))
#define TAU_PROFILER_SET_EXCLUSIVE_VALUES_TASK(timer, values, task) ((void)(values))
#define TAU_QUERY_DECLARE_EVENT(event) void *event
#define TAU_QUERY_GET_CURRENT_EVENT(event) ((event) = Tau_query_current_event())
#define TAU_QUERY_GET_PARENT_EVENT(event) ((event) = Tau_query_parent_event(event))
#define TAU_QUERY_GET_EVENT_NAME(event, text) ((text) = Tau_query_event_name(event))

#endif
