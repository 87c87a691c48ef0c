"""A way to a server that takes its time: the connection stands at once, its bytes go through only after a while."""
import contextlib
import socket
import threading


@contextlib.contextmanager
def slow_path(url, seconds):
    """The URL of a relay to `url` that holds everything back for so long after a connection came."""
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
        yield f"{url.split('//')[0]}//127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
