import CSRTP

/// SRTP over libsrtp2, with the same windows, limits and refusals as `CryptoSRTP`, but for one: libsrtp2 can't be told
/// where a source stood, so one that gave its place away is refused when it comes back. The callers have checked lengths
/// and room.
final class LibrarySRTP {
    private let outbound: srtp_t
    private let inbound: srtp_t
    private let outboundSources = SRTPSourceTable(retiredLimit: SRTPSession.outboundLimit)
    private let inboundSources = SRTPSourceTable(retiredLimit: SRTPSession.inboundLimit)

    /// libsrtp2's process-wide start, once.
    private static let startStatus = srtp_init()

    init(keys: SRTPKeyingMaterial, role: DTLSRole) throws(CryptoError) {
        guard LibrarySRTP.startStatus == srtp_err_status_ok else {
            throw .srtpLibraryFailure(status: Int(LibrarySRTP.startStatus.rawValue))
        }
        let (ours, theirs) = (keys.written(by: role), keys.written(by: role.opposite))
        let sender = try LibrarySRTP.session(keys.profile, ours, ssrc_any_outbound)
        do throws(CryptoError) {
            inbound = try LibrarySRTP.session(keys.profile, theirs, ssrc_any_inbound)
        } catch {
            srtp_dealloc(sender)
            throw error
        }
        outbound = sender
    }

    deinit {
        srtp_dealloc(outbound)
        srtp_dealloc(inbound)
    }

    private static func session(
        _ profile: SRTPProfile, _ master: SRTPMasterKey, _ direction: srtp_ssrc_type_t
    ) throws(CryptoError) -> srtp_t {
        var policy = srtp_policy_t()
        switch profile {
        case .aeadAES128GCM:
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
        case .aeadAES256GCM:
            srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp)
            srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp)
        case .aes128CMSHA1_80:
            srtp_crypto_policy_set_rtp_default(&policy.rtp)
            srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        }
        policy.ssrc = srtp_ssrc_t(type: direction, value: 0)
        policy.window_size = UInt(ReplayWindow.reach)
        var session: srtp_t?
        var status = srtp_err_status_fail
        // libsrtp2 takes key and salt in one piece, and copies them.
        _ = SecretBytes(count: master.key.count + master.salt.count) { whole in
            master.key.withBytes { whole.copyMemory(from: $0) }
            master.salt.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: whole[master.key.count...]).copyMemory(from: $0)
            }
            policy.key = whole.octets
            status = srtp_create(&session, &policy)
            return true
        }
        guard status == srtp_err_status_ok, let session else { throw .srtpLibraryFailure(status: Int(status.rawValue)) }
        return session
    }

    var takesAnnouncedOnly: Bool { inboundSources.hasForgotten }

    func sealRTP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try sealable(buffer, at: 8)
        try LibrarySRTP.checkSealed(srtp_protect(outbound, buffer.baseAddress, &length))
        note(ssrc, outboundSources, outbound)
    }

    func openRTP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try openable(buffer, at: 8)
        try LibrarySRTP.checkOpened(srtp_unprotect(inbound, buffer.baseAddress, &length))
        note(ssrc, inboundSources, inbound)
    }

    func sealRTCP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try sealable(buffer, at: 4)
        try LibrarySRTP.checkSealed(srtp_protect_rtcp(outbound, buffer.baseAddress, &length))
        note(ssrc, outboundSources, outbound)
    }

    func openRTCP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try openable(buffer, at: 4)
        try LibrarySRTP.checkOpened(srtp_unprotect_rtcp(inbound, buffer.baseAddress, &length))
        note(ssrc, inboundSources, inbound)
    }

    private func sealable(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SRTPRefusal) -> UInt32 {
        let ssrc = LibrarySRTP.ssrc(buffer, at: offset)
        if outboundSources.known(ssrc) != nil { return ssrc }
        guard outboundSources.retired(ssrc) == nil else { throw .index }
        guard !outboundSources.hasForgotten else { throw .tooManySources }
        return ssrc
    }

    private func openable(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SRTPRefusal) -> UInt32 {
        let ssrc = LibrarySRTP.ssrc(buffer, at: offset)
        guard inboundSources.known(ssrc) != nil || inboundSources.retired(ssrc) == nil else { throw .replay }
        return ssrc
    }

    /// Notes that a source was used; the one that gave its place away leaves the library too.
    private func note(_ ssrc: UInt32, _ sources: SRTPSourceTable, _ session: srtp_t) {
        _ = sources.source(ssrc)
        if let evicted = sources.takeEvicted() { srtp_remove_stream(session, evicted.bigEndian) }
    }

    private static func ssrc(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private static func checkSealed(_ status: srtp_err_status_t) throws(SRTPRefusal) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old,
            srtp_err_status_key_expired:
            throw .index
        default: throw .unsealable
        }
    }

    private static func checkOpened(_ status: srtp_err_status_t) throws(SRTPRefusal) {
        switch status {
        case srtp_err_status_ok: return
        case srtp_err_status_auth_fail: throw .authentication
        case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old,
            srtp_err_status_key_expired:
            throw .replay
        default: throw .malformed
        }
    }
}
