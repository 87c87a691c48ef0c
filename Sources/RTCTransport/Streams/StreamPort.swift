import NIOCore
import RTCCore
import RTCWire

/// The TCP connections of a mux (RFC 6544): those that a port takes, or those that the one peer of the socket opens.
///
/// They live on the mux's loop, so that packets pass from a stream to a peer and back without a crossing. The outbox's
/// destinations say which packets go over TCP, and the remote address over which connection.
// Touched on the mux's loop only.
final class StreamPort {
    /// Between two looks at who has been silent for too long.
    private static let sweepInterval = Interval.seconds(1)

    unowned let mux: UDPMux
    let loop: DatagramLoop
    private let limits: ConnectionLimits
    private var listener: StreamListener?
    /// By the other side's address.
    private(set) var connections: [TransportAddress: StreamConnection] = [:]
    /// In the order in which they came.
    private var unproven: [StreamConnection] = []
    /// Where all of them come from or lead to, and the unproven ones among them.
    private var hosts = HostCounts()
    private var unprovenHosts = HostCounts()
    /// Those that have something to send.
    private var staged: [StreamConnection] = []
    private var spare: [FrameBatch] = []
    private var sweepAt = Instant.distantFuture
    private var isClosed = false
    /// A connection was there: packets may be meant for it.
    private var isUsed: Bool

    init(_ mux: UDPMux, limits: ConnectionLimits) {
        self.mux = mux
        self.limits = limits
        loop = mux.loop
        isUsed = mux.configuration.opensStreams
    }

    /// Takes connections of a socket that listens.
    func listen(_ socket: StreamSocket) throws(IOError) { listener = try StreamListener(socket, self, loop) }

    /// The port that takes connections; nil where none does.
    var listeningPort: UInt16? { listener?.socket.address.port }

    var count: Int { connections.count }

    // MARK: Connections

    /// A connection has come.
    func take(_ socket: StreamSocket, from remote: TransportAddress) {
        let now = MonotonicClock.now()
        guard !isClosed, connections.count < limits.connections, connections[remote] == nil,
            hosts.count(remote) < limits.connectionsPerHost
        else {
            mux.statistics.refusedConnections += 1
            return socket.close()
        }
        makeRoom(for: remote, now)
        let base = mux.bases.base(of: socket.address.over(.udp)).with(.tcp, port: socket.address.port)
        guard let connection = add(socket, remote: remote, base: base, isOurs: false, now) else { return }
        mux.statistics.acceptedConnections += 1
        unproven.append(connection)
        unprovenHosts.add(remote)
    }

    /// The oldest unproven connection gives way where there are too many of them, first of all the newcomer's own host's.
    private func makeRoom(for remote: TransportAddress, _ now: Instant) {
        if unprovenHosts.count(remote) >= limits.unprovenPerHost,
            let oldest = unproven.first(where: { HostCounts.isSame($0.remote, remote) })
        {
            return end(oldest, now: now)
        }
        if unproven.count >= limits.unproven, let oldest = unproven.first { end(oldest, now: now) }
    }

    private func forgetUnproven(_ connection: StreamConnection) {
        unproven.removeAll { $0 === connection }
        unprovenHosts.remove(connection.remote)
    }

    private func add(
        _ socket: StreamSocket, remote: TransportAddress, base: TransportAddress, isOurs: Bool, _ now: Instant
    ) -> StreamConnection? {
        guard
            let connection = try? StreamConnection(socket, remote: remote, base: base, isOurs: isOurs, self, now: now)
        else { return nil }
        connections[remote] = connection
        hosts.add(remote)
        isUsed = true
        scheduleSweep()
        return connection
    }

    /// Opens a connection to a passive candidate of the peer's.
    private func open(_ remote: TransportAddress) -> StreamConnection? {
        guard !isClosed, mux.configuration.opensStreams, connections.count < limits.connections,
            let base = mux.activeBase(reaching: remote), let socket = try? StreamSocket.connect(to: remote)
        else { return nil }
        return add(socket, remote: remote, base: base, isOurs: true, MonotonicClock.now())
    }

    /// Ends a connection; the peer whose it is learns of it.
    func end(_ connection: StreamConnection, now: Instant) {
        guard connections[connection.remote] === connection else { return }
        connections[connection.remote] = nil
        hosts.remove(connection.remote)
        if !connection.isProven {
            forgetUnproven(connection)
            mux.statistics.refusedConnections += 1
        }
        mux.statistics.sendQueueDrops += connection.close()
        mux.streamEnded(connection.remote, base: connection.base, now: now)
    }

    /// Ends all connections: the address that they lead from is gone.
    func endAll(now: Instant) {
        for connection in Array(connections.values) { end(connection, now: now) }
    }

    func close() {
        isClosed = true
        listener?.close()
        for connection in connections.values { _ = connection.close() }
        connections.removeAll()
        unproven.removeAll()
        (hosts, unprovenHosts) = (HostCounts(), HostCounts())
        sweepAt = .distantFuture
    }

    // MARK: Receiving

    /// A packet has come, in place. Whoever begins with anything but a check is no peer.
    func received(_ packet: UnsafeMutableRawBufferPointer, over connection: StreamConnection, now: Instant) {
        guard connection.isProven || STUNUsername.localFragment(UnsafeRawBufferPointer(packet)) != nil else {
            return end(connection, now: now)
        }
        mux.receive(packet, DatagramArrival(source: connection.remote, base: connection.base, now: now, time: now))
        if !connection.isProven, mux.knows(connection.remote) {
            connection.isProven = true
            forgetUnproven(connection)
        }
    }

    // MARK: Sending

    /// Takes what goes over TCP out of the outbox and sends it.
    func prepare(_ outbox: Outbox) {
        guard isUsed else { return }
        var isDropping = false
        for index in 0..<outbox.datagrams.count where outbox.datagrams[index].destination.isTCP {
            isDropping = true
            stage(outbox.datagrams[index], outbox.bytes(of: outbox.datagrams[index]))
            outbox.drop(index)
        }
        guard isDropping else { return }
        outbox.removeDropped()
        for connection in staged { flush(connection) }
        staged.removeAll(keepingCapacity: true)
    }

    /// Only a check has a connection opened: other packets for one that is gone are lost, as on a network.
    private func stage(_ datagram: Outbox.Datagram, _ bytes: UnsafeRawBufferPointer) {
        let known = connections[datagram.destination]
        guard let connection = known ?? (bytes.first.map { $0 < 4 } == true ? open(datagram.destination) : nil) else {
            mux.statistics.sendFailures += 1
            return
        }
        if connection.staged == nil {
            connection.staged = spare.popLast() ?? FrameBatch()
            staged.append(connection)
        }
        connection.staged?.add(bytes, datagram.urgency)
    }

    private func flush(_ connection: StreamConnection) {
        guard var batch = connection.staged else { return }
        connection.staged = nil
        let result = connection.send(batch)
        mux.statistics.note(.sent, result.taken, result.bytes)
        mux.statistics.sendQueueDrops += result.dropped
        batch.removeAll()
        if spare.count < 4 { spare.append(batch) }
    }

    // MARK: Time

    /// When connections are looked at next.
    var nextDeadline: Instant { sweepAt }

    /// Has silent connections looked for, and a listener that has paused taken up again.
    func scheduleSweep() {
        guard sweepAt == .distantFuture else { return }
        sweepAt = MonotonicClock.now() + StreamPort.sweepInterval
        mux.scheduleAnew()
    }

    func advance(to now: Instant) {
        guard sweepAt <= now else { return }
        sweepAt = .distantFuture
        listener?.resume()
        for connection in Array(connections.values) where isOver(connection, now) { end(connection, now: now) }
        if !connections.isEmpty { sweepAt = now + StreamPort.sweepInterval }
    }

    private func isOver(_ connection: StreamConnection, _ now: Instant) -> Bool {
        if connection.isOpening || !connection.isProven { return now - connection.openedAt >= limits.proof }
        return now - connection.lastReceived >= limits.idle || !mux.knows(connection.remote)
    }
}
