import NIOCore
import RTCWire

/// A TCP port that takes connections.
final class StreamListener: DatagramSource {
    /// Connections that are taken before other work of the loop gets its turn.
    private static let atOnce = 64

    let socket: StreamSocket
    private unowned let port: StreamPort
    private let loop: DatagramLoop
    private var token: UInt64 = 0
    private var isWatched = false

    init(_ socket: StreamSocket, _ port: StreamPort, _ loop: DatagramLoop) throws(IOError) {
        self.socket = socket
        self.port = port
        self.loop = loop
        token = try loop.add(socket.descriptor, self)
        isWatched = true
    }

    func socketIsReadable() {
        for _ in 0..<StreamListener.atOnce where !socket.isClosed {
            do throws(StreamSocket.Refusal) {
                let (connection, remote) = try socket.accept()
                port.take(connection, from: remote)
            } catch {
                // Where descriptors are wanting, epoll would tell of the same connection again and again.
                if error == .exhausted { pause() }
                return
            }
        }
    }

    func socketIsWritable() {}

    private func pause() {
        guard isWatched else { return }
        loop.remove(socket.descriptor, token: token)
        isWatched = false
        port.scheduleSweep()
    }

    /// Takes connections again after a pause.
    func resume() {
        guard !isWatched, !socket.isClosed, let token = try? loop.add(socket.descriptor, self) else { return }
        self.token = token
        isWatched = true
    }

    func close() {
        guard !socket.isClosed else { return }
        if isWatched { loop.remove(socket.descriptor, token: token) }
        isWatched = false
        socket.close()
    }
}
