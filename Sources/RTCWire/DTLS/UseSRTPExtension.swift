/// use_srtp, RFC 5764 section 4.1.1.
///
/// ```
///  struct {
///     SRTPProtectionProfiles SRTPProtectionProfiles;   uint16 list<2..2^16-1>
///     opaque srtp_mki<0..255>;
///  } UseSRTPData;
/// ```
package struct UseSRTPExtension: Hashable, Sendable {
    /// Profiles by number: a client's in order of preference, of a server the one that it chose.
    package var profiles: [UInt16]
    /// Master key identifier; nobody in WebRTC has one.
    package var mki: [UInt8]

    package init(profiles: [UInt16], mki: [UInt8] = []) {
        self.profiles = profiles
        self.mki = mki
    }

    init(parsing reader: inout TLSReader) throws(WireError) {
        profiles = try reader.numbers(2)
        mki = try reader.vector(1)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.appendNumbers(profiles, 2)
        bytes.appendVector(mki, 1)
    }
}
