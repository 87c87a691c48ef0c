import RTCWire

/// What both hellos agreed on.
struct SessionParameters {
    var suite: TLSCipherSuite
    var clientRandom: [UInt8]
    var serverRandom: [UInt8]
    /// RFC 7627: both sides said extended_master_secret.
    var hasExtendedMasterSecret: Bool
    /// Nil where no profile is common to both.
    var srtpProfile: SRTPProfile?
}
