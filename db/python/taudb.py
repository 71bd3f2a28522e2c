"""Databases of trials (TauDB) as columns: dictionaries of lists, ready for pandas.DataFrame().

    import taudb
    with taudb.connect("tau.db") as db:
        trial = db.trial("heat")                  # by name or number
        values = trial.timer_values(metric="TIME")
        frame = pandas.DataFrame(values)

Units, names and meanings are those of taudb(3): times are microseconds, missing is None (NaN for numbers with fractions). The
library libtaudb.so.1 is found next to the module, by the loader, or by the variable TAUDB_LIBRARY. Errors are taudb.Error.
"""
import ctypes
import os

INTEGER, NUMBER, TEXT, REFERENCE = "integer", "number", "text", "reference"
UNKNOWN = -2 ** 63

# Fields of the structures of taudb.h, in order; each has eight bytes.
_TRIAL = (("id", INTEGER), ("name", TEXT), ("data_source", REFERENCE), ("node_count", INTEGER),
          ("contexts_per_node", INTEGER), ("threads_per_context", INTEGER), ("total_threads", INTEGER))
_TRIAL_COUNTS = 9
_METRIC = (("id", INTEGER), ("name", TEXT), ("derived", INTEGER))
_TIME_RANGE = (("id", INTEGER), ("name", TEXT), ("time_start", NUMBER), ("time_end", NUMBER),
               ("iteration_start", INTEGER), ("iteration_end", INTEGER))
_THREAD = (("id", INTEGER), ("node_rank", INTEGER), ("context_rank", INTEGER), ("thread_rank", INTEGER),
           ("index", INTEGER))
_TIMER = (("id", INTEGER), ("name", TEXT), ("short_name", TEXT), ("groups", TEXT), ("source_file", TEXT),
          ("line_number", INTEGER), ("line_number_end", INTEGER), ("column_number", INTEGER),
          ("column_number_end", INTEGER))
_CALLPATH = (("id", INTEGER), ("timer", REFERENCE), ("parent", REFERENCE))
_COUNTER = (("id", INTEGER), ("name", TEXT))
_PRIMARY = (("name", TEXT), ("value", TEXT))
_SECONDARY = (("id", INTEGER), ("thread", REFERENCE), ("time_range", REFERENCE), ("name", TEXT), ("value", TEXT))
_TIMER_VALUE = (("timer_callpath", REFERENCE), ("thread", REFERENCE), ("time_range", REFERENCE),
                ("metric", REFERENCE), ("calls", NUMBER), ("subroutines", NUMBER), ("inclusive", NUMBER),
                ("exclusive", NUMBER), ("inclusive_percentage", NUMBER), ("exclusive_percentage", NUMBER),
                ("sum_exclusive_squared", NUMBER))
_COUNTER_VALUE = (("counter", REFERENCE), ("thread", REFERENCE), ("time_range", REFERENCE),
                  ("context", REFERENCE), ("sample_count", NUMBER), ("maximum_value", NUMBER),
                  ("minimum_value", NUMBER), ("mean_value", NUMBER), ("standard_deviation", NUMBER))
# The lists of a trial, in the order of the structure: name, fields, function.
_LISTS = (("metrics", _METRIC, "taudb_query_metrics"), ("time_ranges", _TIME_RANGE, "taudb_query_time_ranges"),
          ("threads", _THREAD, "taudb_query_threads"),
          ("derived_threads", _THREAD, "taudb_query_derived_threads"), ("timers", _TIMER, "taudb_query_timers"),
          ("timer_callpaths", _CALLPATH, "taudb_query_timer_callpaths"),
          ("counters", _COUNTER, "taudb_query_counters"),
          ("primary_metadata", _PRIMARY, "taudb_query_primary_metadata"),
          ("secondary_metadata", _SECONDARY, "taudb_query_secondary_metadata"))


class Error(Exception):
    """One sentence; code is that of taudb(3)."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def _load():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "libtaudb.so.1")
    name = os.environ.get("TAUDB_LIBRARY") or (beside if os.path.exists(beside) else "libtaudb.so.1")
    library = ctypes.CDLL(name)
    pointer, count = ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
    for function in [row[2] for row in _LISTS]:
        getattr(library, function).restype = pointer
        getattr(library, function).argtypes = [pointer, pointer]
    for function, result, arguments in (
            ("taudb_connect_file", pointer, [ctypes.c_char_p]), ("taudb_check_connection", ctypes.c_int, [pointer]),
            ("taudb_disconnect", None, [pointer]), ("taudb_error", ctypes.c_char_p, [pointer]),
            ("taudb_error_code", ctypes.c_int, [pointer]), ("taudb_query_trials", pointer, [pointer, pointer, count]),
            ("taudb_delete_trials", None, [pointer, ctypes.c_size_t]),
            ("taudb_query_timer_values", pointer, [pointer] * 6 + [count]),
            ("taudb_query_timer_stats", pointer, [pointer] * 5 + [count]),
            ("taudb_delete_timer_values", None, [pointer, ctypes.c_size_t]),
            ("taudb_query_counter_values", pointer, [pointer] * 5 + [count]),
            ("taudb_query_counter_stats", pointer, [pointer] * 4 + [count]),
            ("taudb_delete_counter_values", None, [pointer, ctypes.c_size_t])):
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


def _words(address, count, fields, size=None):
    """The array at address as one flat view of integers; a column is every size-th of them."""
    size = size or len(fields)
    if not count:
        return memoryview(b"").cast("B").cast("q"), size
    return memoryview((ctypes.c_char * (count * size * 8)).from_address(address)).cast("B").cast("q"), size


def _texts(addresses):
    known = {0: None}
    for address in set(addresses) - {0}:
        known[address] = ctypes.string_at(address).decode("utf-8", "replace")
    return [known[address] for address in addresses]


def _columns(address, count, fields, size=None):
    """Columns by name; references stay addresses."""
    words, size = _words(address, count, fields, size)
    numbers = words.cast("B").cast("d")
    out = {}
    for at, (name, kind) in enumerate(fields):
        column = (numbers if kind == NUMBER else words)[at::size].tolist()
        if kind == INTEGER:
            column = [None if v == UNKNOWN else v for v in column]
        out[name] = _texts(column) if kind == TEXT else column
    return out


class Database:
    """A connection; close() it, or use it in a with statement."""

    def __init__(self, file):
        self._library = _load()
        self._handle = self._library.taudb_connect_file(os.fsencode(file))
        self._trials = self._count = None
        if self._library.taudb_check_connection(self._handle):
            error = self._error()
            self.close()
            raise error
        count = ctypes.c_size_t()
        self._trials = self._check(self._library.taudb_query_trials(self._handle, None, count))
        self._count = count.value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._handle:
            if self._trials:
                self._library.taudb_delete_trials(self._trials, self._count)
            self._library.taudb_disconnect(self._handle)
        self._handle = self._trials = None

    def _error(self):
        return Error(self._library.taudb_error(self._handle).decode("utf-8", "replace"),
                     self._library.taudb_error_code(self._handle))

    def _check(self, address):
        if not address:
            raise self._error()
        return address

    def trials(self):
        """Columns id, name, node_count, contexts_per_node, threads_per_context, total_threads."""
        if not self._handle:
            raise Error("the database is closed", -2)
        out = _columns(self._trials, self._count, _TRIAL, _Trial_words)
        del out["data_source"]
        return out

    def trial(self, key):
        """The trial with this number or name."""
        trials = self.trials()
        found = [i for i, v in enumerate(trials["name" if isinstance(key, str) else "id"]) if v == key]
        if len(found) != 1:
            raise Error("there is no trial %r" % (key,) if not found else "%d trials are named %r" % (len(found), key), -2)
        return Trial(self, self._trials + found[0] * _Trial_words * 8, trials["id"][found[0]], trials["name"][found[0]])


_Trial_words = len(_TRIAL) + _TRIAL_COUNTS + len(_LISTS)


class Trial:
    """A trial of an open database. Each method returns columns."""

    def __init__(self, db, address, number, name):
        self._db, self._address, self.id, self.name = db, address, number, name

    def _list(self, name):
        """Address, count and fields of a list."""
        if not self._db._handle:
            raise Error("the database is closed", -2)
        at = [row[0] for row in _LISTS].index(name)
        address = self._db._check(getattr(self._db._library, _LISTS[at][2])(self._db._handle, self._address))
        count = ctypes.c_int64.from_address(self._address + (len(_TRIAL) + at) * 8).value
        return address, count, _LISTS[at][1]

    def _plain(self, name):
        return _columns(*self._list(name))

    def _pick(self, name, addresses, column):
        """The column of the elements of a list that references point to."""
        address, count, fields = self._list(name)
        values = _columns(address, count, fields)[column] if isinstance(column, str) else column
        size = len(fields) * 8
        return [values[(v - address) // size] if v else None for v in addresses]

    def metrics(self):
        return self._plain("metrics")

    def time_ranges(self):
        return self._plain("time_ranges")

    def threads(self):
        return self._plain("threads")

    def derived_threads(self):
        return self._plain("derived_threads")

    def timers(self):
        return self._plain("timers")

    def counters(self):
        return self._plain("counters")

    def metadata(self):
        """Metadata of the trial: name, value."""
        return self._plain("primary_metadata")

    def callpaths(self):
        """Columns id, timer (its name), parent (an id) and callpath, "main => foo"."""
        address, count, fields = self._list("timer_callpaths")
        columns = _columns(address, count, fields)
        timers = self._pick("timers", columns["timer"], "name")
        parents = [(v - address) // 24 if v else None for v in columns["parent"]]
        paths = [None] * count
        for i in range(count):
            chain = []
            while i is not None and paths[i] is None:
                chain.append(i)
                i = parents[i]
            for j in reversed(chain):
                paths[j] = timers[j] if parents[j] is None else paths[parents[j]] + " => " + timers[j]
        ids = columns["id"]
        return {"id": ids, "timer": timers, "parent": [None if v is None else ids[v] for v in parents], "callpath": paths}

    def thread_metadata(self):
        """Metadata of threads: node_rank, context_rank, thread_rank, time_range (an id), name, value."""
        columns = self._plain("secondary_metadata")
        out = self._place(columns["thread"], "threads")
        out["time_range"] = self._pick("time_ranges", columns["time_range"], "id")
        out.update(name=columns["name"], value=columns["value"])
        return out

    def _place(self, addresses, threads):
        return {name: self._pick(threads, addresses, name) for name in ("node_rank", "context_rank", "thread_rank")}

    def _find(self, name, key, column):
        """The address of the element of a list with this value in the column; None: key is None."""
        if key is None:
            return None
        address, count, fields = self._list(name)
        values = _columns(address, count, fields)[column]
        if key not in values:
            raise Error("%s: no %s %r" % (self.name, name, key), -2)
        return address + values.index(key) * len(fields) * 8

    def _values(self, function, delete, fields, arguments):
        count = ctypes.c_size_t()
        library = self._db._library
        address = self._db._check(getattr(library, function)(self._db._handle, self._address, *arguments, count))
        try:
            return _columns(address, count.value, fields)
        finally:
            getattr(library, delete)(address, count.value)

    def timer_values(self, metric=None, time_range=None, derived=False):
        """
        Rows by thread, call path and metric: node_rank, context_rank, thread_rank, timer, parent (the call path above; None: the
        timer over all callers), metric, calls, subroutines, inclusive, exclusive ... metric is a name, time_range an id (None: the
        first). derived: those of the threads that summarise the others.
        """
        where = [self._find("metrics", metric, "name"), self._find("time_ranges", time_range, "id")]
        columns = self._values("taudb_query_timer_stats" if derived else "taudb_query_timer_values",
                               "taudb_delete_timer_values", _TIMER_VALUE,
                               [None] + where if derived else [None, None] + where)
        out = self._place(columns["thread"], "derived_threads" if derived else "threads")
        paths = self.callpaths()
        text = dict(zip(paths["id"], paths["callpath"]))
        above = [text.get(v) for v in paths["parent"]]
        out["timer"] = self._pick("timer_callpaths", columns["timer_callpath"], paths["timer"])
        out["parent"] = self._pick("timer_callpaths", columns["timer_callpath"], above)
        out["metric"] = self._pick("metrics", columns["metric"], "name")
        out.update((name, columns[name]) for name, kind in _TIMER_VALUE if kind == NUMBER)
        return out

    def counter_values(self, counter=None, time_range=None, derived=False):
        """Rows by counter and thread: counter, context (a call path; None: all), node_rank ... standard_deviation."""
        where = [self._find("counters", counter, "name")] + ([] if derived else [None])
        columns = self._values("taudb_query_counter_stats" if derived else "taudb_query_counter_values",
                               "taudb_delete_counter_values", _COUNTER_VALUE,
                               where + [self._find("time_ranges", time_range, "id")])
        out = self._place(columns["thread"], "derived_threads" if derived else "threads")
        out["counter"] = self._pick("counters", columns["counter"], "name")
        out["context"] = self._pick("timer_callpaths", columns["context"], self.callpaths()["callpath"])
        out.update((name, columns[name]) for name, kind in _COUNTER_VALUE if kind == NUMBER)
        return out


def connect(file):
    """Opens a database for reading."""
    return Database(file)
