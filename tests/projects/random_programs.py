"""Small random concurrent programs, as C and as what they can do.

A program has two threads, a few global variables, an array and a lock. `Program.source` is its C code, one statement a line;
`Program.races()` are the pairs of lines that some execution makes next to each other, found by going through all of them.
"""

import random

VARIABLES = ("a", "b", "c")


class Code:
    """One thread: lines of C, and the same as operations: (kind, line, ...).

    load register name | index register name register | store name register | put name register register
    set register value | add register register register | and1 register register | less register register register
    unless register value target | jump target | lock | unlock
    """

    def __init__(self, program, thread):
        self.program, self.thread = program, thread
        self.operations, self.registers = [], 0
        self.locals = []

    def last_use(self):
        """By register: the last operation that reads it."""
        used = {}
        for number, operation in enumerate(self.operations):
            kind, rest = operation[0], operation[2:]
            if kind in ("store", "put"):
                read = rest[1:]
            elif kind in ("add", "less", "and1"):
                read = rest[1:]
            elif kind == "index":
                read = rest[2:]
            elif kind == "unless":
                read = rest[:1]
            else:
                read = []
            for register in read:
                used[register] = number
        return used

    def register(self):
        self.registers += 1
        return self.registers - 1

    def emit(self, *operation):
        self.operations.append(list(operation))
        return len(self.operations) - 1

    def line(self, text):
        return self.program.line("  " + text)


class Program:
    def __init__(self, number, seed, lines):
        self.random, self.number, self.lines = random.Random(seed), number, lines
        p = self.prefix = f"p{number}_"
        self.line(f"int {', '.join(p + v for v in VARIABLES)}, {p}t[2];")
        self.line(f"pthread_mutex_t {p}m = PTHREAD_MUTEX_INITIALIZER;")
        self.line(f"static __attribute__((noinline)) int {p}next(int x) {{ return x + 1; }}")
        self.setters = {}
        for v in VARIABLES:
            self.line(f"static __attribute__((noinline)) void {p}set_{v}(int x) {{")
            self.setters[v] = self.line(f"  {p}{v} = x;")
            self.line("}")
        self.threads = []
        for thread in range(2):
            self.line(f"static void* {p}thread{thread}(void* unused) {{")
            code = Code(self, thread)
            for _ in range(self.random.randint(2, 5)):
                self.statement(code, 0, False)
            self.line("  return unused;")
            self.line("}")
            self.threads.append(code)
        self.last_use = [code.last_use() for code in self.threads]
        self.line(f"static void {p}run(void) {{ both({p}thread0, {p}thread1); }}")

    def line(self, text):
        self.lines.append(text)
        return len(self.lines)

    def value(self, code):
        """A value: its C text, and how to compute it at a line that is not known yet."""
        p, choice = self.prefix, self.random.randrange(6)
        if choice == 0:
            number = self.random.randrange(3)
            return str(number), lambda line: self.constant(code, number)
        if choice == 1 and code.locals:
            name, register = self.random.choice(code.locals)
            return name, lambda line: register
        if choice == 2:
            v = self.random.choice(VARIABLES)
            return f"{p}t[{p}{v} & 1]", lambda line: self.element(code, line, v)
        if choice == 3:
            v = self.random.choice(VARIABLES)
            return f"{p}next({p}{v})", lambda line: self.plus_one(code, line, v)
        v = self.random.choice(VARIABLES)
        if choice == 4:
            return f"{p}{v} + 1", lambda line: self.plus_one(code, line, v)
        return f"{p}{v}", lambda line: self.load(code, line, v)

    @staticmethod
    def constant(code, number):
        register = code.register()
        code.emit("set", 0, register, number)
        return register

    @staticmethod
    def load(code, line, v):
        register = code.register()
        code.emit("load", line, register, v)
        return register

    def plus_one(self, code, line, v):
        loaded, one, register = self.load(code, line, v), self.constant(code, 1), code.register()
        code.emit("add", line, register, loaded, one)
        return register

    def index(self, code, line, v):
        loaded, register = self.load(code, line, v), code.register()
        code.emit("and1", line, register, loaded)
        return register

    def element(self, code, line, v):
        place, register = self.index(code, line, v), code.register()
        code.emit("index", line, register, "t", place)
        return register

    def statement(self, code, depth, locked):
        p, r = self.prefix, self.random
        choice = r.randrange(12)
        if choice >= 9 and depth < 2:
            return self.choice_or_loop(code, depth, locked)
        if choice in (6, 7, 8) and not locked:
            line = code.line(f"pthread_mutex_lock(&{p}m);")
            code.emit("lock", line)
            for _ in range(r.randint(1, 2)):
                self.statement(code, depth + 1, True)
            line = code.line(f"pthread_mutex_unlock(&{p}m);")
            return code.emit("unlock", line)
        text, compute = self.value(code)
        if choice == 0 and depth == 0:
            name = f"l{len(code.locals)}"
            register = compute(code.line(f"int {name} = {text};"))
            return code.locals.append((name, register))
        if choice == 1:
            v = r.choice(VARIABLES)
            line = code.line(f"{p}t[{p}{v} & 1] = {text};")
            value = compute(line)  # clang computes what is stored first
            return code.emit("put", line, "t", self.index(code, line, v), value)
        v = r.choice(VARIABLES)
        if choice == 2:
            value = compute(code.line(f"{p}set_{v}({text});"))
            return code.emit("store", self.setters[v], v, value)
        line = code.line(f"{p}{v} = {text};")
        return code.emit("store", line, v, compute(line))

    def choice_or_loop(self, code, depth, locked):
        p, r = self.prefix, self.random
        v, number = r.choice(VARIABLES), r.randrange(3)
        if r.randrange(3) == 0:  # at most twice, and only as often as the variable says
            line = code.line(f"for (int i = 0; i < 2 && i < {p}{v}; ++i) {{")
            ends, first, state = [], len(self.lines), r.getstate()
            for i in range(2):
                bound, result = self.load(code, line, v), code.register()
                code.emit("less", line, result, self.constant(code, i), bound)
                ends.append(code.emit("unless", line, result, 1, None))
                kept = self.lines
                if i == 1:  # the same statement once more, at the same lines
                    r.setstate(state)
                    self.lines = kept[:first]
                self.statement(code, depth + 1, locked)
                self.lines = kept
            code.line("}")
            for end in ends:
                code.operations[end][4] = len(code.operations)
            return None
        line = code.line(f"if ({p}{v} == {number}) {{")
        skip = code.emit("unless", line, self.load(code, line, v), number, None)
        self.statement(code, depth + 1, locked)
        if r.randrange(2) == 0:
            code.line("} else {")
            end = code.emit("jump", line, None)
            code.operations[skip][4] = len(code.operations)
            self.statement(code, depth + 1, locked)
            code.operations[end][2] = len(code.operations)
        else:
            code.operations[skip][4] = len(code.operations)
        code.line("}")
        return None

    # --- what it can do ---

    def races(self):
        start = (((0, ()), (0, ())), (0, 0, 0), (0, 0), None)
        seen, waiting, found = {start}, [start], set()
        while waiting:
            state = waiting.pop()
            accesses = [self.access(state, thread) for thread in range(2)]
            if all(accesses) and accesses[0][1] == accesses[1][1] and (accesses[0][2] or accesses[1][2]):
                found.add(tuple(sorted((accesses[0][0], accesses[1][0]))))
            for thread in range(2):
                there = self.step(state, thread)
                if there is not None and there not in seen:
                    seen.add(there)
                    waiting.append(there)
        return found

    def next(self, state, thread):
        place = state[0][thread][0]
        operations = self.threads[thread].operations
        return operations[place] if place < len(operations) else None

    def access(self, state, thread):
        """(line, what, whether it writes) of the thread's next operation, if it is an access."""
        operation = self.next(state, thread)
        if operation is None:
            return None
        registers = dict(state[0][thread][1])
        kind, line = operation[0], operation[1]
        if kind == "load":
            return line, operation[3], False
        if kind == "store":
            return line, operation[2], True
        if kind == "index":
            return line, f"t{registers[operation[4]]}", False
        if kind == "put":
            return line, f"t{registers[operation[3]]}", True
        return None

    def step(self, state, thread):
        operation = self.next(state, thread)
        if operation is None:
            return None
        threads, variables, table, owner = state
        place, pairs = threads[thread]
        registers, variables, table = dict(pairs), list(variables), list(table)
        kind = operation[0]
        place += 1
        if kind == "load":
            registers[operation[2]] = variables[VARIABLES.index(operation[3])]
        elif kind == "store":
            variables[VARIABLES.index(operation[2])] = registers[operation[3]]
        elif kind == "index":
            registers[operation[2]] = table[registers[operation[4]]]
        elif kind == "put":
            table[registers[operation[3]]] = registers[operation[4]]
        elif kind == "set":
            registers[operation[2]] = operation[3]
        elif kind == "add":
            registers[operation[2]] = registers[operation[3]] + registers[operation[4]]
        elif kind == "and1":
            registers[operation[2]] = registers[operation[3]] & 1
        elif kind == "less":
            registers[operation[2]] = int(registers[operation[3]] < registers[operation[4]])
        elif kind == "unless":
            if registers[operation[2]] != operation[3]:
                place = operation[4]
        elif kind == "jump":
            place = operation[2]
        elif kind == "lock":
            if owner is not None:
                return None
            owner = thread
        elif kind == "unlock":
            owner = None
        changed, last_use = list(threads), self.last_use[thread]
        alive = tuple(sorted((r, v) for r, v in registers.items() if last_use.get(r, -1) >= place))
        changed[thread] = (place, alive)
        return tuple(changed), tuple(variables), tuple(table), owner


HEAD = """#include <pthread.h>
static void both(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}"""


def make(seed, count):
    """(C code, programs): `count` programs that run one after the other."""
    lines = HEAD.splitlines()
    programs = [Program(number, seed * 100_003 + number, lines) for number in range(count)]
    lines.append("int main(void) {")
    lines.extend(f"  {program.prefix}run();" for program in programs)
    lines.extend(["  return 0;", "}"])
    return "\n".join(lines) + "\n", programs
