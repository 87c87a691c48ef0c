import Foundation
import LiveKitProtocol
import RTCCore
import Testing

@testable import CallServer

/// Codecs through the server: which one an answer takes, what the track is called, and who gets it in which form.
@Suite(.timeLimit(.minutes(10))) struct LiveKitCodecTests {
    private static let all: [CodecCapability] = [.opus, .red, .pcmu, .vp8, .vp9(), .h264(), .av1]

    /// The formats of the m-line with that mid.
    private func formats(_ sdp: String, mid: String) -> [String] {
        let sections = sdp.components(separatedBy: "\r\nm=").dropFirst()
        let section = sections.first { $0.contains("\r\na=mid:\(mid)\r\n") } ?? ""
        return section.components(separatedBy: "\r\n").filter { $0.hasPrefix("a=rtpmap:") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    @Test func everyCodecIsEnabled() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 31)
            #expect(
                alice.join.enabledPublishCodecs.map(\.mime) == [
                    "video/VP8", "video/H264", "video/VP9", "video/AV1", "video/H265", "audio/PCMU", "audio/PCMA",
                    "audio/opus", "audio/red",
                ])
            #expect(alice.join.room.enabledCodecs.map(\.mime).contains("video/rtx"))
            try await alice.media.close()
        }
    }

    @Test(arguments: [
        ("vp9", "VP9", [0x88, 1, 2] as [UInt8]), ("h264", "H264", [0x67, 1, 2]), ("av1", "AV1", [0x18, 0x0a, 1]),
    ])
    func theAnnouncedCodecIsTaken(codec: String, name: String, keyFrame: [UInt8]) async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 32, codecs: Self.all)
            let bob = try await Caller.join(server, "bob", seed: 33, codecs: Self.all.reversed())
            let carol = try await Caller.join(server, "carol", seed: 34)
            alice.signal.send(
                .with {
                    $0.addTrack.cid = "cam"
                    $0.addTrack.type = .video
                    $0.addTrack.source = .camera
                    $0.addTrack.simulcastCodecs = [
                        .with {
                            $0.codec = codec
                            $0.cid = "cam"
                        }
                    ]
                })
            let published = try await alice.signal.next(\.published)
            #expect(published.track.codecs.map(\.mimeType) == ["video/\(codec)"])
            try await alice.media.addSender(.video, cid: "cam", ssrc: 2000)
            let answer = try await alice.renegotiate()
            let seen = try await bob.signal.participant("alice") { !$0.tracks.isEmpty }
            #expect(seen.tracks[0].mimeType == "video/\(name)")
            #expect(formats(answer.sdp, mid: seen.tracks[0].mid) == ["\(name)/90000", "rtx/90000"])
            // Carol knows Opus and VP8 only.
            let refused = try await carol.refusal()
            #expect(refused.trackSid == published.track.sid && refused.err == .seCodecUnsupported)
            _ = try await bob.followRequirement()
            var packets = bob.media.packets.makeAsyncIterator()
            try await alice.media.send(ssrc: 2000, timestamp: 1, marker: true, keyFrame)
            #expect(await packets.next()?.payload == keyFrame)
            for caller in [alice, bob, carol] { try await caller.media.close() }
        }
    }

    @Test func copiesOfAudioAreKeptOrTakenOff() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 35, codecs: Self.all)
            let bob = try await Caller.join(server, "bob", seed: 36, codecs: Self.all)
            let carol = try await Caller.join(server, "carol", seed: 37)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1000)
            let seen = try await bob.signal.participant("alice") { !$0.tracks.isEmpty }
            #expect(seen.tracks[0].mimeType == "audio/red" && !seen.tracks[0].disableRed)
            _ = try await bob.followRequirement()
            _ = try await carol.followRequirement()
            let payload: [UInt8] = [0xef, 0x0f, 0x00, 0x02, 0x6f, 0x78, 1, 0x78, 2]
            try await alice.media.send(ssrc: 1000, timestamp: 960, payload)
            var whole = bob.media.packets.makeAsyncIterator()
            var plain = carol.media.packets.makeAsyncIterator()
            #expect(await whole.next()?.payload == payload)
            #expect(await plain.next()?.payload == [0x78, 2])
            for caller in [alice, bob, carol] { try await caller.media.close() }
        }
    }

    /// Nobody may take copies off what only the subscribers can read.
    @Test(arguments: [true, false]) func noCopiesWhereTheyAreNotWanted(encrypted: Bool) async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 38, codecs: Self.all)
            let bob = try await Caller.join(server, "bob", seed: 39, codecs: Self.all)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1000) {
                if encrypted { $0.encryption = .gcm } else { $0.disableRed = true }
            }
            let seen = try await bob.signal.participant("alice") { !$0.tracks.isEmpty }
            #expect(seen.tracks[0].mimeType == "audio/opus" && seen.tracks[0].disableRed == !encrypted)
            for caller in [alice, bob] { try await caller.media.close() }
        }
    }

    /// A second codec for a track that is there already is refused, and the track goes on.
    @Test func backupCodecsAreRefused() async throws {
        try await withCallServer { server in
            let alice = try await Caller.join(server, "alice", seed: 40, codecs: Self.all)
            let sid = try await alice.publish(.video, .camera, cid: "cam", ssrc: 1000)
            alice.signal.send(
                .with {
                    $0.addTrack.cid = "cam2"
                    $0.addTrack.sid = sid
                    $0.addTrack.type = .video
                })
            let reason = try await alice.signal.next { response -> Livekit_RequestResponse.Reason? in
                if case .requestResponse(let response) = response.message { response.reason } else { nil }
            }
            #expect(reason == .unsupportedType)
            try await alice.media.close()
        }
    }
}

extension Caller {
    /// Offers what the server asks for, until it says that a subscription can't be.
    func refusal() async throws -> Livekit_SubscriptionResponse {
        while true {
            let next = try await signal.next {
                response -> (Livekit_SubscriptionResponse?, Livekit_MediaSectionsRequirement?)? in
                switch response.message {
                case .subscriptionResponse(let refusal): (refusal, nil)
                case .mediaSectionsRequirement(let wish): (nil, wish)
                default: nil
                }
            }
            if let refusal = next.0 { return refusal }
            _ = try await renegotiate(id: 9, audio: Int(next.1?.numAudios ?? 0), video: Int(next.1?.numVideos ?? 0))
        }
    }
}
