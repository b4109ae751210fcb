"""Runs of recorded random programs, followed step by step by their Machines: are they executions?

A run is a list of events of the trace. If a program can have it, then its threads, scheduled in this order, do these
events: the same operations, at the same lines, on the same variables and locks.
"""

KINDS = {  # of events, and the operations that make them
    "read": ("load",), "write": ("store",), "atomic-read": ("load",), "atomic-write": ("store",),
    "atomic-rmw": ("add", "swap"), "acquire": ("lock", "try"), "release": ("unlock",),
}
CELLS = 7  # the other addresses are locks


class Step:
    """An event of the trace that other threads can see."""

    __slots__ = ("program", "thread", "kind", "line", "object", "value", "failed", "lines")

    def __init__(self, program, thread, event, of):
        self.program, self.thread, self.object = program, thread, of
        self.kind, self.line = event["kind"], event["line"]
        self.lines = [self.line]  # of all accesses that it stands for
        self.value, self.failed = int(event["value"], 16), "failed" in event["flags"]

    def is_made_by(self, operation, of, line=None):
        return operation.kind in KINDS[self.kind] and operation.line == (line or self.line) and of == self.object

    def __str__(self):
        return f"{self.kind} of {self.object} at line {self.line} by thread {self.thread}"


class Recorded:
    """The programs, with what was recorded of them. Raises ValueError if that is not what they did."""

    def __init__(self, programs, shown, printed, planned, facts):
        """`shown`: `sooth show --json`; `printed`: a line of addresses for each program; `planned`: they ran by their schedules;
        `facts`: they were recorded for dependence."""
        self.programs, self.events, self.facts = programs, shown, facts
        self.addresses = [[int(word, 16) for word in line.split()] for line in printed]
        self.place = {}  # of threads of the trace: (program, its thread)
        for program in programs:
            for thread in range(len(program.codes)):
                self.place[len(self.place) + 1] = (program.number, thread)
        objects = [
            {address: number if number < CELLS else number - CELLS for number, address in enumerate(addresses)}
            for addresses in self.addresses
        ]
        self.steps = {}  # by event
        for event in shown:
            program, thread = self.place.get(event["thread"], (None, None))
            if program is None or event["kind"] not in KINDS:
                continue
            of = objects[program].get(int(event["address"], 16))
            if of is not None:
                self.steps[event["n"]] = Step(program, thread, event, of)
        if planned:
            for program in programs:
                if program.planned is not None:
                    self._compare(program)

    def numbers_of(self, program):
        """The program's threads in the trace."""
        return [number for number, (p, _) in self.place.items() if p == program.number]

    def _compare(self, program):
        """Every thread's events are what it did by the schedule, but for rounds of waiting that the recorder leaves out."""
        for thread in range(len(program.codes)):
            recorded = [s for s in self.steps.values() if s.program == program.number and s.thread == thread]
            done = [event for event in program.planned[1] if event.thread == thread]
            at = 0
            for step in recorded:
                if at == len(done) or not self._is(program, step, done[at]):
                    raise ValueError(f"{program.prefix}: the trace has a {step}; the program has made no such step")
                at += 1
                while at < len(done) and self._is_repeated(program, done[at - 1], done[at]):
                    following = recorded.index(step) + 1
                    if following < len(recorded) and self._is(program, recorded[following], done[at]):
                        break
                    step.lines.append(done[at].operation.line)
                    at += 1
            if at != len(done):
                raise ValueError(f"{program.prefix}: line {done[at].operation.line} has made a step that is not in the trace")

    def _is(self, program, step, event):
        if not step.is_made_by(event.operation, event.object):
            return False
        if step.kind == "acquire":
            return event.operation.kind == "lock" or step.failed == (event.value == 0)
        if step.kind == "release":
            return True
        return step.value == self.bits(program, event.object, event.value)

    def bits(self, program, cell, value):
        """A value as the trace has it: pointers are addresses."""
        return self.addresses[program.number][value] if cell == 5 else value & 0xFFFFFFFF

    def _is_repeated(self, program, before, after):
        """The same instruction again in the same activation, with the same outcome and nothing in between: it may be left out.
        Without facts, so may any read of the same bytes."""
        if not self.facts and before.operation.kind == after.operation.kind == "load":
            same = before.operation.atomic == after.operation.atomic
            return same and (before.object, before.value) == (after.object, after.value)
        if before.place != after.place or (before.object, before.value) != (after.object, after.value):
            return False
        if after.operation.line in program.at.values():  # of a function, which is another activation each time
            return False
        return after.operation.kind == "load" or (after.operation.kind == "try" and not after.value)

    def follow(self, program, run, looked_at=(), after=None):
        """(why this is no execution of the program, or None; the state to which it leads).

        The values that the events of `looked_at` write must be the recorded ones; `after` has, by event, what cells hold then.
        """
        machine = program.machine
        state = machine.start()
        for number in run:
            step = self.steps.get(number)
            if step is None or step.program != program.number:
                continue
            for line in step.lines:
                if wrong := self.stands_before(program, state, step, line):
                    return wrong, state
                if machine.blocked(state, step.thread):
                    return f"{step}: the lock is taken", state
                event = machine.step(state, step.thread)
                if step.kind == "acquire" and event.operation.kind == "try" and step.failed != (event.value == 0):
                    return f"{step}: it goes the other way", state
            if number in looked_at and self.bits(program, event.object, event.value) != step.value:
                return f"{step}: the value is {event.value}", state
            for cell, value in (after or {}).get(number, {}).items():
                if state.cells[cell] != value:
                    return f"{step}: then cell {cell} holds {state.cells[cell]}, not {value}", state
        return None, state

    def stands_before(self, program, state, step, line=None):
        """Why the thread is not about to do this, or None."""
        operation = program.machine.next(state, step.thread)
        if operation is None:
            return f"{step}: the thread has ended"
        if not step.is_made_by(operation, program.machine.object(state, step.thread), line):
            return f"{step}: the thread is at line {operation.line} ({operation.kind})"
        return None
