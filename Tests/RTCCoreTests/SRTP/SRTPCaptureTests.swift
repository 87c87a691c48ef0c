import CCrypto
import Foundation
import RTCWire
import Testing

@testable import RTCCore

/// Real sessions of Chromium and aiortc: every packet opens with the session's keys, in either backend.
@Suite struct SRTPCaptureTests {
    private struct Facts: Decodable {
        struct Raw: Decodable {
            struct Keys: Decodable {
                var profileId: UInt16
                var exportedKeyingMaterial: String
                var chromiumWrites: String
            }
            var chromium: String
            var kinds: [String: Int]
            var sha256OfAllPlainPacketsConcatenatedInFileOrder: String?
            var srtpKeys: Keys
        }
        var raw: Raw
    }

    @Test(arguments: ["opus-dtx", "opus-red-dtmf", "vp8-rtx", "h264", "datachannel"], SRTPBackend.allCases)
    func everyPacketOpens(_ name: String, _ backend: SRTPBackend) throws {
        let raw = try CryptoVectors.json("\(name).facts.json", as: Facts.self).raw
        let profile = try #require(SRTPProfile(wireID: raw.srtpKeys.profileId))
        let keys = try #require(
            fromHex(raw.srtpKeys.exportedKeyingMaterial).withUnsafeBytes {
                SRTPKeyingMaterial(profile: profile, exported: $0)
            })
        let chromium: DTLSRole = raw.srtpKeys.chromiumWrites == "clientWrite" ? .client : .server
        let fromChromium = try SRTPEndpoint(keys: keys, role: chromium.opposite, backend: backend)
        let fromAiortc = try SRTPEndpoint(keys: keys, role: chromium, backend: backend)
        var counts: [String: Int] = [:]
        var plain: [UInt8] = []
        for (port, datagram) in try RawCapture("\(name).raw.pcap").datagrams {
            let isChromium = raw.chromium.hasSuffix(":\(port)")
            let sender = isChromium ? "fromChromium" : "fromAiortc"
            let kind = PacketKind.classify(datagram.span.bytes)
            switch kind {
            case .stun: counts["\(sender) STUN", default: 0] += 1
            case .dtls: counts["\(sender) DTLS", default: 0] += 1
            case .rtp, .rtcp:
                let rtcp = kind == .rtcp
                let offset =
                    rtcp ? 0 : try RTPHeader(parsing: datagram.span.bytes, encrypted: true).payloadOffset
                let opened =
                    isChromium
                    ? fromChromium.opened(datagram, rtcp: rtcp, headerLength: offset)
                    : fromAiortc.opened(datagram, rtcp: rtcp, headerLength: offset)
                plain += try #require(opened)
                counts["\(sender) \(rtcp ? "SRTCP" : "SRTP") ok", default: 0] += 1
            default: Issue.record("unexpected datagram")
            }
        }
        #expect(counts == raw.kinds)
        if let digest = raw.sha256OfAllPlainPacketsConcatenatedInFileOrder, !plain.isEmpty {
            #expect(SHA256Digest.of(plain) == fromHex(digest))
        }
    }
}

/// A classic little-endian pcap of raw IPv4 and UDP.
private struct RawCapture {
    var datagrams: [(sourcePort: UInt16, bytes: [UInt8])] = []

    init(_ name: String) throws {
        let file = [UInt8](try CryptoVectors.data(name))
        var offset = 24
        while offset + 16 <= file.count {
            let length = (0..<4).reduce(0) { $0 | Int(file[offset + 8 + $1]) << (8 * $1) }
            let ip = offset + 16
            let udp = ip + 4 * Int(file[ip] & 15)
            let port = UInt16(file[udp]) << 8 | UInt16(file[udp + 1])
            datagrams.append((port, Array(file[(udp + 8)..<(ip + length)])))
            offset = ip + length
        }
    }
}
