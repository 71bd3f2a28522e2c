/* watched.c: 600,000 calls of a small function, for counting what they execute. Compiled with hooks. */
__attribute__((noinline)) unsigned tick(unsigned i) { return i * i + 1; }
int main(void) { unsigned s = 0; for (int k = 0; k < 30; k++) { for (int i = 0; i < 20000; i++) s += tick(i); } return s == 7; }
