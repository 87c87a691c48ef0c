import NIOCore

/// A socket in the care of a loop, until it is closed.
final class WatchedSocket {
    let loop: DatagramLoop
    let socket: DatagramSocket
    private var token: UInt64 = 0
    private var isWatchingRoom = false

    /// Has the loop tell `source` when there is something to read. On the loop.
    init(_ socket: DatagramSocket, on loop: DatagramLoop) {
        self.socket = socket
        self.loop = loop
    }

    func begin(_ source: any DatagramSource) throws(IOError) { token = try loop.add(socket.descriptor, source) }

    /// Whether the source is told when the socket has room for what is sent.
    func watchRoom(_ isWanted: Bool) {
        guard isWanted != isWatchingRoom, !socket.isClosed else { return }
        isWatchingRoom = isWanted
        loop.watch(socket.descriptor, token: token, writing: isWanted)
    }

    func close() {
        guard !socket.isClosed else { return }
        loop.remove(socket.descriptor, token: token)
        socket.close()
    }
}
