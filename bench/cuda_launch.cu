/*
 * cuda_launch.cu N: the time that the program spends in N launches of an empty kernel, in ns per launch: the median of batches of
 * 500. Waits between batches are not included, so the stream is never full.
 */
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#define BATCH 500

__global__ void empty(void) {}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 25000;
	std::vector<double> times;
	cudaStream_t stream;

	if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
		return 1;
	for (int i = -10; i < n / BATCH; i++) {
		double begin = now();

		for (int k = 0; k < BATCH; k++)
			empty<<<1, 1, 0, stream>>>();
		if (i >= 0)
			times.push_back((now() - begin) / BATCH);
		if (cudaStreamSynchronize(stream))
			return 1;
	}
	std::sort(times.begin(), times.end());
	printf("%.0f\n", times[times.size() / 2]);
	return 0;
}
