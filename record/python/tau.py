"""Regions, phases, events and metadata of a program that tau-record records. Without the recorder all calls do nothing.

    import tau

    @tau.region                      # each call, by name, file and line
    def solve(n): ...

    with tau.region("exchange"):     # a part of a function
        ...
    for i in range(10):
        with tau.phase("step", i):   # step[0], step[1] ... of group TAU_PHASE
            ...
    tau.event("residual", 0.5)       # a sample of a value
    tau.metadata("input", "a.dat")   # of the process

A region belongs to the thread that enters it. Of generators and coroutines the decorator records the call that makes them. The
module calls the functions of tau.h that the recorder brings into the process; nothing is linked.
"""
import ctypes
import functools

__all__ = ["region", "phase", "event", "metadata", "recorded", "run", "runctx", "runmodule", "runmoduledir", "exitAllThreads",
           "Profile"]

_process = ctypes.PyDLL(None)


def _function(name, result, *arguments):
    """A function of the recorder; None without it."""
    try:
        function = getattr(_process, name)
    except AttributeError:
        return None
    function.restype = result
    function.argtypes = arguments
    return function


_active = _function("tau_active", ctypes.c_int)
_region = _function("tau_region", ctypes.c_uint32, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32)
_begin = _function("tau_begin", None, ctypes.c_uint32)
_leave = _function("tau_leave", None, ctypes.c_uint32)
_event = _function("Tau_trigger_userevent", None, ctypes.c_char_p, ctypes.c_double)
_metadata = _function("Tau_metadata", None, ctypes.c_char_p, ctypes.c_char_p)


def _hidden(function):
    """--wrap python leaves out functions of this file name: they return between a region's begin and end."""
    function.__code__ = function.__code__.replace(co_filename="<tau>")
    return function


def _bytes(text):
    return str(text).encode("utf-8", "replace")


class _Region:
    """What a with statement enters and leaves; also a decorator."""
    __slots__ = ("_definition", "_id")

    def __init__(self, name, group, file=None, line=0):
        self._definition = (_bytes(name), _bytes(group), file and _bytes(file), line)
        self._id = 0

    @_hidden
    def __enter__(self):
        if _region:
            if not self._id:
                self._id = _region(*self._definition)
            _begin(self._id)
        return self

    @_hidden
    def __exit__(self, kind, value, trace):
        if _region:
            _leave(self._id)
        return False

    def __call__(self, function):
        return _decorated(self, function)


def _decorated(what, function):
    if not _region:
        return function

    @functools.wraps(function)
    @_hidden
    def inside(*arguments, **named):
        with what:
            return function(*arguments, **named)
    return inside


def region(name, group="TAU_USER"):
    """A region for "with" and as a decorator; of a function: the function as a region of its name."""
    if isinstance(name, str):
        return _Region(name, group)
    code = getattr(name, "__code__", None)
    title = getattr(name, "__qualname__", repr(name))
    return _decorated(_Region(title, group, code and code.co_filename, code.co_firstlineno if code else 0), name)


def phase(name, number=None):
    """A region of group TAU_PHASE, for "with" and as a decorator: NAME, or NAME[NUMBER]."""
    return _Region(name if number is None else "%s[%s]" % (name, number), "TAU_USER|TAU_PHASE")


def event(name, value):
    """A sample of a value."""
    if _event:
        _event(_bytes(name), value)


def metadata(name, value):
    """Metadata of the process. The last value of a name holds."""
    if _metadata:
        _metadata(_bytes(name), _bytes(value))


def recorded():
    """Is this process being recorded?"""
    return bool(_active and _active())


# ---- for programs written for TAU ----

def _statement_name(statement):
    """The first line of a text; the file of compiled code, whose text has an address."""
    text = statement if isinstance(statement, str) else str(getattr(statement, "co_filename", "exec"))
    first, more, _ = text.strip().partition("\n")
    return first + " ..." if more else first


class Profile:
    """TAU's class: runs statements, functions and modules. Functions are recorded by --wrap python at any time; no file is written."""

    def enable(self, subcalls=True, builtins=True):
        """Does nothing."""

    def disable(self):
        """Does nothing."""

    def print_stats(self, sort=-1):
        """Does nothing: tau-report prints the run."""

    def dump_stats(self, file):
        """Does nothing: the run has all calls."""

    def run(self, statement):
        """Executes the statement in the main program, as a region of its first line."""
        import __main__
        return self.runctx(statement, __main__.__dict__, __main__.__dict__)

    def runctx(self, statement, globals, locals):
        """The same with the caller's names."""
        with region(_statement_name(statement), "TAU_PYTHON"):
            exec(statement, globals, locals)
        return self

    def runcall(self, function, *arguments, **named):
        """The result of a function."""
        return function(*arguments, **named)

    def runmodule(self, name, newname="__main__"):
        """Executes a module as the main program."""
        import runpy
        runpy.run_module(name, run_name=newname, alter_sys=True)
        return self

    runmoduledir = runmodule


def _without_exit(function, *arguments):
    """As TAU does, goes on after sys.exit() of what it runs."""
    try:
        function(*arguments)
    except SystemExit:
        pass


def run(statement, filename=None, sort=-1):
    """Profile.run()."""
    _without_exit(Profile().run, statement)


def runctx(statement, globals, locals, filename=None):
    """Profile.runctx()."""
    _without_exit(Profile().runctx, statement, globals, locals)


def runmodule(modname, filename=None):
    """Profile.runmodule()."""
    _without_exit(Profile().runmodule, modname)


runmoduledir = runmodule


def exitAllThreads():
    """Does nothing: what threads have recorded is complete at any time."""
