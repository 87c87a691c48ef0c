import RTCCore
import RTCWire

/// A TURN server in a simulation (RFC 8656): long-term credentials, nonces that grow old, allocations, permissions and
/// channels that run out. Each allocation is a node of its own.
package final class SimulatedTURNServer: SimulatedNode {
    package let address: TransportAddress
    package var nextDeadline: Instant? { nil }
    /// How long a nonce is taken.
    package var nonceLifetime = Interval.seconds(600)
    /// What an allocation may ask for at most, in seconds.
    package var maximumLifetime: UInt32 = 600
    /// Channels are refused, as servers without room for them do.
    package var refusesChannels = false
    /// Addresses that nobody may send to or hear from.
    package var forbidden: [TransportAddress] = []
    package private(set) var counts = Counts()
    package private(set) var allocations: [SimulatedAllocation] = []

    /// What the server has seen.
    package struct Counts {
        package var allocations = 0
        package var refreshes = 0
        package var permissions = 0
        package var channelBinds = 0
        package var unauthorized = 0
        package var staleNonces = 0
        package var mismatches = 0
        package var relayedByChannel = 0
        package var relayedByIndication = 0
        /// From peers without permission.
        package var rejected = 0
    }

    private let realm = "simulated.example"
    private let username: String
    private let password: String
    private unowned let simulation: Simulation
    private var nextPort: UInt16 = 50_000

    /// Adds itself to the simulation.
    package init(at address: TransportAddress, username: String, password: String, in simulation: Simulation) {
        self.address = address
        self.username = username
        self.password = password
        self.simulation = simulation
        simulation.add(self)
    }

    package func advance(to now: Instant, into outbox: Outbox) {}

    /// Forgets everything, as a restart does.
    package func restart() {
        for allocation in allocations { allocation.isOver = true }
        allocations.removeAll()
    }

    private func nonce(_ now: Instant) -> String { "nonce-\(now.nanoseconds / max(1, nonceLifetime.nanoseconds))" }

    // MARK: Messages

    package func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        let bytes = UnsafeRawBufferPointer(buffer)
        allocations.removeAll { $0.expire(now) }
        if let first = bytes.first, first >> 6 == 1 { return relayChannelData(bytes, source, now) }
        guard let message = try? STUNMessage(parsing: bytes.bytes) else { return }
        if message.messageClass == .indication { return relayIndication(message, bytes, source, now) }
        guard message.messageClass == .request else { return }
        if message.method == .binding {
            return answer(message, .success, source, outbox) { $0.addXOR(.xorMappedAddress, source) }
        }
        guard isAuthorized(message, bytes.bytes, source, now, outbox) else { return }
        handle(message, bytes.bytes, source, now, outbox)
    }

    private func isAuthorized(
        _ message: STUNMessage, _ bytes: RawSpan, _ source: TransportAddress, _ now: Instant, _ outbox: Outbox
    ) -> Bool {
        guard message.integrityOffset != nil, let name = message.usernameText(in: bytes) else {
            challenge(message, 401, source, now, outbox)
            return false
        }
        guard message.text(.nonce, in: bytes) == nonce(now) else {
            counts.staleNonces += 1
            challenge(message, 438, source, now, outbox)
            return false
        }
        guard name == username, let key,
            message.hasValidIntegrity(in: bytes, authenticate: { key.authenticate($0, into: $1) })
        else {
            counts.unauthorized += 1
            challenge(message, 401, source, now, outbox)
            return false
        }
        return true
    }

    private var key: HMACSHA1? { LongTermKey.make(username: username, realm: realm, password: password) }

    private func challenge(
        _ message: STUNMessage, _ code: UInt16, _ source: TransportAddress, _ now: Instant, _ outbox: Outbox
    ) {
        answer(message, .error, source, outbox, isSigned: false) {
            $0.addErrorCode(code, reason: "")
            $0.add(.realm, self.realm)
            $0.add(.nonce, self.nonce(now))
        }
    }

    private func handle(
        _ message: STUNMessage, _ bytes: RawSpan, _ source: TransportAddress, _ now: Instant, _ outbox: Outbox
    ) {
        let known = allocations.first { $0.client == source }
        switch (message.method, known) {
        case (.allocate, nil): allocate(message, source, now, outbox)
        case (.allocate, let known?) where known.transaction == message.transactionID:
            succeedAllocation(known, message, source, outbox)
        case (.refresh, let known?):
            counts.refreshes += 1
            let lifetime = min(message.lifetime(in: bytes) ?? 600, maximumLifetime)
            known.expiresAt = now + .seconds(Int(lifetime))
            answer(message, .success, source, outbox) { $0.add(.lifetime, lifetime) }
            allocations.removeAll { $0.expire(now) }
        case (.createPermission, let known?): permit(message, bytes, known, now, outbox)
        case (.channelBind, let known?): bind(message, bytes, known, now, outbox)
        default:
            counts.mismatches += 1
            answer(message, .error, source, outbox) { $0.addErrorCode(437, reason: "Allocation Mismatch") }
        }
    }

    private func allocate(_ message: STUNMessage, _ source: TransportAddress, _ now: Instant, _ outbox: Outbox) {
        counts.allocations += 1
        let relayed = TransportAddress(ipv4: address.ipv4, port: nextPort)
        nextPort &+= 1
        let allocation = SimulatedAllocation(
            at: relayed, client: source, transaction: message.transactionID, server: self, in: simulation)
        allocation.expiresAt = now + .seconds(Int(maximumLifetime))
        allocations.append(allocation)
        succeedAllocation(allocation, message, source, outbox)
    }

    private func succeedAllocation(
        _ allocation: SimulatedAllocation, _ message: STUNMessage, _ source: TransportAddress, _ outbox: Outbox
    ) {
        answer(message, .success, source, outbox) {
            $0.addXOR(.xorRelayedAddress, allocation.address)
            $0.addXOR(.xorMappedAddress, source)
            $0.add(.lifetime, self.maximumLifetime)
        }
    }

    private func permit(
        _ message: STUNMessage, _ bytes: RawSpan, _ allocation: SimulatedAllocation, _ now: Instant, _ outbox: Outbox
    ) {
        counts.permissions += 1
        guard let peer = message.peerAddress(in: bytes), !forbidden.contains(where: { $0.ipv4 == peer.ipv4 }) else {
            return answer(message, .error, allocation.client, outbox) { $0.addErrorCode(403, reason: "Forbidden") }
        }
        allocation.permissions[peer.ipv4] = now + .seconds(300)
        answer(message, .success, allocation.client, outbox) { _ in }
    }

    private func bind(
        _ message: STUNMessage, _ bytes: RawSpan, _ allocation: SimulatedAllocation, _ now: Instant, _ outbox: Outbox
    ) {
        counts.channelBinds += 1
        guard !refusesChannels, let number = message.channelNumber(in: bytes), ChannelData.numbers.contains(number),
            let peer = message.peerAddress(in: bytes), allocation.bind(number, to: peer, now: now)
        else {
            return answer(message, .error, allocation.client, outbox) { $0.addErrorCode(400, reason: "Bad Request") }
        }
        allocation.permissions[peer.ipv4] = now + .seconds(300)
        answer(message, .success, allocation.client, outbox) { _ in }
    }

    private func answer(
        _ message: STUNMessage, _ messageClass: STUNClass, _ source: TransportAddress, _ outbox: Outbox,
        isSigned: Bool = true, _ body: (inout STUNMessageBuilder) -> Void
    ) {
        var builder = STUNMessageBuilder(
            messageClass, message.method, message.transactionID, into: outbox.reserve(512))
        body(&builder)
        if isSigned, message.method != .binding, let key { builder.addIntegrity { key.authenticate($0, into: $1) } }
        outbox.commit(builder.finish(), to: source)
    }

    // MARK: Data

    private func relayChannelData(_ bytes: UnsafeRawBufferPointer, _ source: TransportAddress, _ now: Instant) {
        guard let allocation = allocations.first(where: { $0.client == source }),
            let data = try? ChannelData(parsing: bytes.bytes), let peer = allocation.peer(of: data.number, now: now)
        else { return }
        counts.relayedByChannel += 1
        simulation.inject(UnsafeRawBufferPointer(rebasing: bytes[data.payload]), from: allocation.address, to: peer)
    }

    private func relayIndication(
        _ message: STUNMessage, _ bytes: UnsafeRawBufferPointer, _ source: TransportAddress, _ now: Instant
    ) {
        guard let allocation = allocations.first(where: { $0.client == source }), message.method == .send,
            let peer = message.peerAddress(in: bytes.bytes), let range = message.range(of: .data, in: bytes.bytes),
            allocation.permits(peer, now: now)
        else { return }
        counts.relayedByIndication += 1
        simulation.inject(UnsafeRawBufferPointer(rebasing: bytes[range]), from: allocation.address, to: peer)
    }

    /// A peer's datagram has come to an allocation.
    func relay(
        _ bytes: UnsafeRawBufferPointer, from peer: TransportAddress, _ allocation: SimulatedAllocation, _ now: Instant
    ) {
        guard !allocation.isOver, allocation.permits(peer, now: now) else {
            counts.rejected += 1
            return
        }
        let outbox = Outbox()
        if let number = allocation.number(of: peer, now: now) {
            counts.relayedByChannel += 1
            outbox.append(bytes, to: allocation.client)
            outbox.frame(
                0, header: ChannelData.header(number: number, length: bytes.count), isPadded: false,
                to: allocation.client, path: 0)
        } else {
            counts.relayedByIndication += 1
            var builder = STUNMessageBuilder(
                .indication, .data, STUNTransactionID(high: 7, low: 7), into: outbox.reserve(bytes.count + 64))
            builder.addXOR(.xorPeerAddress, peer)
            builder.add(.data, bytes)
            outbox.commit(builder.finish(), to: allocation.client)
        }
        simulation.inject(outbox.bytes(of: outbox.datagrams[0]), from: address, to: allocation.client)
    }
}

/// One allocation: the address that peers send to.
package final class SimulatedAllocation: SimulatedNode {
    package let address: TransportAddress
    package let client: TransportAddress
    package var nextDeadline: Instant? { nil }
    package internal(set) var expiresAt = Instant.distantFuture
    package internal(set) var isOver = false
    /// By IPv4 address, until when.
    package internal(set) var permissions: [UInt32: Instant] = [:]
    /// By number: for whom, and until when.
    package private(set) var channels: [UInt16: (peer: TransportAddress, until: Instant)] = [:]
    let transaction: STUNTransactionID
    private unowned let server: SimulatedTURNServer

    init(
        at address: TransportAddress, client: TransportAddress, transaction: STUNTransactionID,
        server: SimulatedTURNServer, in simulation: Simulation
    ) {
        self.address = address
        self.client = client
        self.transaction = transaction
        self.server = server
        simulation.add(self)
    }

    package func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant, into outbox: Outbox
    ) {
        server.relay(UnsafeRawBufferPointer(buffer), from: source, self, now)
    }

    package func advance(to now: Instant, into outbox: Outbox) {}

    func expire(_ now: Instant) -> Bool {
        if expiresAt <= now { isOver = true }
        return isOver
    }

    func permits(_ peer: TransportAddress, now: Instant) -> Bool {
        permissions[peer.ipv4].map { $0 > now } ?? false
    }

    /// A number stays one peer's, and a peer has one number (RFC 8656 section 12.2).
    func bind(_ number: UInt16, to peer: TransportAddress, now: Instant) -> Bool {
        channels = channels.filter { $0.value.until > now }
        if let known = channels[number], known.peer != peer { return false }
        if channels.contains(where: { $0.value.peer == peer && $0.key != number }) { return false }
        channels[number] = (peer, now + .seconds(600))
        return true
    }

    func peer(of number: UInt16, now: Instant) -> TransportAddress? {
        channels[number].flatMap { $0.until > now && permits($0.peer, now: now) ? $0.peer : nil }
    }

    func number(of peer: TransportAddress, now: Instant) -> UInt16? {
        channels.first { $0.value.peer == peer && $0.value.until > now }?.key
    }
}
