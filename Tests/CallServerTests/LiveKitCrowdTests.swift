import LiveKitProtocol
import NIOCore
import RTCWire
import Testing

@testable import CallServer

/// Many who come and publish within moments: every exchange of descriptions is crossed by others.
@Suite(.timeLimit(.minutes(10))) struct LiveKitCrowdTests {
    private static let size = 12

    /// One of the crowd, who acts on each message when it comes, as clients do.
    private final class Member {
        let number: Int
        let media: MediaTestClient
        private let signal: LiveKitTestClient
        private var track: String?
        /// The tracks that have lines, as the server's last answer says.
        private var heard: Set<String> = []
        private var isAnswerOpen: Bool
        private var wantsOffer = false
        private var wanted = LineCounts()
        /// Goes on until the end: the others may still need it.
        private var speaking: RepeatedTask?
        /// Lines of sound that the server has asked for.
        private(set) var asked = 0

        init(_ server: CallServer, _ number: Int) async throws {
            self.number = number
            media = try await MediaTestClient.make(seed: UInt64(100 + number))
            let offer = try await media.offer(audioReceivers: 1, application: true)
            signal = try await LiveKitTestClient.join(server.port, token: TestTokens.join("p\(number)")) {
                $0.publisherOffer.type = "offer"
                $0.publisherOffer.sdp = offer
            }
            isAnswerOpen = true
            signal.send(
                .with {
                    $0.addTrack.cid = "mic\(number)"
                    $0.addTrack.type = .audio
                    $0.addTrack.source = .microphone
                })
        }

        var ssrc: UInt32 { UInt32(1_000 + number) }

        /// Follows the server until the own track is offered and the others' have their lines.
        func gather(_ others: Int) async throws {
            while heard.count < others || track == nil || isAnswerOpen {
                switch try await signal.next().message {
                case .trackPublished(let published):
                    track = published.track.sid
                    try await media.addSender(.audio, cid: published.cid, ssrc: ssrc)
                    wantsOffer = true
                case .mediaSectionsRequirement(let requirement):
                    wanted.audio += Int(requirement.numAudios)
                    asked += Int(requirement.numAudios)
                    wantsOffer = true
                case .trickle(let trickle):
                    let candidate = try #require(JSONText.candidate(trickle.candidateInit) ?? nil)
                    try await media.add(candidate: candidate.encoded)
                case .answer(let answer):
                    try await media.take(answer: answer.sdp)
                    heard = Set(answer.midToTrackID.values)
                    isAnswerOpen = false
                default: break
                }
                if wantsOffer, !isAnswerOpen { try await offer() }
            }
            try await media.untilConnected()
        }

        private func offer() async throws {
            let sdp = try await media.offer(audioReceivers: wanted.audio)
            (wanted, wantsOffer, isAnswerOpen) = (LineCounts(), false, true)
            signal.send(
                .with {
                    $0.offer.type = "offer"
                    $0.offer.sdp = sdp
                })
        }

        /// Says its number, and waits until it has heard that of all others.
        func converse() async throws {
            var missing = Set(0..<UInt8(LiveKitCrowdTests.size)).subtracting([UInt8(number)])
            speaking = media.speak(ssrc: ssrc, [0x78, UInt8(number)])
            for await packet in media.packets where packet.payload.count == 2 {
                missing.remove(packet.payload[1])
                if missing.isEmpty { break }
            }
            #expect(missing.isEmpty, "\(number) does not hear \(missing.sorted())")
        }

        func close() async throws {
            speaking?.cancel()
            try await media.close()
        }
    }

    @Test func allHearAllAndNobodyIsAskedTwice() async throws {
        try await withCallServer { server in
            let members = try await withThrowingTaskGroup(of: UncheckedMember.self) { group in
                for number in 0..<Self.size {
                    group.addTask {
                        let member = try await Member(server, number)
                        try await member.gather(Self.size - 1)
                        return UncheckedMember(member: member)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for held in members { group.addTask { try await held.member.converse() } }
                try await group.waitForAll()
            }
            for held in members {
                // Each comes with one line; the rest is asked for, once.
                #expect(held.member.asked <= Self.size - 2, "\(held.member.number) was asked for \(held.member.asked)")
                try await held.member.close()
            }
        }
    }

    /// A member belongs to one task at a time: the groups hand it on.
    private struct UncheckedMember: @unchecked Sendable {
        let member: Member
    }
}
