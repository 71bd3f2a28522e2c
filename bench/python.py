"""python.py: calls of a Python function that does little: CPU time, "plain" or under cProfile."""
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def main(how, n):
    run = fib
    if how == "cProfile":
        import cProfile
        run = lambda n: cProfile.Profile().runcall(fib, n)
    begin = time.process_time()
    run(n)
    print(time.process_time() - begin)


main(sys.argv[1], int(sys.argv[2]))
