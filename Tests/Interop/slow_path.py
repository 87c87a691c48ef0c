"""A way to a server that takes its time, and that can be cut: a relay of TCP connections."""
import contextlib
import socket
import threading


@contextlib.contextmanager
def slow_path(url, seconds):
    """A relay to `url` that holds everything back for so long after a connection came."""
    host, port = url.split("//")[1].split(":")
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()
    sockets = [listener]

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
        sockets.append(server)
        threading.Thread(target=carry, args=(server, client), daemon=True).start()
        carry(client, server)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                sockets.append(client)
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield SlowPath(f"{url.split('//')[0]}//127.0.0.1:{listener.getsockname()[1]}", sockets)
    finally:
        over.set()
        close(sockets)


class SlowPath:
    def __init__(self, url, sockets):
        self.url, self.sockets = url, sockets

    def cut(self):
        """Ends the connections that there are; new ones are taken."""
        close(self.sockets[1:])


def close(sockets):
    for one in list(sockets):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
