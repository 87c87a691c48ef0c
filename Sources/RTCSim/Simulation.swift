import RTCCore
import RTCWire

/// Something with addresses in a simulated network: a peer, or a whole server.
package protocol SimulatedNode: AnyObject {
    /// Where datagrams for this node go.
    var address: TransportAddress { get }
    /// Takes a datagram in; `buffer` may be changed and is valid during the call.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant, into outbox: Outbox)
    func advance(to now: Instant, into outbox: Outbox)
    var nextDeadline: Instant? { get }
}

/// Nodes, a network between them and one virtual clock that jumps from deadline to deadline.
package final class Simulation {
    package private(set) var clock = VirtualClock()
    package var network: SimulatedNetwork
    /// Sees every datagram as it is sent, before the network decides about it.
    package var onSend: ((_ bytes: UnsafeRawBufferPointer, _ from: TransportAddress, _ to: TransportAddress) -> Void)?
    /// Iterations so far: a measure of how busy the nodes are.
    package private(set) var steps = 0
    /// A node asked for the same moment over and over; `run` gave up.
    package private(set) var isStuck = false
    private var stepsAtInstant = 0

    private var nodes: [any SimulatedNode] = []
    private var tasks = EventQueue<() -> Void>()
    private let outbox = Outbox()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    package init(network: SimulatedNetwork) { self.network = network }

    deinit { buffer.deallocate() }

    package var now: Instant { clock.now }

    package func add(_ node: any SimulatedNode) { nodes.append(node) }

    /// Takes a node out; what is on its way to it is lost.
    package func remove(_ node: any SimulatedNode) { nodes.removeAll { $0 === node } }

    /// Runs `body` at `instant`, or as soon as time moves where that has passed.
    package func schedule(at instant: Instant, _ body: @escaping () -> Void) { tasks.add(body, at: instant) }

    /// Runs `body` every `interval` from `start` until it gives false.
    package func schedule(every interval: Interval, from start: Instant, _ body: @escaping () -> Bool) {
        schedule(at: start) { [unowned self] in
            if body() { schedule(every: interval, from: start + interval, body) }
        }
    }

    /// Lets `body` drive a node now; what it puts into the outbox leaves from the node's address.
    @discardableResult
    package func perform<Result>(_ node: any SimulatedNode, _ body: (Outbox) throws -> Result) rethrows -> Result {
        defer { flush(node) }
        return try body(outbox)
    }

    /// Puts a datagram with any source address onto the network, as an attacker may.
    package func inject(_ bytes: UnsafeRawBufferPointer, from: TransportAddress, to: TransportAddress) {
        network.send(bytes, from: from, to: to, at: now)
    }

    /// Runs until `end`, or until `condition`, which is asked after every step, holds. Gives whether it held.
    @discardableResult
    package func run(until end: Instant, or condition: () -> Bool = { false }) -> Bool {
        while !condition() {
            guard let next = nextInstant, next <= end, !isStuck else {
                clock.advance(to: end)
                return false
            }
            step(to: next)
        }
        return true
    }

    package func run(for interval: Interval) { run(until: now + interval) }

    private var nextInstant: Instant? {
        var next = tasks.next ?? .distantFuture
        next = min(next, network.nextArrival ?? .distantFuture)
        for node in nodes { next = min(next, node.nextDeadline ?? .distantFuture) }
        return next == .distantFuture ? nil : next
    }

    private func step(to instant: Instant) {
        steps += 1
        stepsAtInstant = instant > now ? 0 : stepsAtInstant + 1
        isStuck = stepsAtInstant > 100_000
        clock.advance(to: instant)
        while let task = tasks.pop(by: now) { task.element() }
        while let datagram = network.receive(by: now) { deliver(datagram) }
        for node in nodes where node.nextDeadline ?? .distantFuture <= now {
            node.advance(to: now, into: outbox)
            flush(node)
        }
    }

    private func deliver(_ datagram: SimulatedNetwork.Datagram) {
        guard let node = nodes.first(where: { $0.address == datagram.destination }) else { return }
        buffer.copyBytes(from: datagram.bytes)
        let received = UnsafeMutableRawBufferPointer(rebasing: buffer[..<datagram.bytes.count])
        node.receive(received, from: datagram.source, now: now, into: outbox)
        flush(node)
    }

    private func flush(_ node: any SimulatedNode) {
        for datagram in outbox.datagrams {
            let bytes = outbox.bytes(of: datagram)
            onSend?(bytes, node.address, datagram.destination)
            network.send(bytes, from: node.address, to: datagram.destination, at: now)
        }
        outbox.removeAll()
    }
}
