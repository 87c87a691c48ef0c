import RTCWire

/// SRTP and SRTCP of one connection, both directions, any number of sources (RFC 3711, RFC 7714).
///
/// Packets are sealed and opened in place. Nothing is allocated per packet; a source's state is made when its first
/// packet is sealed, or has proved authentic. A refused packet is counted by reason in `statistics`.
package struct SRTPSession: ~Copyable {
    /// Sources per direction whose state is kept whole; the one unused for the longest while makes place for another.
    package static let sourceLimit = 1024
    /// Sources that made place and whose indices are still known, inbound. Beyond, only announced sources are new ones.
    package static let inboundLimit = 65_536
    /// The same outbound, where none may be forgotten: beyond, packets of further sources are refused.
    package static let outboundLimit = 1 << 20

    package let profile: SRTPProfile
    package let backend: SRTPBackend
    /// What happened so far.
    package private(set) var statistics = SRTPStatistics()
    private let engine: Engine

    private enum Engine {
        case libcrypto(CryptoSRTP)
        case libsrtp2(LibrarySRTP)

        init(_ keys: SRTPKeyingMaterial, _ role: DTLSRole, _ backend: SRTPBackend) throws(CryptoError) {
            switch backend {
            case .libcrypto: self = .libcrypto(try CryptoSRTP(keys: keys, role: role))
            case .libsrtp2: self = .libsrtp2(try LibrarySRTP(keys: keys, role: role))
            }
        }
    }

    /// - Parameters:
    ///   - keys: what DTLS exported.
    ///   - role: our role in that handshake; it says which keys are ours to write with.
    package init(keys: SRTPKeyingMaterial, role: DTLSRole, backend: SRTPBackend = .libcrypto) throws(CryptoError) {
        try keys.checkLengths()
        engine = try Engine(keys, role, backend)
        profile = keys.profile
        self.backend = backend
    }

    /// So many sources have come and gone that one which nobody has announced could be a replay of one that is forgotten:
    /// the caller refuses it.
    package var takesAnnouncedOnly: Bool {
        switch engine {
        case .libcrypto(let engine): engine.takesAnnouncedOnly
        case .libsrtp2(let engine): engine.takesAnnouncedOnly
        }
    }

    /// Seals the RTP packet in the first `length` bytes of `buffer`.
    ///
    /// - Parameter payloadOffset: length of the header, CSRCs and extension block included.
    /// - Returns: the new length, `profile.rtpOverhead` more, or nil where the packet must not be sent: no room behind
    ///   it, or its sequence number was sealed before (a key stream is used once).
    package mutating func protectRTP(
        _ buffer: UnsafeMutableRawBufferPointer, length: Int, payloadOffset: Int
    ) -> Int? {
        do throws(SRTPRefusal) {
            guard length >= RTPHeader.fixedLength, length <= buffer.count - profile.rtpOverhead,
                payloadOffset >= RTPHeader.fixedLength, payloadOffset <= length
            else { throw .unsealable }
            switch engine {
            case .libcrypto(let engine): try engine.sealRTP(buffer, length, payloadOffset)
            case .libsrtp2(let engine): try engine.sealRTP(buffer, length)
            }
            statistics.protected &+= 1
            return length + profile.rtpOverhead
        } catch {
            statistics.count(error)
            return nil
        }
    }

    /// Opens the SRTP packet in the first `length` bytes of `buffer`.
    ///
    /// - Parameter payloadOffset: length of the header, as parsed from the sealed packet.
    /// - Returns: the length without the tag, or nil: then the bytes behind the header are undefined.
    package mutating func unprotectRTP(
        _ buffer: UnsafeMutableRawBufferPointer, length: Int, payloadOffset: Int
    ) -> Int? {
        do throws(SRTPRefusal) {
            guard length <= buffer.count, payloadOffset >= RTPHeader.fixedLength,
                payloadOffset <= length - profile.rtpOverhead
            else { throw .malformed }
            switch engine {
            case .libcrypto(let engine): try engine.openRTP(buffer, length, payloadOffset)
            case .libsrtp2(let engine): try engine.openRTP(buffer, length)
            }
            statistics.unprotected &+= 1
            return length - profile.rtpOverhead
        } catch {
            statistics.count(error)
            return nil
        }
    }

    /// Opens the SRTP packet whose header is already parsed.
    package mutating func unprotectRTP(
        _ buffer: UnsafeMutableRawBufferPointer, length: Int, header: RTPHeader
    ) -> Int? {
        unprotectRTP(buffer, length: length, payloadOffset: header.payloadOffset)
    }

    /// Seals the RTCP compound in the first `length` bytes of `buffer`; returns the new length,
    /// `profile.rtcpOverhead` more, or nil where it must not be sent.
    package mutating func protectRTCP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
        do throws(SRTPRefusal) {
            guard length >= SRTCPPacket.headerLength, length <= buffer.count - profile.rtcpOverhead else {
                throw .unsealable
            }
            switch engine {
            case .libcrypto(let engine): try engine.sealRTCP(buffer, length)
            case .libsrtp2(let engine): try engine.sealRTCP(buffer, length)
            }
            statistics.protected &+= 1
            return length + profile.rtcpOverhead
        } catch {
            statistics.count(error)
            return nil
        }
    }

    /// Opens the SRTCP packet in the first `length` bytes of `buffer`; returns the length of the compound, or nil:
    /// then the bytes behind the first eight are undefined.
    package mutating func unprotectRTCP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
        do throws(SRTPRefusal) {
            guard length <= buffer.count, length >= SRTCPPacket.headerLength + profile.rtcpOverhead else {
                throw .malformed
            }
            switch engine {
            case .libcrypto(let engine): try engine.openRTCP(buffer, length)
            case .libsrtp2(let engine): try engine.openRTCP(buffer, length)
            }
            statistics.unprotected &+= 1
            return length - profile.rtcpOverhead
        } catch {
            statistics.count(error)
            return nil
        }
    }
}
