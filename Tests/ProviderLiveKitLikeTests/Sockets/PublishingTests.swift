import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import Testing
import TransportSecurity
import WebClient

@testable import ProviderLiveKitLike

/// Publishing on real sockets, against the embedded server.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PublishingTests {
    private static let modes = [LiveKitLikeProvider.Mode.singleConnection, .twoConnections]

    /// Says by the room API whether a participant may publish.
    private func permit(_ canPublish: Bool, _ identity: String, _ house: CallHouse) async throws {
        var claims = TokenClaims(issuer: "key", subject: "moderator")
        claims.expires = Date().timeIntervalSince1970 + 600
        claims.video = .join(room: "room")
        claims.video?.roomAdmin = true
        let address = "http://127.0.0.1:\(house.server.port)/twirp/livekit.RoomService/UpdateParticipant"
        var request = WebRequest(.post, try #require(URLComponents(string: address)), trust: .environment)
        request.timeout = 60
        request.headers = [
            ("Content-Type", "application/json"),
            ("Authorization", "Bearer \(AccessToken.mint(claims, secret: CallHouse.secret))"),
        ]
        let permission = #"{"can_publish": \#(canPublish), "can_subscribe": true, "can_publish_data": true}"#
        request.body = Array(
            #"{"room": "room", "identity": "\#(identity)", "permission": \#(permission)}"#.utf8)
        #expect(try await WebClient.send(request).status == 200)
    }

    @Test(arguments: modes) func whatWasForbiddenIsPublishedAgainWhenItIsAllowed(
        mode: LiveKitLikeProvider.Mode
    ) async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada", mode: mode)
            var events = ada.events.makeAsyncIterator()
            let track = try await ada.publish(.testTone(440))[0]
            try await permit(false, "ada", house)
            let gone = await events.first { event -> String? in
                if case .trackUnpublished(let track, let who) = event, who.isLocal { track.id } else { nil }
            }
            #expect(gone == track.id)
            #expect(await ada.localParticipant.tracks.isEmpty)
            try await permit(true, "ada", house)
            let back = await events.first { event -> String? in
                if case .trackPublished(let track, let who) = event, who.isLocal { track.id } else { nil }
            }
            #expect(back == track.id, "under the same id")
            #expect(await ada.localParticipant.tracks.map(\.id) == [track.id])
            let bob = try await house.join("bob", mode: mode)
            var heard = bob.events.makeAsyncIterator()
            let media = await heard.first { event -> RemoteTrack? in
                if case .trackSubscribed(let media, _, _) = event { media } else { nil }
            }
            let meter = SoundWatch()
            try #require(media).attach(meter)
            await meter.seconds(0.2)
            await ada.leave()
            await bob.leave()
        }
    }

    /// What is announced is what is sent: redundancy, with and without discontinuous transmission.
    @Test(arguments: modes, [true, false]) func redundancyIsSentAsItIsAnnounced(
        mode: LiveKitLikeProvider.Mode, dtx: Bool
    ) async throws {
        try await CallHouse.with { house in
            let ada = try await house.join("ada", mode: mode)
            var encoding = AudioEncoding()
            (encoding.red, encoding.dtx) = (true, dtx)
            try await ada.publish(.audio(name: "tone", encoding: encoding) { ToneSource(frequency: 440) })
            let bob = try await house.join("bob", mode: mode)
            var heard = bob.events.makeAsyncIterator()
            let media = await heard.first { event -> RemoteTrack? in
                if case .trackSubscribed(let media, _, _) = event { media } else { nil }
            }
            let meter = SoundWatch()
            try #require(media).attach(meter)
            await meter.seconds(0.5)
            let sender = try #require(await ada.statistics().senders.first)
            #expect(sender.codec == "red")
            // 32 kbit/s are 80 bytes a frame; each packet carries the frame before its own as well.
            #expect(sender.bytesSent > 120 * sender.packetsSent)
            await ada.leave()
            await bob.leave()
        }
    }
}
