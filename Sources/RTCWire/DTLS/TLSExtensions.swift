/// The extensions of a hello, RFC 5246 section 7.4.1.4. Those that nobody here reads are kept by number alone.
///
/// ```
///  struct { ExtensionType type; opaque data<0..2^16-1>; } Extension;
///  Extension extensions<0..2^16-1>;
/// ```
package struct TLSExtensions: Hashable, Sendable {
    /// Numbers of IANA's registry.
    package enum Kind {
        /// supported_groups, RFC 8422 section 5.1.1
        package static let supportedGroups: UInt16 = 10
        /// ec_point_formats, RFC 8422 section 5.1.2
        package static let pointFormats: UInt16 = 11
        /// signature_algorithms, RFC 5246 section 7.4.1.4.1
        package static let signatureAlgorithms: UInt16 = 13
        /// use_srtp, RFC 5764 section 4.1.1
        package static let useSRTP: UInt16 = 14
        /// extended_master_secret, RFC 7627 section 5.1
        package static let extendedMasterSecret: UInt16 = 23
        /// renegotiation_info, RFC 5746 section 3.2
        package static let renegotiationInfo: UInt16 = 0xff01
    }

    /// Groups, by number; nil where nothing was said.
    package var supportedGroups: [UInt16]?
    /// Point formats, by number; nil where nothing was said.
    package var pointFormats: [UInt8]?
    /// Signature schemes, by number; nil where nothing was said.
    package var signatureAlgorithms: [UInt16]?
    package var useSRTP: UseSRTPExtension?
    package var hasExtendedMasterSecret = false
    /// renegotiated_connection; empty in a first handshake.
    package var renegotiationInfo: [UInt8]?
    /// Numbers of all others, in order.
    package var others: [UInt16] = []

    package init() {}

    /// Reads the rest of a hello: nothing at all, or one vector of extensions, none of them twice.
    init(parsing reader: inout TLSReader) throws(WireError) {
        guard !reader.isAtEnd else { return }
        var list = TLSReader(try reader.vector(2))
        try reader.expectEnd()
        var seen: Set<UInt16> = []
        while !list.isAtEnd {
            let kind = try list.uint16()
            guard seen.insert(kind).inserted else { throw .invalidValue }
            try take(kind, TLSReader(list.vector(2)))
        }
    }

    private mutating func take(_ kind: UInt16, _ data: TLSReader) throws(WireError) {
        var data = data
        switch kind {
        case Kind.supportedGroups: supportedGroups = try data.numbers(2)
        case Kind.pointFormats: pointFormats = try data.vector(1)
        case Kind.signatureAlgorithms: signatureAlgorithms = try data.numbers(2)
        case Kind.useSRTP: useSRTP = try UseSRTPExtension(parsing: &data)
        case Kind.extendedMasterSecret: hasExtendedMasterSecret = true
        case Kind.renegotiationInfo: renegotiationInfo = try data.vector(1)
        default:
            others.append(kind)
            return
        }
        try data.expectEnd()
    }

    /// Appends all but the others, with the length before them; nothing where there are none.
    func append(to bytes: inout [UInt8]) {
        var list: [UInt8] = []
        func add(_ kind: UInt16, _ write: (inout [UInt8]) -> Void) {
            var data: [UInt8] = []
            write(&data)
            list.append16(kind)
            list.appendVector(data, 2)
        }
        if let renegotiationInfo { add(Kind.renegotiationInfo) { $0.appendVector(renegotiationInfo, 1) } }
        if hasExtendedMasterSecret { add(Kind.extendedMasterSecret) { _ in } }
        if let supportedGroups { add(Kind.supportedGroups) { $0.appendNumbers(supportedGroups, 2) } }
        if let pointFormats { add(Kind.pointFormats) { $0.appendVector(pointFormats, 1) } }
        if let signatureAlgorithms { add(Kind.signatureAlgorithms) { $0.appendNumbers(signatureAlgorithms, 2) } }
        if let useSRTP { add(Kind.useSRTP) { useSRTP.append(to: &$0) } }
        if !list.isEmpty { bytes.appendVector(list, 2) }
    }
}
