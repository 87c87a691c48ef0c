import RTCWire

/// SRTP over libcrypto. The callers have checked lengths and room.
final class CryptoSRTP {
    private let profile: SRTPProfile
    private let rtpSealer: SRTPPacketCipher
    private let rtcpSealer: SRTPPacketCipher
    private let rtpOpener: SRTPPacketCipher
    private let rtcpOpener: SRTPPacketCipher
    private let outbound = SRTPSourceTable(retiredLimit: SRTPSession.outboundLimit)
    private let inbound = SRTPSourceTable(retiredLimit: SRTPSession.inboundLimit)

    init(keys: SRTPKeyingMaterial, role: DTLSRole) throws(CryptoError) {
        let (ours, theirs) = (keys.written(by: role), keys.written(by: role.opposite))
        profile = keys.profile
        rtpSealer = try SRTPPacketCipher(profile, .rtp, ours, encrypts: true)
        rtcpSealer = try SRTPPacketCipher(profile, .rtcp, ours, encrypts: true)
        rtpOpener = try SRTPPacketCipher(profile, .rtp, theirs, encrypts: false)
        rtcpOpener = try SRTPPacketCipher(profile, .rtcp, theirs, encrypts: false)
    }

    /// A source that comes by and is neither known nor retired may be one that was forgotten.
    var takesAnnouncedOnly: Bool { inbound.hasForgotten }

    func sealRTP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int, _ payloadOffset: Int) throws(SRTPRefusal) {
        let ssrc = buffer.uint32(8)
        let source = try outboundSource(ssrc)
        guard let index = source.pointee.rtp.estimatedIndex(of: buffer.uint16(2)), source.pointee.rtp.isFresh(index)
        else { throw .index }
        guard rtpSealer.seal(rtpParts(buffer, length, payloadOffset, ssrc, index)) else { throw .unsealable }
        source.pointee.rtp.insert(index)
    }

    func openRTP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int, _ payloadOffset: Int) throws(SRTPRefusal) {
        let (ssrc, sequenceNumber) = (buffer.uint32(8), buffer.uint16(2))
        let end = length - profile.tagLength
        let index: UInt64
        if let source = inbound.known(ssrc) {
            guard let guess = source.pointee.rtp.estimatedIndex(of: sequenceNumber), source.pointee.rtp.isFresh(guess)
            else { throw .replay }
            index = guess
        } else {
            let window = ReplayWindow(behind: inbound.retired(ssrc)?.rtp)
            guard let guess = window.estimatedIndex(of: sequenceNumber), window.isFresh(guess) else { throw .replay }
            index = guess
        }
        guard rtpOpener.open(rtpParts(buffer, end, payloadOffset, ssrc, index)) else { throw .authentication }
        inbound.source(ssrc).pointee.rtp.insert(index)
    }

    func sealRTCP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        let ssrc = buffer.uint32(4)
        let source = try outboundSource(ssrc)
        let index = source.pointee.nextControlIndex
        guard index <= SRTCPPacket.largestIndex else { throw .index }
        let word = index | SRTCPPacket.encryptedFlag
        buffer.store(word, at: SRTCPPacket.wordOffset(profile, length: length))
        let parts = SRTCPPacket.parts(of: buffer, length: length, profile: profile, ssrc: ssrc, word: word)
        guard rtcpSealer.seal(parts) else { throw .unsealable }
        source.pointee.nextControlIndex = index + 1
    }

    func openRTCP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        let (ssrc, end) = (buffer.uint32(4), length - profile.rtcpOverhead)
        let word = buffer.uint32(SRTCPPacket.wordOffset(profile, length: end))
        guard word & SRTCPPacket.encryptedFlag != 0 else { throw .malformed }
        let index = UInt64(word & SRTCPPacket.largestIndex)
        if let source = inbound.known(ssrc) {
            guard source.pointee.rtcp.isFresh(index) else { throw .replay }
        } else if let highest = inbound.retired(ssrc)?.rtcp, index <= highest {
            throw .replay
        }
        let parts = SRTCPPacket.parts(of: buffer, length: end, profile: profile, ssrc: ssrc, word: word)
        guard rtcpOpener.open(parts) else { throw .authentication }
        inbound.source(ssrc).pointee.rtcp.insert(index)
    }

    /// What was sealed with must never be forgotten, or a key stream would be used twice.
    @inline(__always)
    private func outboundSource(_ ssrc: UInt32) throws(SRTPRefusal) -> UnsafeMutablePointer<SRTPSource> {
        if let known = outbound.known(ssrc) { return known }
        guard !outbound.hasForgotten || outbound.retired(ssrc) != nil else { throw .tooManySources }
        return outbound.source(ssrc)
    }

    /// The parts of an RTP packet of `length` bytes without its tag.
    @inline(__always)
    private func rtpParts(
        _ buffer: UnsafeMutableRawBufferPointer, _ length: Int, _ payloadOffset: Int, _ ssrc: UInt32, _ index: UInt64
    ) -> SRTPPacketParts {
        SRTPPacketParts(
            header: UnsafeRawBufferPointer(rebasing: buffer[..<payloadOffset]),
            body: UnsafeMutableRawBufferPointer(rebasing: buffer[payloadOffset..<length]),
            tag: UnsafeMutableRawBufferPointer(rebasing: buffer[length..<(length + profile.tagLength)]),
            ssrc: ssrc, index: index, controlWord: nil)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func uint16(_ offset: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    fileprivate func uint32(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
