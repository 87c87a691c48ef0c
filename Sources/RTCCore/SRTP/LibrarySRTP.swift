import CSRTP

/// SRTP over libsrtp2, with the same windows, limits and refusals as `CryptoSRTP`. The callers have checked lengths and
/// room.
final class LibrarySRTP {
    private let outbound: srtp_t
    private let inbound: srtp_t
    private var outboundSources = Set<UInt32>()
    private var inboundSources = Set<UInt32>()

    /// libsrtp2's process-wide start, once.
    private static let startStatus = srtp_init()

    init(keys: SRTPKeyingMaterial, role: DTLSRole) throws(CryptoError) {
        guard LibrarySRTP.startStatus == srtp_err_status_ok else {
            throw .srtpLibraryFailure(status: Int(LibrarySRTP.startStatus.rawValue))
        }
        let (ours, theirs) = (keys.written(by: role), keys.written(by: role.opposite))
        let sender = try LibrarySRTP.session(keys.profile, ours.key + ours.salt, ssrc_any_outbound)
        do throws(CryptoError) {
            inbound = try LibrarySRTP.session(keys.profile, theirs.key + theirs.salt, ssrc_any_inbound)
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
        _ profile: SRTPProfile, _ keyAndSalt: [UInt8], _ direction: srtp_ssrc_type_t
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
        var key = keyAndSalt
        let status = key.withUnsafeMutableBufferPointer { key in
            policy.key = key.baseAddress
            return srtp_create(&session, &policy)
        }
        guard status == srtp_err_status_ok, let session else { throw .srtpLibraryFailure(status: Int(status.rawValue)) }
        return session
    }

    func sealRTP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try LibrarySRTP.source(buffer, at: 8, in: outboundSources)
        try LibrarySRTP.checkSealed(srtp_protect(outbound, buffer.baseAddress, &length))
        outboundSources.insert(ssrc)
    }

    func openRTP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try LibrarySRTP.source(buffer, at: 8, in: inboundSources)
        try LibrarySRTP.checkOpened(srtp_unprotect(inbound, buffer.baseAddress, &length))
        inboundSources.insert(ssrc)
    }

    func sealRTCP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try LibrarySRTP.source(buffer, at: 4, in: outboundSources)
        try LibrarySRTP.checkSealed(srtp_protect_rtcp(outbound, buffer.baseAddress, &length))
        outboundSources.insert(ssrc)
    }

    func openRTCP(_ buffer: UnsafeMutableRawBufferPointer, _ length: Int) throws(SRTPRefusal) {
        var length = Int32(length)
        let ssrc = try LibrarySRTP.source(buffer, at: 4, in: inboundSources)
        try LibrarySRTP.checkOpened(srtp_unprotect_rtcp(inbound, buffer.baseAddress, &length))
        inboundSources.insert(ssrc)
    }

    /// The packet's SSRC, refused where it would be one too many.
    private static func source(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: Int, in known: Set<UInt32>
    ) throws(SRTPRefusal) -> UInt32 {
        let ssrc = UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        guard known.count < SRTPSession.sourceLimit || known.contains(ssrc) else { throw .tooManySources }
        return ssrc
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
