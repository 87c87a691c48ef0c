import NIOCore
import NIOPosix
import RTCCore
import RTCWire

/// Drives an `MDNSResolver` on a loop: it asks on every interface, and has sockets open only while something is asked for.
// Every member is touched on the loop only.
package final class MulticastLookup {
    /// More than machines have; each has up to four sockets while something is asked for.
    private static let maximumInterfaces = 8
    /// Who waits for one name: more than a host has candidates, however often a stranger repeats them.
    private static let maximumWaiting = 16

    private let loop: DatagramLoop
    private let families: MDNSFamilies
    private var resolver: MDNSResolver
    private let outbox = DatagramOutbox(capacity: 1024)
    private var asking: [TransportAddress: [MulticastSocket]] = [:]
    private var watched: [(socket: MulticastSocket, token: UInt64)] = []
    private var waiting: [HiddenHostName: [(TransportAddress?) -> Void]] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.advance() }

    /// - Parameter mux: on whose loop, and for whose families of addresses.
    package init(_ mux: UDPMux) {
        loop = mux.loop
        var families = MDNSFamilies()
        for address in mux.bases.addresses { families.insert(address.isIPv4 ? .ipv4 : .ipv6) }
        self.families = families
        resolver = MDNSResolver(families: families)
    }

    package var statistics: MDNSStatistics { resolver.statistics }

    /// Asks for the address of a name. On the loop, as `done` is called: with the address, its port 0, or with nil where
    /// nobody answers within 5 s, one name too many was asked for, or too many wait for this one.
    package func resolve(_ name: HiddenHostName, _ done: @escaping (TransportAddress?) -> Void) {
        loop.preconditionInEventLoop()
        switch resolver.resolve(name, now: MonotonicClock.now()) {
        case .found(let address): done(address)
        case .refused: done(nil)
        case .awaited:
            guard waiting[name, default: []].count < MulticastLookup.maximumWaiting else { return done(nil) }
            waiting[name, default: []].append(done)
            if asking.isEmpty { open() }
            advance()
        }
    }

    /// Gives up what is asked for, without a word.
    package func close() {
        loop.remove(timer)
        waiting.removeAll()
        closeSockets()
    }

    // MARK: Time

    private func advance() {
        let ended = resolver.advance(to: MonotonicClock.now(), into: outbox)
        for datagram in outbox.datagrams {
            for socket in asking[datagram.destination] ?? [] { socket.ask(outbox.bytes(of: datagram)) }
        }
        outbox.removeDatagrams()
        for name in ended { tell(name, nil) }
        settle()
    }

    private func settle() {
        if let next = resolver.nextDeadline {
            loop.set(timer, to: next)
        } else {
            loop.remove(timer)
            closeSockets()
        }
    }

    private func tell(_ name: HiddenHostName, _ address: TransportAddress?) {
        for done in waiting.removeValue(forKey: name) ?? [] { done(address) }
    }

    // MARK: Sockets

    /// What an interface does not give is done without: another one may.
    private func open() {
        for group in MDNSResolver.groups {
            for interface in MulticastLookup.interfaces(isIPv4: group.isIPv4) {
                if let socket = open(group, interface, listening: false) { asking[group, default: []].append(socket) }
                _ = open(group, interface, listening: true)
            }
        }
    }

    private func open(_ group: TransportAddress, _ interface: UInt32, listening: Bool) -> MulticastSocket? {
        guard let socket = try? MulticastSocket(group: group, interface: interface, listening: listening),
            let token = try? loop.add(socket.descriptor, self)
        else { return nil }
        watched.append((socket, token))
        return socket
    }

    /// Numbers of the interfaces that have an address of the family.
    private static func interfaces(isIPv4: Bool) -> [UInt32] {
        let devices = (try? System.enumerateDevices()) ?? []
        let numbers = devices.filter { $0.address?.protocol == (isIPv4 ? .inet : .inet6) }
            .map { UInt32(truncatingIfNeeded: $0.interfaceIndex) }
        return Array(Set(numbers).sorted().prefix(maximumInterfaces))
    }

    private func closeSockets() {
        for (socket, token) in watched {
            loop.remove(socket.descriptor, token: token)
            socket.close()
        }
        watched.removeAll()
        asking.removeAll()
    }
}

extension MulticastLookup: DatagramSource {
    func socketIsReadable() {
        var found: [(name: HiddenHostName, address: TransportAddress)] = []
        for (socket, _) in watched {
            let count = loop.receiver.read(socket.descriptor)
            loop.receiver.forEach(count) { bytes, _, _ in
                found += resolver.receive(UnsafeRawBufferPointer(bytes))
            }
        }
        for answer in found { tell(answer.name, answer.address) }
        if !watched.isEmpty { settle() }
    }

    func socketIsWritable() {}
}
