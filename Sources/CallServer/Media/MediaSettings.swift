import NIOCore
import NIOPosix
import RTCCore
import RTCTransport
import RTCWire

/// What all media connections of a server share.
struct MediaSettings: Sendable {
    let certificate: DTLSCertificate
    let srtpBackend: SRTPBackend
    let srtpProfiles: [SRTPProfile]
    /// The addresses that clients are told; the port is each loop's own.
    let addresses: [TransportAddress]

    /// Throws `CallServerError`.
    init(_ configuration: CallServerConfiguration) throws(CallServerError) {
        do {
            certificate = try DTLSCertificate.generate()
        } catch {
            throw .noCertificate("\(error)")
        }
        srtpBackend = configuration.srtpBackend
        srtpProfiles = configuration.srtpProfiles
        addresses = try MediaSettings.addresses(configuration)
    }

    private static func addresses(_ configuration: CallServerConfiguration) throws(CallServerError)
        -> [TransportAddress]
    {
        var result: [TransportAddress] = []
        for name in configuration.advertisedAddresses {
            guard let address = TransportAddress(host: name, port: 0) else { throw .noMediaAddress(name) }
            result.append(address)
        }
        guard result.isEmpty else { return result }
        if let host = resolve(configuration.mediaHost), !host.isUnspecified { return [host] }
        let devices = (try? System.enumerateDevices()) ?? []
        result = devices.compactMap { $0.address.flatMap { TransportAddress($0) } }
            .filter { !$0.isUnspecified && !$0.isLinkLocal }
        // Loopback only where there is nothing else: others can't reach it.
        let reachable = result.filter { !$0.isLoopback }
        if !reachable.isEmpty { result = reachable }
        guard !result.isEmpty else { throw .noMediaAddress(configuration.mediaHost) }
        return result
    }

    private static func resolve(_ host: String) -> TransportAddress? {
        if let address = TransportAddress(host: host, port: 0) { return address }
        guard let resolved = try? SocketAddress.makeAddressResolvingHost(host, port: 0) else { return nil }
        return TransportAddress(resolved)
    }
}

extension TransportAddress {
    var isUnspecified: Bool { isIPv4 ? ipv4 == 0 : high == 0 && low == 0 }
    var isLoopback: Bool { isIPv4 ? ipv4 >> 24 == 127 : high == 0 && low == 1 }
    /// fe80::/10 needs a scope that candidates can't name; 169.254/16 is no use to others.
    var isLinkLocal: Bool { isIPv4 ? ipv4 >> 16 == 0xa9fe : high >> 54 == 0x3fa }
}
