"""An observer that only collects: it answers the handshake for some variables of a program, and keeps all messages.

`Collector.check` tests what Algorithm A promises of every run: see docs/protocol.md, "Why these are Algorithm A's clocks".
"""

import socket
import struct
import threading

HELLO, SYMBOLS, EVENT, FORK, END, WAITS, CHECKPOINT, FINISH = 1, 3, 5, 6, 7, 8, 9, 10
WELCOME, TABLE = 64, 67


def number(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


class Fields:
    def __init__(self, body):
        self.body, self.at = body, 1

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.body[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value


class Event:
    def __init__(self, fields):
        self.epoch, self.thread, self.sequence, self.position, self.kind, self.site, self.happened = (fields.number() for _ in range(7))
        self.writes = [(fields.number(), fields.number()) for _ in range(fields.number())]
        self.clock = {}
        for _ in range(fields.number()):
            thread = fields.number()
            self.clock[thread] = fields.number()

    def covers(self, other):
        return all(self.clock.get(t, 0) >= n for t, n in other.clock.items())


class Collector:
    """Listens at `path`. `variables`: (address, size) of each."""

    def __init__(self, path, variables):
        rows = b"".join(number(address) + number(size) + number(0) + number(0) for address, size in variables)
        self.table = bytes([TABLE]) + number(len(variables)) + rows + number(0)
        self.events, self.checkpoints, self.finish = [], [], None
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen()
        self.lock = threading.Lock()
        self.readers = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            reader = threading.Thread(target=self.read, args=(connection,))
            with self.lock:
                self.readers.append(reader)
            reader.start()

    def read(self, connection):
        stream = connection.makefile("rb")
        while len(head := stream.read(4)) == 4:
            body = stream.read(struct.unpack("<I", head)[0])
            if body[0] == HELLO:
                answer = bytes([WELCOME]) + number(4)
                connection.sendall(struct.pack("<I", len(answer)) + answer)
            elif body[0] == SYMBOLS:
                connection.sendall(struct.pack("<I", len(self.table)) + self.table)
            elif body[0] == EVENT:
                self.events.append(Event(Fields(body)))
            elif body[0] == CHECKPOINT:
                self.checkpoints.append(Fields(body))
            elif body[0] == FINISH:
                self.finish = Fields(body)

    def wait(self):
        """After the program has ended."""
        while True:
            with self.lock:
                readers = [r for r in self.readers if r.is_alive()]
            if not readers:
                break
            for reader in readers:
                reader.join()
        self.server.close()
        self.events.sort(key=lambda e: e.position)

    def check(self):
        """None, or what is wrong. For a run without checkpoints."""
        if [e.position for e in self.events] != list(range(1, len(self.events) + 1)):
            return "positions are not 1, 2, 3, ..."
        newest, writers, counts = {}, {}, {}
        for e in self.events:
            counts[e.thread] = counts.get(e.thread, 0) + 1
            if e.clock.get(e.thread, 0) != counts[e.thread]:
                return f"event {e.position} is number {counts[e.thread]} of its thread, and counts {e.clock}"
            for other, n in e.clock.items():
                if other != e.thread and n > counts.get(other, 0):
                    return f"event {e.position} knows event {n} of thread {other}, which comes later"
            if e.thread in newest and not e.covers(newest[e.thread]):
                return f"event {e.position} does not follow the one before it of its thread"
            for variable, _ in e.writes:
                if variable in writers and not e.covers(writers[variable]):
                    return f"event {e.position} does not follow the last write of variable {variable}"
                writers[variable] = e
            newest[e.thread] = e
        by_place = {(e.thread, e.clock[e.thread]): e for e in self.events}
        for e in self.events:
            for other, n in e.clock.items():
                if not e.covers(by_place[other, n]):
                    return f"event {e.position} knows event {n} of thread {other}, and not all before it"
        return None
