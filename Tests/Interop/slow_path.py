"""A way to a server that takes its time, and that can be cut: a relay of TCP connections."""
import contextlib
import socket
import threading


@contextlib.contextmanager
def slow_path(url, seconds):
    """A relay to `url` that holds everything back for so long after a connection came."""
    host, port = url.split("//")[1].split(":")
    path = SlowPath()
    over = threading.Event()

    def carry(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def serve(client):
        if over.wait(seconds):
            return
        server = socket.create_connection((host, int(port)))
        path.connections.append(server)
        threading.Thread(target=carry, args=(server, client), daemon=True).start()
        carry(client, server)

    def accept(listener):
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                path.connections.append(client)
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    path.listen(accept)
    path.url = f"{url.split('//')[0]}//127.0.0.1:{path.port}"
    try:
        yield path
    finally:
        over.set()
        path.refuse()


class SlowPath:
    def __init__(self):
        self.port, self.connections, self.accept = 0, [], None

    def listen(self, accept=None):
        """Takes connections; after `refuse` again at the same port."""
        self.accept = accept or self.accept
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        """Ends the connections that there are; new ones are taken."""
        close(self.connections)

    def refuse(self):
        """Ends the connections that there are; new ones are refused until it listens again."""
        close([self.listener])
        self.cut()


def close(sockets):
    for one in list(sockets):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
