"""What a small concurrent program can do: all of its executions, one of them by a schedule, or one that follows a given run.

A thread is a list of operations on registers. Operands are numbers: register r is r, the constant k is ~k. Memory is a list of cells;
a pointer is the number of a cell. What other threads can see:

    load to cell | store cell value | lock to lock | try to lock | unlock to lock | add to cell value | swap to cell value

(`add` and `swap` are atomic, and so are `load` and `store` if the operation says so). All others are the thread's own:

    set to value | calculate to name value value | pick to base index | place base index value | unless value target
    jump target | turn (a place where a schedule may go on with another thread) | call (a function begins or ends)
"""

SEEN = frozenset(("load", "store", "lock", "unlock", "try", "add", "swap"))
CALCULATE = {
    "+": lambda a, b: a + b,
    "&": lambda a, b: a & b,
    "/": lambda a, b: a // b,
    "<": lambda a, b: int(a < b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}
TOO_MANY = 4000  # states; of programs with more not all executions are gone through


class Operation:
    """kind, C line, arguments; `atomic` if it is an atomic access."""

    __slots__ = ("kind", "line", "arguments", "atomic")

    def __init__(self, kind, line, arguments, atomic=False):
        self.kind, self.line, self.arguments, self.atomic = kind, line, list(arguments), atomic

    def reads(self):
        """Registers that it reads."""
        kind, given = self.kind, self.arguments
        if kind == "pick":
            return [given[1], given[1] + 1, *(r for r in given[2:] if r >= 0)]
        if kind in ("jump", "turn", "call"):
            return []
        first = 0 if kind in ("store", "place", "unless") else 1
        rest = [given[0]] if kind == "unless" else given[first:]
        return [r for r in rest if isinstance(r, int) and r >= 0]

    def writes(self):
        """The register that has nothing of its old value afterwards, or None."""
        return None if self.kind in ("store", "place", "unless", "jump", "turn", "call") else self.arguments[0]


class Event:
    """One step that other threads can see, as it happens: which operation, on which cell or lock, with what value."""

    __slots__ = ("thread", "place", "operation", "object", "value", "read")

    def __init__(self, thread, place, operation, of, value, read):
        self.thread, self.place, self.operation, self.object, self.value, self.read = thread, place, operation, of, value, read


class State:
    """places and registers by thread, cells, owners of locks. Every thread stands before a step that others can see, or at its end."""

    __slots__ = ("places", "registers", "cells", "owners")

    def __init__(self, places, registers, cells, owners):
        self.places, self.registers, self.cells, self.owners = places, registers, cells, owners

    def copy(self):
        return State(list(self.places), [list(r) for r in self.registers], list(self.cells), list(self.owners))


class Machine:
    def __init__(self, threads, registers, cells, locks):
        """Operations by thread, how many registers each has, what the cells hold at first, how many locks there are."""
        self.threads, self.cells, self.locks, self.registers = threads, cells, locks, registers
        self.alive = [self._alive(code) for code in threads]

    @staticmethod
    def _alive(code):
        """By place: registers that are read later."""
        alive = [set() for _ in range(len(code) + 1)]
        changed = True
        while changed:
            changed = False
            for place in range(len(code) - 1, -1, -1):
                operation = code[place]
                after = set()
                if operation.kind == "jump":
                    after |= alive[operation.arguments[0]]
                else:
                    after |= alive[place + 1]
                    if operation.kind == "unless":
                        after |= alive[operation.arguments[1]]
                after.discard(operation.writes())
                after.update(operation.reads())
                if after != alive[place]:
                    alive[place], changed = after, True
        return [sorted(registers) for registers in alive]

    def start(self, settled=True):
        count = len(self.threads)
        state = State([0] * count, [[0] * r for r in self.registers], list(self.cells), [None] * self.locks)
        for thread in range(count):
            self.settle(state, thread, not settled)
        return state

    def settle(self, state, thread, stop_at_turns=False):
        """The thread's own operations, up to the next one that others can see. True if it stopped at a turn."""
        code, registers, place = self.threads[thread], state.registers[thread], state.places[thread]
        while place < len(code):
            operation = code[place]
            kind, given = operation.kind, operation.arguments
            if kind in SEEN:
                break
            if kind == "turn" and stop_at_turns:
                state.places[thread] = place
                return True
            place += 1
            if kind == "set":
                registers[given[0]] = registers[given[1]] if given[1] >= 0 else ~given[1]
            elif kind == "calculate":
                to, name, a, b = given
                registers[to] = CALCULATE[name](registers[a] if a >= 0 else ~a, registers[b] if b >= 0 else ~b)
            elif kind == "unless":
                if not (registers[given[0]] if given[0] >= 0 else ~given[0]):
                    place = given[1]
            elif kind == "jump":
                place = given[0]
            elif kind == "pick":
                index = registers[given[2]] if given[2] >= 0 else ~given[2]
                registers[given[0]] = registers[given[1] + index]
            elif kind == "place":
                base, index, value = given
                registers[base + (registers[index] if index >= 0 else ~index)] = registers[value] if value >= 0 else ~value
        state.places[thread] = place
        return False

    def next(self, state, thread):
        """The operation before which the thread stands, or None at its end."""
        code, place = self.threads[thread], state.places[thread]
        return code[place] if place < len(code) else None

    def object(self, state, thread):
        """The cell or lock of that operation."""
        operation = self.next(state, thread)
        given = operation.arguments[0 if operation.kind == "store" else 1]
        return state.registers[thread][given] if given >= 0 else ~given

    def blocked(self, state, thread):
        operation = self.next(state, thread)
        return operation is not None and operation.kind == "lock" and state.owners[self.object(state, thread)] is not None

    def step(self, state, thread, settle=True):
        """Does the operation before which the thread stands, in place; it must not be blocked. The Event."""
        operation, place, registers = self.next(state, thread), state.places[thread], state.registers[thread]
        kind, given, of = operation.kind, operation.arguments, self.object(state, thread)
        value = read = None
        if kind == "load":
            registers[given[0]] = value = read = state.cells[of]
        elif kind == "store":
            state.cells[of] = value = registers[given[1]] if given[1] >= 0 else ~given[1]
        elif kind in ("add", "swap"):
            read, value = state.cells[of], registers[given[2]] if given[2] >= 0 else ~given[2]
            value += read if kind == "add" else 0
            state.cells[of], registers[given[0]] = value, read
        elif kind == "lock":
            state.owners[of] = thread
        elif kind == "unlock":
            state.owners[of] = None
        elif kind == "try":
            value = int(state.owners[of] is None)
            registers[given[0]] = 1 - value  # what pthread_mutex_trylock returns is zero if it has the lock
            if value:
                state.owners[of] = thread
        state.places[thread] = place + 1
        if settle:
            self.settle(state, thread)
        return Event(thread, place, operation, of, value, read)

    # --- all executions ---

    def key(self, state):
        alive = tuple(
            (place, *(state.registers[thread][r] for r in self.alive[thread][place]))
            for thread, place in enumerate(state.places)
        )
        return alive, tuple(state.cells), tuple(state.owners)

    def states(self):
        """All states that some execution comes to; None if there are too many."""
        start = self.start()
        seen, waiting, all_states = {self.key(start)}, [start], []
        while waiting:
            state = waiting.pop()
            all_states.append(state)
            if len(all_states) > TOO_MANY:
                return None
            for thread in range(len(self.threads)):
                if self.next(state, thread) is None or self.blocked(state, thread):
                    continue
                there = state.copy()
                self.step(there, thread)
                key = self.key(there)
                if key not in seen:
                    seen.add(key)
                    waiting.append(there)
        return all_states

    def accesses(self, state):
        """(thread, operation, cell, whether it writes) of all threads that stand before an access."""
        found = []
        for thread in range(len(self.threads)):
            operation = self.next(state, thread)
            if operation is not None and operation.kind in ("load", "store", "add", "swap"):
                found.append((thread, operation, self.object(state, thread), operation.kind != "load"))
        return found

    def circles(self, state):
        """Sets of threads of which each waits for a lock that the next one has."""
        waits = {
            thread: state.owners[self.object(state, thread)]
            for thread in range(len(self.threads))
            if self.blocked(state, thread)
        }
        found = set()
        for thread in waits:
            path = []
            while thread in waits and thread not in path:
                path.append(thread)
                thread = waits[thread]
            if thread in path:
                found.add(frozenset(path[path.index(thread):]))
        return found

    # --- one execution, by a schedule ---

    def schedule(self, random, tries=20):
        """(threads in turn, events) of an execution to the end that changes threads only at turns; None if all get stuck."""
        for _ in range(tries):
            state, order, events = self.start(settled=False), [], []
            while True:
                ready = []
                for thread in range(len(self.threads)):
                    if self.next(state, thread) is None:
                        continue
                    there = state.copy()
                    done = self._to_next_turn(there, thread)
                    if done is not None:
                        ready.append((thread, there, done))
                if not ready:
                    break
                thread, state, done = random.choice(ready)
                order.append(thread)
                events.extend(done)
            if all(self.next(state, thread) is None for thread in range(len(self.threads))):
                return order, events
        return None

    def _to_next_turn(self, state, thread):
        """The events of the thread from the turn at which it stands to the next one; None if it would be blocked."""
        done = []
        state.places[thread] += 1
        while not self.settle(state, thread, True) and self.next(state, thread) is not None:
            if self.blocked(state, thread):
                return None
            done.append(self.step(state, thread, False))
        return done
