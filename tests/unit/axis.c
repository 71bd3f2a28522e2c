/* axis.c: scales of charts, their marks, and labels that would overlap. */
#include "cmd/picture/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static int near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void test_places(void)
{
	struct axis linear = {.low = 10, .high = 20, .from = 100, .to = 200};
	struct axis up = {.low = 1, .high = 16, .from = 500, .to = 100, .logarithmic = true};
	struct axis point = {.low = 8, .high = 8, .from = 100, .to = 200, .logarithmic = true};

	ok(near(axis_place(&linear, 10), 100) && near(axis_place(&linear, 12.5), 125) &&
		   near(axis_place(&linear, 20), 200),
	   "values are placed in proportion");
	ok(near(axis_place(&up, 1), 500) && near(axis_place(&up, 4), 300) &&
		   near(axis_place(&up, 16), 100),
	   "... or by their logarithm, and upwards");
	ok(near(axis_place(&point, 8), 150), "a single value is in the middle");
}

static void test_steps(void)
{
	ok(near(axis_round_step(8), 1) && near(axis_round_step(9), 2) &&
		   near(axis_round_step(17), 5) && near(axis_round_step(41), 10),
	   "at most eight round steps");
	ok(near(axis_size_step(6144), 1024) && near(axis_size_step(6145), 2048) &&
		   near(axis_size_step(0.5), 1.0 / 8),
	   "at most six steps of bytes, each a power of two");
}

static const char *number(const void *of __attribute__((unused)), double value, char to[AXIS_TEXT])
{
	snprintf(to, AXIS_TEXT, "%g", value);
	return to;
}

/* What one kind of marks prints. */
static char *drawn(struct axis *a, const char *kind)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!strcmp(kind, "steps"))
		axis_steps(a, 0.1, number, NULL, f);
	else if (!strcmp(kind, "powers"))
		axis_powers(a, 2, number, NULL, f);
	else if (!strcmp(kind, "times"))
		axis_times(a, f);
	else if (!strcmp(kind, "percents"))
		axis_percents(a, f);
	else
		axis_quarters(a, number, NULL, f);
	fclose(f);
	return text;
}

static void test_marks(void)
{
	struct axis steps = {.low = -0.3, .high = 0.3, .to = 700, .grid = 10, .at = 90};
	struct axis powers = {.low = 1, .high = 256, .to = 700, .logarithmic = true};
	struct axis times = {.low = 1e6, .high = 3e7, .to = 700};
	struct axis percents = {.high = 1, .from = 400, .upright = true, .at = 80};
	char *text = drawn(&steps, "steps");

	ok(count(text, "</text>") == 7 && strstr(text, ">0</text>") && strstr(text, ">0.3</text>"),
	   "both ends have marks, and 0 is 0: %s", text);
	ok(count(text, "V10.0") == 7 && count(text, "#8c8c8c") == 1, "the line of 0 is darker");
	free(text);
	text = drawn(&powers, "powers");
	ok(count(text, "</text>") == 5 && strstr(text, ">64</text>"), "every second power: %s", text);
	free(text);
	text = drawn(&times, "times");
	ok(count(text, "</text>") == 6 && strstr(text, ">5 ms</text>"), "round moments: %s", text);
	free(text);
	text = drawn(&percents, "percents");
	ok(count(text, "</text>") == 5 && strstr(text, ">75 %</text>") && strstr(text, "H74.0"),
	   "quarters, with ticks to the left: %s", text);
	free(text);
}

/* 60 marks on 100 units: their labels have no room. */
static void test_room(void)
{
	struct axis ticks = {.high = 6, .to = 100, .at = 50}, grid = ticks;
	char *text = drawn(&ticks, "steps");
	int n = count(text, "</text>");

	ok(n > 1 && n < 10 && count(text, "<path") == n,
	   "labels that overlap others are not drawn, nor are their ticks: %d", n);
	free(text);
	grid.grid = 10;
	text = drawn(&grid, "steps");
	ok(count(text, "</text>") == n && count(text, "<path") == 61, "but grid lines are");
	free(text);
}

int main(void)
{
	test_places();
	test_steps();
	test_marks();
	test_room();
	return tap_end();
}
