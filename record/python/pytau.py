"""TAU's Python calls for programs written for TAU: timers, phases, events, groups, metadata, requests for profiles, and values so far.

    import pytau
    timer = pytau.profileTimer("solve")
    pytau.start(timer)
    pytau.stop(timer)

Without the recorder all calls do nothing. The module tau has the same for new programs, and tau.run() of TAU.
"""
import ctypes
import sys

import tau

__all__ = ["profileTimer", "phase", "start", "stop", "registerEvent", "event", "metadata", "setNode", "snapshot", "dbDump",
           "dbMergeDump", "dbDumpIncr", "dbPurge", "exit", "getProfileGroup", "enableGroup", "disableGroup", "enableGroupName",
           "disableGroupName", "enableAllGroups", "disableAllGroups", "enableInstrumentation", "disableInstrumentation",
           "getFuncNames", "getFuncVals", "getCounterNames", "dumpFuncNames", "dumpFuncVals", "dumpFuncValsIncr", "trackMemory",
           "trackMemoryHere", "trackMemoryHeadroom", "trackMemoryHeadroomHere", "enableTrackingMemory", "disableTrackingMemory",
           "enableTrackingMemoryHeadroom", "disableTrackingMemoryHeadroom", "setInterruptInterval"]

_TEXT, _GROUP = ctypes.c_char_p, ctypes.c_ulong


def _call(name, result, *types):
    """A function of the recorder that takes texts as str; without the recorder it returns 0."""
    function = tau._function(name, result, *types)

    def call(*values):
        if not function:
            return 0
        return function(*[tau._bytes(v) if t is _TEXT else v for v, t in zip(values, types)])
    return call


_metadata = _call("Tau_metadata", None, _TEXT, _TEXT)
_set_node = _call("Tau_set_node", None, ctypes.c_int)
_snapshot = _call("Tau_profile_snapshot", None, _TEXT)
_snapshot_number = _call("Tau_profile_snapshot_1l", None, _TEXT, ctypes.c_int)
_dump_prefix = _call("Tau_dump_prefix", ctypes.c_int, _TEXT)
_dump_incr = _call("Tau_dump_incr", ctypes.c_int)
_userevent = _call("Tau_get_userevent", ctypes.c_void_p, _TEXT)
_value = _call("Tau_userevent", None, ctypes.c_void_p, ctypes.c_double)

_regions = _call("tau_sums_regions", ctypes.c_uint32)
_name = tau._function("tau_sums_name", ctypes.c_size_t, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t)
_sums = _call("tau_sums_of", ctypes.c_int, ctypes.c_uint32, ctypes.c_int, ctypes.c_void_p)

getProfileGroup = _call("Tau_get_profile_group", _GROUP, _TEXT)
enableGroup = _call("Tau_enable_group", None, _GROUP)
disableGroup = _call("Tau_disable_group", None, _GROUP)
enableGroupName = _call("Tau_enable_group_name", _GROUP, _TEXT)
disableGroupName = _call("Tau_disable_group_name", _GROUP, _TEXT)
enableAllGroups = _call("Tau_enable_all_groups", _GROUP)
disableAllGroups = _call("Tau_disable_all_groups", _GROUP)
enableInstrumentation = _call("Tau_enable_instrumentation", None)
disableInstrumentation = _call("Tau_disable_instrumentation", None)

dumpFuncNames = _call("Tau_dump_function_names", None)
trackMemory = _call("Tau_track_memory", None)
trackMemoryHere = _call("Tau_track_memory_here", None)
trackMemoryHeadroom = _call("Tau_track_memory_headroom", None)
trackMemoryHeadroomHere = _call("Tau_track_memory_headroom_here", None)
enableTrackingMemory = _call("Tau_enable_tracking_memory", None)
disableTrackingMemory = _call("Tau_disable_tracking_memory", None)
enableTrackingMemoryHeadroom = _call("Tau_enable_tracking_memory_headroom", None)
disableTrackingMemoryHeadroom = _call("Tau_disable_tracking_memory_headroom", None)
setInterruptInterval = _call("Tau_set_interrupt_interval", None, ctypes.c_int)


def _timer(name, type, group, caller):
    if not tau._region:
        return 0
    file, line = None, 0
    if name is None:
        code = caller.f_code
        name, file, line = code.co_name, tau._bytes(code.co_filename), code.co_firstlineno
    return tau._region(tau._bytes(name + " " + type if type else name), tau._bytes(group), file, line)


def profileTimer(name=None, type="", group="TAU_PYTHON"):
    """The number of a timer. Without a name: of the function that calls, with its file and line."""
    return _timer(name, type, group, sys._getframe(1))


def phase(name=None, type="", group="TAU_PYTHON"):
    """The number of a phase, a timer of group TAU_PHASE, too."""
    return _timer(name, type, group + "|TAU_PHASE", sys._getframe(1))


@tau._hidden
def start(timer=0):
    """Enters a timer or phase."""
    if tau._region and timer:
        tau._begin(timer)


@tau._hidden
def stop(timer=0):
    """Leaves it."""
    if tau._region and timer:
        tau._leave(timer)


def registerEvent(name):
    """The number of an event."""
    return _userevent(name) or 0


def event(event, value):
    """A sample of an event's value."""
    if event:
        _value(event, value)


def metadata(name, value):
    """Metadata of the process."""
    _metadata(name, value)


def setNode(node):
    """The rank, in a program without MPI."""
    _set_node(node)


def snapshot(name, number=None):
    """One more snapshot of this name in snapshot.N.C.T: NAME, or NAME NUMBER."""
    if number is None:
        _snapshot(name)
    else:
        _snapshot_number(name, number)


def dbDump(prefix="profile"):
    """Requests files PREFIX.N.C.T with the values up to now."""
    _dump_prefix(prefix)


dbMergeDump = dbDump


def dbDumpIncr(prefix="profile"):
    """Requests a file with the date in its name."""
    _dump_incr()


def dbPurge():
    """Does nothing: a trace keeps what was recorded."""


def exit(message=""):
    """Does nothing: the trace is complete when the process ends."""


class _Sums(ctypes.Structure):
    """struct tau_sums of tau.h."""
    _fields_ = [(name, ctypes.c_uint64) for name in ("calls", "child_calls", "inclusive_ns", "exclusive_ns", "open")]


def _region_name(number):
    size = _name(number, None, 0) + 1
    text = ctypes.create_string_buffer(size)
    _name(number, text, size)
    return text.value.decode("utf-8", "replace")


def _all_names():
    return [_region_name(n) for n in range(1, _regions() + 1)]


def getFuncNames():
    """Names of all regions so far, with tau-record --sums; otherwise none."""
    return tuple(dict.fromkeys(name for name in _all_names() if name))


def getCounterNames():
    """The counters of getFuncVals(): time in microseconds."""
    return ("TIME",)


def getFuncVals(names):
    """Exclusive values, inclusive values (both with one value for each counter), calls and calls from them of these regions, in the
    calling thread and up to now; and the names of the counters."""
    all, one = {name: [0, 0, 0, 0] for name in names}, _Sums()
    for number, name in enumerate(_all_names(), 1):
        if name in all:
            _sums(number, -1, ctypes.byref(one))    # TAU_SUMS_SELF
            values = one.exclusive_ns, one.inclusive_ns, one.calls, one.child_calls
            all[name] = [a + b for a, b in zip(all[name], values)]
    rows = [all[name] for name in names]
    return (tuple((r[0] / 1e3,) for r in rows), tuple((r[1] / 1e3,) for r in rows), tuple(r[2] for r in rows),
            tuple(r[3] for r in rows), getCounterNames())


def _dump(function, names):
    texts = [tau._bytes(name) for name in names]
    function((ctypes.c_char_p * len(texts))(*texts), len(texts))


_dump_values = _call("Tau_dump_function_values", None, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int)
_dump_values_incr = _call("Tau_dump_function_values_incr", None, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int)


def dumpFuncVals(names):
    """Writes files with the values of these regions so far."""
    _dump(_dump_values, names)


def dumpFuncValsIncr(names):
    """The same with the date in the name of the files."""
    _dump(_dump_values_incr, names)
