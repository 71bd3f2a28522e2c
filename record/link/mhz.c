/* mhz.c: TauGetMHzRatings(): the rate of the processor's clock, which programs of TAU get without a header. */
#include <stdio.h>

double TauGetMHzRatings(void);
/* Also under its name in C++: TAU's examples declare it there without extern "C". */
double mhz_cxx(void) __asm__("_Z16TauGetMHzRatingsv");

/* The rate of the first processor in MHz, as Linux shows it at this moment; 0: it is unknown. */
double TauGetMHzRatings(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[4096];
	double mhz = 0;

	while (f && mhz <= 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu MHz : %lf", &mhz) != 1 &&
		    sscanf(line, "timebase : %lf", &mhz) == 1)
			mhz /= 1e6;
	if (f)
		fclose(f);
	return mhz;
}

double mhz_cxx(void)
{
	return TauGetMHzRatings();
}
