"""Small random concurrent programs: as C, one statement a line, and as a Machine that knows what they can do.

Two or three threads share variables, an array, a pointer, a number for atomic operations and two locks. There are branches, switches,
loops whose trips depend on what is shared, bounded waiting for a plain flag, calls with results, calls through pointers, pointers
to what is shared, local arrays, divisions, locks (nested in both orders, chosen by data, tried), and blocks that are meant to be atomic.

Every access of the source is one operation at the same line, in the order in which clang evaluates it without optimisation.
"""

import random

from random_executions import Machine, Operation

VARIABLES = ("a", "b", "c")
CELLS = {"a": 0, "b": 1, "c": 2, "t": 3, "q": 5, "x": 6}  # t has two
LOCKS = 2
FLAVOURS = (  # how often there are simple statements, locks, branches, loops, blocks
    (10, 4, 4, 2, 1),
    (6, 12, 2, 1, 0),
    (10, 2, 2, 1, 8),
)


def constant(number):
    return ~number


class Code:
    """One thread, as it is written."""

    def __init__(self, thread):
        self.thread, self.operations, self.registers = thread, [], 0
        self.locals, self.blocks = [], 0
        self.array = None  # the first of two registers

    def register(self, count=1):
        self.registers += count
        return self.registers - count

    def emit(self, kind, line, *arguments, atomic=False):
        self.operations.append(Operation(kind, line, arguments, atomic))
        return self.operations[-1]

    def make(self, kind, line, *arguments, atomic=False):
        """The same, with a result."""
        to = self.register()
        self.emit(kind, line, to, *arguments, atomic=atomic)
        return to

    def here(self):
        return len(self.operations)


class Program:
    def __init__(self, number, seed, lines):
        self.random, self.number, self.lines = random.Random(seed), number, lines
        p = self.prefix = f"p{number}_"
        self.weights = self.random.choice(FLAVOURS)
        line = self.line
        line(f"int {', '.join(p + v for v in VARIABLES)}, {p}t[2], {p}x;")
        line(f"int* {p}q = &{p}a;")
        line(f"pthread_mutex_t {p}m[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};")
        kept = "static __attribute__((noinline))"
        self.at = {}  # lines of the functions' accesses
        line(f"{kept} int {p}next(int n) {{ return n + 1; }}")
        line(f"{kept} void {p}set(int n) {{")
        self.at["set"] = line(f"  {p}b = n;")
        line("}")
        line(f"{kept} void {p}put(int* to, int n) {{")
        self.at["put"] = line("  *to = n;")
        line("}")
        line(f"{kept} int {p}either(int n) {{")
        line("  if (n == 1) {")
        self.at["one"] = line(f"    return {p}b;")
        line("  }")
        self.at["other"] = line(f"  return {p}next({p}c);")
        line("}")
        line(f"{kept} int {p}raise(int* what, int by) {{")
        self.at["raise"] = line("  *what += by;")
        self.at["raised"] = line("  return *what;")
        line("}")
        line(f"{kept} int {p}down(int n) {{")
        line("  if (n < 1) {")
        self.at["down"] = line(f"    return {p}a;")
        line("  }")
        line(f"  return {p}down(n - 1) + 1;")
        line("}")
        line(f"static int (*const {p}calls[2])(int) = {{{p}next, {p}either}};")
        threads = 2 if self.random.randrange(4) else 3
        self.codes = [self.thread(thread, 4 if threads == 2 else 2) for thread in range(threads)]
        cells = [0] * 7
        cells[CELLS["q"]] = CELLS["a"]
        self.machine = Machine([c.operations for c in self.codes], [c.registers for c in self.codes], cells, LOCKS)
        self.planned = self.machine.schedule(self.random)
        self._states = self._races = None

    def line(self, text):
        self.lines.append(text)
        return len(self.lines)

    def states(self):
        """All states of all executions; None if they are too many to be known."""
        if self._states is None:
            self._states = self.machine.states() or ()
        return self._states or None

    def races(self):
        """(pairs of lines, cells) of accesses that some execution has side by side; None if not all executions are known."""
        if self.states() is None:
            return None
        if self._races is None:
            self._races = set(), set()
            for state in self.states():
                accesses = self.machine.accesses(state)
                for i, (_, first, of, writes) in enumerate(accesses):
                    for _, second, other, also_writes in accesses[:i]:
                        if of == other and (writes or also_writes) and not (first.atomic and second.atomic):
                            self._races[0].add(tuple(sorted((first.line, second.line))))
                            self._races[1].add(of)
        return self._races

    def write_run(self):
        """What runs the program, once its schedule is known; without one, threads go as they like."""
        p = self.prefix
        order = ", ".join(map(str, [*(self.planned[0] if self.planned else []), -1]))
        self.line(f"static const int {p}order[] = {{{order}}};")
        cells = ", ".join(f"&{p}{v}" for v in (*VARIABLES, "t[0]", "t[1]", "q", "x", "m[0]", "m[1]"))
        names = ", ".join(f"{p}thread{thread}" for thread in range(len(self.codes)))
        self.line(f"static void {p}run(void) {{")
        self.line(f"  void* const cells[] = {{{cells}}};")
        self.line(f"  void* (*const threads[])(void*) = {{{names}}};")
        self.line(f"  run_all(cells, {p}order, threads, {len(self.codes)});")
        self.line("}")

    def thread(self, number, most):
        r = self.random
        code = Code(number)
        self.line(f"static void* {self.prefix}thread{number}(void* unused) {{")
        if r.randrange(4) == 0:
            code.array = code.register(2)
            self.line("  int w[2] = {0, 0};")
            for which in range(2):
                code.emit("set", 0, code.array + which, constant(0))
        for _ in range(r.randint(most - 2, most) or 1):
            self.statement(code, 0, ())
        self.turn(code, "-1")
        self.line("  return unused;")
        self.line("}")
        return code

    def turn(self, code, which):
        self.line(f"  (void)turn({which});")
        if which != "-1":
            code.emit("turn", 0)

    # --- values: (C text, what computes it at a line that is not known yet) ---

    def cell(self, v):
        return constant(CELLS[v])

    def variable(self, code):
        v = self.random.choice(VARIABLES)
        return f"{self.prefix}{v}", lambda line: code.make("load", line, self.cell(v))

    def value(self, code, depth=0):
        p, r = self.prefix, self.random
        choice = r.randrange(17 if depth < 2 else 7)
        if choice == 0:
            number = r.randrange(3)
            return str(number), lambda line: constant(number)
        if choice == 1 and code.locals:
            name, register = r.choice(code.locals)
            return name, lambda line: code.make("set", line, register)
        if choice == 2:
            return f"*{p}q", lambda line: code.make("load", line, code.make("load", line, self.cell("q")))
        if choice == 3:
            return f"__atomic_load_n(&{p}x, __ATOMIC_SEQ_CST)", lambda line: code.make(
                "load", line, self.cell("x"), atomic=True
            )
        if choice <= 6:
            return self.variable(code)
        text, compute = self.value(code, depth + 1)
        if choice == 7:
            return f"{p}t[{text} & 1]", lambda line: code.make("load", line, self.element(code, line, compute))
        if choice == 8 and code.array is not None:
            return f"w[{text} & 1]", lambda line: code.make("pick", line, code.array, self.bit(code, line, compute))
        if choice == 9:
            return f"{p}next({text})", lambda line: self.called_next(code, line, compute(line))
        if choice == 10:
            return f"{p}either({text})", lambda line: self.called_either(code, compute(line))
        if choice == 11:
            other, compute_other = self.value(code, depth + 1)
            return f"({text} + {other})", lambda line: self.two(code, line, "+", compute, compute_other)
        if choice == 12:
            other, compute_other = self.value(code, depth + 1)
            return f"({text} / (({other} & 1) + 1))", lambda line: self.divided(code, line, compute, compute_other)
        if choice == 13:
            other, compute_other = self.value(code, depth + 1)
            condition, test = self.condition(code, depth + 1)
            return f"({condition} ? {text} : {other})", lambda line: self.chosen(code, line, test, compute, compute_other)
        if choice == 14:
            v, compute_v = self.variable(code)
            return f"{p}calls[{v} & 1]({text})", lambda line: self.called_either_way(code, line, compute_v, compute)
        if choice == 15:
            return f"{p}down({text} & 1)", lambda line: self.called_down(code, line, compute)
        if choice == 16:
            kind, name = r.choice((("add", "fetch_add"), ("swap", "exchange_n")))
            return f"__atomic_{name}(&{p}x, {text}, __ATOMIC_SEQ_CST)", lambda line: self.atomically(
                code, line, kind, compute
            )
        return f"({text} + 1)", lambda line: code.make("calculate", line, "+", compute(line), constant(1))

    @staticmethod
    def atomically(code, line, kind, compute):
        value = compute(line)
        to = code.register()
        code.emit(kind, line, to, constant(CELLS["x"]), value, atomic=True)
        return to

    @staticmethod
    def bit(code, line, compute):
        return code.make("calculate", line, "&", compute(line), constant(1))

    def element(self, code, line, compute):
        return code.make("calculate", line, "+", self.bit(code, line, compute), self.cell("t"))

    @staticmethod
    def two(code, line, name, first, second):
        a = first(line)
        return code.make("calculate", line, name, a, second(line))

    def divided(self, code, line, first, second):
        a, b = first(line), self.bit(code, line, second)
        return code.make("calculate", line, "/", a, code.make("calculate", line, "+", b, constant(1)))

    @staticmethod
    def called_next(code, line, value):
        code.emit("call", line)
        result = code.make("calculate", line, "+", value, constant(1))
        code.emit("call", line)
        return result

    def called_either(self, code, value):
        result, at = code.register(), self.at
        code.emit("call", 0)
        skip = code.emit("unless", 0, code.make("calculate", 0, "==", value, constant(1)), None)
        code.emit("set", 0, result, code.make("load", at["one"], self.cell("b")))
        end = code.emit("jump", 0, None)
        skip.arguments[1] = code.here()
        code.emit("set", 0, result, self.called_next(code, 0, code.make("load", at["other"], self.cell("c"))))
        end.arguments[0] = code.here()
        code.emit("call", 0)
        return result

    def called_either_way(self, code, line, index, argument):
        result = code.register()
        which = self.bit(code, line, index)
        value = argument(line)
        skip = code.emit("unless", line, which, None)
        code.emit("set", line, result, self.called_either(code, value))
        end = code.emit("jump", line, None)
        skip.arguments[1] = code.here()
        code.emit("set", line, result, self.called_next(code, line, value))
        end.arguments[0] = code.here()
        return result

    def called_down(self, code, line, compute):
        """It calls itself at most once."""
        result, depth = code.register(), self.bit(code, line, compute)
        code.emit("call", line)
        skip = code.emit("unless", line, depth, None)
        code.emit("call", line)
        code.emit("calculate", line, result, "+", code.make("load", self.at["down"], self.cell("a")), constant(1))
        code.emit("call", line)
        end = code.emit("jump", line, None)
        skip.arguments[1] = code.here()
        code.emit("set", line, result, code.make("load", self.at["down"], self.cell("a")))
        end.arguments[0] = code.here()
        code.emit("call", line)
        return result

    @staticmethod
    def chosen(code, line, test, first, second):
        result = code.register()
        skip = code.emit("unless", line, test(line), None)
        code.emit("set", line, result, first(line))
        end = code.emit("jump", line, None)
        skip.arguments[1] = code.here()
        code.emit("set", line, result, second(line))
        end.arguments[0] = code.here()
        return result

    def condition(self, code, depth=0):
        r = self.random
        text, compute = self.value(code, max(depth, 1))
        name, number = r.choice(("==", "!=", "<")), r.randrange(3)
        if r.randrange(4) == 0:
            other, compute_other = self.value(code, 2)
            return f"{text} {name} {other}", lambda line: self.two(code, line, name, compute, compute_other)
        one = f"{text} {name} {number}", lambda line: code.make("calculate", line, name, compute(line), constant(number))
        if depth or r.randrange(4):
            return one
        word, other = r.choice(("&&", "||")), self.condition(code, 1)
        return f"{one[0]} {word} {other[0]}", lambda line: self.short_circuit(code, line, word, one[1], other[1])

    @staticmethod
    def short_circuit(code, line, word, first, second):
        result = code.register()
        code.emit("calculate", line, result, "!=", first(line), constant(0))
        if word == "&&":
            skip = code.emit("unless", line, result, None)
        else:
            skip = code.emit("unless", line, code.make("calculate", line, "==", result, constant(0)), None)
        code.emit("calculate", line, result, "!=", second(line), constant(0))
        skip.arguments[1] = code.here()
        return result

    # --- statements ---

    def statement(self, code, depth, held):
        self.turn(code, code.thread)
        kind = self.random.choices(("simple", "section", "branch", "loop", "block"), self.weights)[0]
        if kind == "section" and (len(held) == LOCKS or depth > 2):
            kind = "simple"
        if kind in ("branch", "loop") and depth > 1:
            kind = "simple"
        if kind == "block" and depth > 0:
            kind = "simple"
        return getattr(self, kind)(code, depth, held)

    def body(self, code, depth, held, most):
        for _ in range(self.random.randint(1, most)):
            self.statement(code, depth + 1, held)

    def simple(self, code, depth, _):
        p, r = self.prefix, self.random
        choice = r.randrange(12)
        text, compute = self.value(code)
        v = r.choice(VARIABLES)
        if choice == 0 and depth == 0:
            name, register = f"l{len(code.locals)}", code.register()
            line = self.line(f"  int {name} = {text};")
            code.emit("set", line, register, compute(line))
            return code.locals.append((name, register))
        if choice == 1 and code.locals:
            name, register = r.choice(code.locals)
            line = self.line(f"  {name} += {text};")
            return code.emit("calculate", line, register, "+", compute(line), register)
        # What is stored is computed first, then where it goes.
        if choice == 2:
            index, compute_index = self.value(code, 1)
            line = self.line(f"  {p}t[{index} & 1] = {text};")
            value = compute(line)
            return code.emit("store", line, self.element(code, line, compute_index), value)
        if choice == 3:
            line = self.line(f"  *{p}q = {text};")
            value = compute(line)
            return code.emit("store", line, code.make("load", line, self.cell("q")), value)
        if choice == 4:
            if r.randrange(2):
                line = self.line(f"  {p}q = &{p}{v};")
                return code.emit("store", line, self.cell("q"), self.cell(v))
            line = self.line(f"  {p}q = &{p}t[{text} & 1];")
            return code.emit("store", line, self.cell("q"), self.element(code, line, compute))
        if choice == 5:
            line = self.line(f"  {p}{v} += {text};")
            added = compute(line)
            old = code.make("load", line, self.cell(v))
            return code.emit("store", line, self.cell(v), code.make("calculate", line, "+", old, added))
        if choice == 6:
            return self.call(code, text, compute)
        if choice == 7 and code.array is not None:
            index, compute_index = self.value(code, 1)
            line = self.line(f"  w[{index} & 1] = {text};")
            value = compute(line)
            return code.emit("place", line, code.array, self.bit(code, line, compute_index), value)
        if choice == 8:
            line = self.line(f"  __atomic_store_n(&{p}x, {text}, __ATOMIC_SEQ_CST);")
            return code.emit("store", line, self.cell("x"), compute(line), atomic=True)
        line = self.line(f"  {p}{v} = {text};")
        return code.emit("store", line, self.cell(v), compute(line))

    def call(self, code, text, compute):
        p, r = self.prefix, self.random
        if r.randrange(3) == 0:
            line = self.line(f"  {p}set({text});")
            value = compute(line)
            code.emit("call", line)
            code.emit("store", self.at["set"], self.cell("b"), value)
            return code.emit("call", line)
        target = r.choice((*VARIABLES, "t"))
        if target == "t":
            index, compute_index = self.variable(code)
            where, address = f"&{p}t[{index} & 1]", lambda line: self.element(code, line, compute_index)
        elif r.randrange(3) == 0:
            where, address = f"{p}q", lambda line: code.make("load", line, self.cell("q"))
        else:
            where, address = f"&{p}{target}", lambda line: self.cell(target)
        if r.randrange(2):
            line = self.line(f"  {p}put({where}, {text});")
            to = address(line)
            value = compute(line)
            code.emit("call", line)
            code.emit("store", self.at["put"], to, value)
            return code.emit("call", line)
        v = r.choice(VARIABLES)
        line = self.line(f"  {p}{v} = {p}raise({where}, {text});")
        to = address(line)
        by = compute(line)
        code.emit("call", line)
        old = code.make("load", self.at["raise"], to)
        code.emit("store", self.at["raise"], to, code.make("calculate", line, "+", old, by))
        result = code.make("load", self.at["raised"], to)
        code.emit("call", line)
        return code.emit("store", line, self.cell(v), result)

    def branch(self, code, depth, held):
        if self.random.randrange(4) == 0:
            return self.switch(code, depth, held)
        text, test = self.condition(code)
        line = self.line(f"  if ({text}) {{")
        skip = code.emit("unless", line, test(line), None)
        self.body(code, depth, held, 2)
        if self.random.randrange(2):
            self.line("  } else {")
            end = code.emit("jump", line, None)
            skip.arguments[1] = code.here()
            self.body(code, depth, held, 1)
            end.arguments[0] = code.here()
        else:
            skip.arguments[1] = code.here()
        return self.line("  }")

    def switch(self, code, depth, held):
        text, compute = self.value(code, 1)
        line = self.line(f"  switch ({text} & 3) {{")
        value = code.make("calculate", line, "&", compute(line), constant(3))
        ends = []
        for number in range(2):
            self.line(f"  case {number}:")
            skip = code.emit("unless", line, code.make("calculate", line, "==", value, constant(number)), None)
            self.body(code, depth, held, 1)
            self.line("  break;")
            ends.append(code.emit("jump", line, None))
            skip.arguments[1] = code.here()
        for end in ends:
            end.arguments[0] = code.here()
        self.line("  default:")
        self.line("  break;")
        return self.line("  }")

    def loop(self, code, depth, held):
        p, r = self.prefix, self.random
        trips = code.register()
        choice = r.randrange(3)
        if choice == 0:  # waits for a plain flag, but not for ever
            v = r.choice(VARIABLES)
            number = r.randint(0, 2)
            line = self.line(f"  for (int i = 0; i < 2 && {p}{v} != {number}; ++i) {{")
            code.emit("set", line, trips, constant(0))
            again = code.here()
            first = code.emit("unless", line, code.make("calculate", line, "<", trips, constant(2)), None)
            seen = code.make("load", line, self.cell(v))
            second = code.emit("unless", line, code.make("calculate", line, "!=", seen, constant(number)), None)
            code.emit("calculate", line, trips, "+", trips, constant(1))
            code.emit("jump", line, again)
            first.arguments[1] = second.arguments[1] = code.here()
            return self.line("  }")
        if choice == 1:  # as often as the value says, at most twice
            text, compute = self.value(code, 1)
            line = self.line(f"  for (int i = 0; i < 2 && i < {text}; ++i) {{")
            code.emit("set", line, trips, constant(0))
            again = code.here()
            first = code.emit("unless", line, code.make("calculate", line, "<", trips, constant(2)), None)
            second = code.emit("unless", line, code.make("calculate", line, "<", trips, compute(line)), None)
            self.body(code, depth, held, 1)
            code.emit("calculate", line, trips, "+", trips, constant(1))
            code.emit("jump", line, again)
            first.arguments[1] = second.arguments[1] = code.here()
            return self.line("  }")
        line = self.line("  for (int i = 0;;) {")
        code.emit("set", line, trips, constant(0))
        again = code.here()
        self.body(code, depth, held, 1)
        text, test = self.condition(code, 1)
        line = self.line(f"  if (++i == 2 || {text}) break;")
        code.emit("calculate", line, trips, "+", trips, constant(1))
        end = code.emit("unless", line, code.make("calculate", line, "!=", trips, constant(2)), None)
        code.emit("unless", line, test(line), again)
        end.arguments[1] = code.here()
        return self.line("  }")

    def section(self, code, depth, held):
        """A lock that the thread does not have; inside one that data choose there is no other."""
        p, r = self.prefix, self.random
        if not held and r.randrange(5) == 0:
            v, compute = self.variable(code)
            name = f"k{len(self.lines)}"
            line = self.line(f"  pthread_mutex_t* {name} = &{p}m[{v} & 1];")
            which = self.bit(code, line, compute)
            line = self.line(f"  pthread_mutex_lock({name});")
            code.emit("lock", line, code.register(), which)
            self.body(code, depth, (0, 1), 2)
            line = self.line(f"  pthread_mutex_unlock({name});")
            return code.emit("unlock", line, code.register(), which)
        number = r.choice([n for n in range(LOCKS) if n not in held])
        tried = r.randrange(4) == 0
        name, which = f"&{p}m[{number}]", constant(number)
        if not tried:
            line = self.line(f"  pthread_mutex_lock({name});")
            code.emit("lock", line, code.register(), which)
            self.body(code, depth, (*held, number), 2)
            line = self.line(f"  pthread_mutex_unlock({name});")
            return code.emit("unlock", line, code.register(), which)
        line = self.line(f"  if (pthread_mutex_trylock({name}) == 0) {{")
        failed = code.make("try", line, which)
        skip = code.emit("unless", line, code.make("calculate", line, "==", failed, constant(0)), None)
        self.body(code, depth, (*held, number), 2)
        line = self.line(f"  pthread_mutex_unlock({name});")
        code.emit("unlock", line, code.register(), which)
        skip.arguments[1] = code.here()
        return self.line("  }")

    def block(self, code, depth, held):
        name = f'"{self.prefix}thread{code.thread}_block{code.blocks}"'
        code.blocks += 1
        self.line(f"  SOOTH_ATOMIC_BEGIN({name});")
        self.body(code, depth, held, 3)
        return self.line(f"  SOOTH_ATOMIC_END({name});")


HEAD = """#include <pthread.h>
#include <stdio.h>
#include <sooth/sooth.h>
int turn(int thread) __attribute__((const));
SOOTH_LOOKS_AT_NOTHING void turns_begin(const int* order);
static void run_all(void* const* cells, const int* order, void* (*const* threads)(void*), int count) {
  pthread_t started[3];
  for (int i = 0; i < 9; ++i) printf("%p ", cells[i]);
  printf("\\n");
  turns_begin(order);
  for (int i = 0; i < count; ++i) pthread_create(&started[i], 0, threads[i], 0);
  for (int i = 0; i < count; ++i) pthread_join(started[i], 0);
}"""

# Makes the threads take turns as planned, and is not seen by Sooth: `turn` is said to do nothing that anybody could notice.
TURNS = """#include <sched.h>
static const int* turns;
static int position;
static __thread int mine;
void turns_begin(const int* order) {
  turns = order;
  position = 0;
}
int turn(int thread) {
  if (mine) __atomic_add_fetch(&position, 1, __ATOMIC_SEQ_CST);
  mine = thread >= 0;
  while (thread >= 0) {
    const int next = turns[__atomic_load_n(&position, __ATOMIC_SEQ_CST)];
    if (next == thread) return 0;
    if (next < 0) return mine = 0;
    sched_yield();
  }
  return 0;
}
"""


def make(seed, count):
    """(C code, programs): `count` programs that run one after the other."""
    lines, programs = HEAD.splitlines(), []
    for number in range(count):
        programs.append(Program(number, seed * 100_003 + number, lines))
        programs[-1].write_run()
    lines.append("int main(void) {")
    lines.extend(f"  {program.prefix}run();" for program in programs)
    lines.extend(["  return 0;", "}"])
    return "\n".join(lines) + "\n", programs
