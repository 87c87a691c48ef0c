/// One ICE candidate, as `a=candidate` and trickled candidates write it (RFC 8839 section 5.1).
///
/// `candidate:<foundation> <component> <transport> <priority> <address> <port> typ <type>`
/// `[ raddr <address>][ rport <port>][ <name> <value>]...`
package struct ICECandidate: Hashable, Sendable {
    package enum TransportProtocol: Hashable, Sendable {
        case udp
        case tcp
        case other(String)
    }

    package enum CandidateType: Hashable, Sendable {
        case host
        case serverReflexive
        case peerReflexive
        case relay
        case other(String)
    }

    /// One of the `<name> <value>` pairs at the end: `generation 0`, `ufrag x`, `tcptype active` ...
    package struct Extension: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// 1...32 characters; candidates of equal foundation share base, type and protocol.
    package var foundation: String
    /// 1 is RTP, or everything where RTCP is multiplexed; 2 is RTCP. 1...256.
    package var component: Int
    package var transportProtocol: TransportProtocol
    package var priority: UInt32
    /// The address as written: an IP address or a name (`….local`, a domain name).
    package var host: String
    package var port: UInt16
    package var type: CandidateType
    /// Base or mapped address as written; `0.0.0.0` where hidden.
    package var relatedHost: String?
    package var relatedPort: UInt16?
    package var extensions: [Extension]

    /// A candidate of our own, on component 1.
    ///
    /// - Parameter tcpType: of a TCP candidate `active` or `passive` (RFC 6544 section 4.5).
    package init(
        foundation: String, priority: UInt32, address: TransportAddress, type: CandidateType,
        related: TransportAddress? = nil, tcpType: String? = nil, ufrag: String? = nil
    ) {
        self.foundation = foundation
        component = 1
        transportProtocol = address.transport == .tcp ? .tcp : .udp
        self.priority = priority
        host = address.host
        port = address.port
        self.type = type
        relatedHost = related?.host
        relatedPort = related?.port
        extensions = []
        if let tcpType { extensions.append(Extension(name: "tcptype", value: tcpType)) }
        if let ufrag { extensions.append(Extension(name: "ufrag", value: ufrag)) }
    }

    /// Reads a candidate with or without `a=` and `candidate:` before it.
    package init(parsing text: String) throws(SDPError) {
        guard text.utf8.count <= ICECandidate.lengthLimit else { throw .invalidCandidate(field: "length") }
        let parts = ICECandidate.body(text).fields()
        guard parts.count >= 8, parts[6] == "typ" else { throw .invalidCandidate(field: "number of fields") }
        guard parts[0].utf8.count <= 32 else { throw .invalidCandidate(field: "foundation") }
        guard let component = UInt16(parts[1]), (1...256).contains(component) else {
            throw .invalidCandidate(field: "component")
        }
        guard let priority = UInt32(parts[3]) else { throw .invalidCandidate(field: "priority") }
        guard let port = UInt16(parts[5]) else { throw .invalidCandidate(field: "port") }
        foundation = parts[0]
        self.component = Int(component)
        transportProtocol = TransportProtocol(parts[2])
        self.priority = priority
        host = parts[4]
        self.port = port
        type = CandidateType(parts[7])
        extensions = []
        try readPairs(parts[8...])
    }

    private mutating func readPairs(_ parts: ArraySlice<String>) throws(SDPError) {
        var rest = parts
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw .invalidCandidate(field: "value of \(name)") }
            switch name {
            case "raddr" where relatedHost == nil && extensions.isEmpty:
                relatedHost = value
            case "rport" where relatedPort == nil && extensions.isEmpty:
                guard let port = UInt16(value) else { throw .invalidCandidate(field: "rport") }
                relatedPort = port
            default:
                extensions.append(Extension(name: name, value: value))
            }
        }
    }

    private static func body(_ text: String) -> String {
        var body = text.trimmed
        for prefix in ["a=", "candidate:"] where body.hasPrefix(prefix) { body.removeFirst(prefix.count) }
        return body
    }

    /// Longest text taken, in bytes.
    package static let lengthLimit = 2048
}

extension ICECandidate {
    /// The address where it is one; nil for a name (mDNS `.local` or a domain name).
    package var address: TransportAddress? {
        TransportAddress(host: host, port: port)?.over(transportProtocol == .tcp ? .tcp : .udp)
    }
    /// The related address where it is one.
    package var related: TransportAddress? {
        guard let relatedHost, let relatedPort else { return nil }
        return TransportAddress(host: relatedHost, port: relatedPort)
    }
    /// The ufrag of the ICE generation that the candidate belongs to.
    package var ufrag: String? { self["ufrag"] }
    /// `active`, `passive` or `so` for TCP candidates (RFC 6544).
    package var tcpType: String? { self["tcptype"] }

    /// The value of the first extension of that name.
    package subscript(name: String) -> String? { extensions.first { $0.name == name }?.value }

    /// The text from `candidate:` on, as `RTCIceCandidateInit.candidate` has it.
    package var encoded: String { "candidate:\(description)" }
}

extension ICECandidate: CustomStringConvertible {
    /// The value of the `a=candidate` attribute.
    package var description: String {
        var text = "\(foundation) \(component) \(transportProtocol) \(priority) \(host) \(port) typ \(type)"
        if let relatedHost { text += " raddr \(relatedHost)" }
        if let relatedPort { text += " rport \(relatedPort)" }
        for pair in extensions { text += " \(pair.name) \(pair.value)" }
        return text
    }
}

extension ICECandidate.TransportProtocol: CustomStringConvertible {
    init(_ text: String) {
        switch text.asciiLowercased {
        case "udp": self = .udp
        case "tcp": self = .tcp
        default: self = .other(text)
        }
    }

    package var description: String {
        switch self {
        case .udp: "udp"
        case .tcp: "tcp"
        case .other(let text): text
        }
    }
}

extension ICECandidate.CandidateType: CustomStringConvertible {
    init(_ text: String) {
        switch text {
        case "host": self = .host
        case "srflx": self = .serverReflexive
        case "prflx": self = .peerReflexive
        case "relay": self = .relay
        default: self = .other(text)
        }
    }

    package var description: String {
        switch self {
        case .host: "host"
        case .serverReflexive: "srflx"
        case .peerReflexive: "prflx"
        case .relay: "relay"
        case .other(let text): text
        }
    }
}
