"""Hundreds of simulated programs for one observer. One real program is run, and what it sends is kept; then its
conversation is repeated by as many sessions as wanted, each under a session number of its own. For the observer, these
are so many programs: every message is a real one."""

import os
import pathlib
import selectors
import socket
import struct
import subprocess
import threading

HELLO = 1
SESSION_BYTES = 16


def frames(data):
    at = 0
    while at + 4 <= len(data):
        end = at + 4 + struct.unpack_from("<I", data, at)[0]
        yield data[at:end]
        at = end


class Conversation:
    """The bytes of each connection of one program that is observed at `observer` (a path), in the order of connecting."""

    def __init__(self, program, arguments, observer, folder):
        self.connections = []
        path = pathlib.Path(folder) / "proxy"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            accepting = threading.Thread(target=self.accept, args=(server, str(observer)), daemon=True)
            accepting.start()
            subprocess.run([program, *arguments], env={**os.environ, "SOOTH_OBSERVER": f"unix:{path}"}, stdout=subprocess.DEVNULL, check=True)
        for connection in self.connections:
            connection["done"].wait()
        # The magic number, the version and the role come before the session: 9 bytes, 1 and 1.
        first = next(frames(bytes(self.connections[0]["sent"])))
        self.session = first[4 + 1 + 9 + 1 + 1:][:SESSION_BYTES]
        if any(bytes(c["sent"]).count(self.session) != 1 for c in self.connections):
            raise RuntimeError("the session's number is not where it was expected")

    def bytes(self):
        """Of all but the tables that the program sends before its first event."""
        return sum(len(c["sent"]) for c in self.connections[1:])

    def accept(self, server, observer):
        while True:
            try:
                program, _ = server.accept()
            except OSError:
                return
            upstream = socket.socket(socket.AF_UNIX)
            upstream.connect(observer)
            connection = {"sent": bytearray(), "done": threading.Event()}
            self.connections.append(connection)
            threading.Thread(target=self.pump, args=(program, upstream, connection), daemon=True).start()
            threading.Thread(target=self.answer, args=(upstream, program), daemon=True).start()

    @staticmethod
    def pump(program, upstream, connection):
        while data := program.recv(1 << 16):
            connection["sent"] += data
            upstream.sendall(data)
        upstream.shutdown(socket.SHUT_WR)
        connection["done"].set()

    @staticmethod
    def answer(upstream, program):
        try:
            while data := upstream.recv(1 << 16):
                program.sendall(data)
        except OSError:
            pass

    def repeat(self, observer, sessions):
        """All sessions at once. Returns when the observer has taken everything."""
        selector = selectors.DefaultSelector()
        for n in range(sessions):
            number = n.to_bytes(SESSION_BYTES, "big", signed=False)
            for connection in self.connections:
                client = socket.socket(socket.AF_UNIX)
                client.connect(str(observer))
                data = bytes(connection["sent"]).replace(self.session, number, 1)
                # The observer has to know the program before its other connections say hello.
                hello = next(frames(data))
                client.sendall(hello)
                client.recv(1 << 12)
                client.setblocking(False)
                selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE, [memoryview(data)[len(hello):]])
        left = len(selector.get_map())
        while left:
            for key, ready in selector.select():
                client, rest = key.fileobj, key.data
                if ready & selectors.EVENT_READ and not client.recv(1 << 16):
                    raise RuntimeError("the observer has closed a connection")
                if not ready & selectors.EVENT_WRITE:
                    continue
                rest[0] = rest[0][client.send(rest[0][: 1 << 16]):]
                if not rest[0]:
                    selector.unregister(client)
                    client.shutdown(socket.SHUT_WR)
                    left -= 1
