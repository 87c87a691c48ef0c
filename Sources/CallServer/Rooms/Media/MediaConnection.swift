import Logging
import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import SFUCore

/// Who is told what becomes of a connection; on the room's loop.
protocol MediaConnectionOwner: AnyObject {
    func connection(_ connection: MediaConnection, changedTo state: PeerState, now: Instant)
    /// A data channel can be used, whichever side opened it.
    func connection(_ connection: MediaConnection, opened label: String, now: Instant)
    /// A message came on a data channel.
    func connection(_ connection: MediaConnection, received bytes: [UInt8], on label: String, now: Instant)
    /// A track that was no longer wanted has ended: the next negotiation is to say so.
    func connectionFreedLine(_ connection: MediaConnection)
}

/// A description that could not be taken or made, in words for the log.
struct NegotiationFailure: Error, CustomStringConvertible {
    var description: String
}

/// One peer connection of a participant: offer and answer, the producers that its lines feed, and the consumers that
/// its lines carry. In no dialect's words.
///
/// Lives on its room's event loop.
final class MediaConnection {
    enum Role {
        /// The client offers; what it is to receive waits for a line of its next offer.
        case answering
        /// We offer.
        case offering
    }

    let role: Role
    /// By this number the room's media knows it.
    private(set) var id = ConnectionID(0)
    let flow: PeerFlow
    let logger: Logger
    weak var owner: (any MediaConnectionOwner)?
    var negotiator: Negotiator
    var ingress = Ingress()
    var outgoing = OutgoingTracks()
    let settings: MediaSettings
    /// Who forwards what this connection brings, and what it is to send.
    let media: RoomMedia
    /// The open data channels, in the order in which they opened.
    var dataChannels: [OpenDataChannel] = []
    /// What ended the connection, for a while or for good.
    var failure: PeerFailure?
    /// What the client says of what it is sent.
    var feedback = SubscriberFeedback()
    var streams = ConnectionStreams()
    /// The ICE generation of the client that the peer knows.
    var transportGeneration: Int?

    /// Nil where the loop's port has as many peers as it takes.
    init?(role: Role, loop: ServerLoop, media: RoomMedia, cname: String, logger: Logger) {
        var configuration = PeerConfiguration(
            iceRole: role == .offering ? .controlling : .controlled, certificate: loop.settings.certificate)
        configuration.dtlsBackend = loop.settings.dtlsBackend
        configuration.srtpBackend = loop.settings.srtpBackend
        configuration.srtpProfiles = loop.settings.srtpProfiles
        configuration.cname = cname
        configuration.rtcp = loop.settings.plane.rtcp
        configuration.streams = loop.settings.plane.limits
        configuration.forwards = true
        configuration.maximumDatagram = MediaConnection.maximumDatagram
        guard let flow = loop.mux.makeFlow(configuration: configuration, handler: nil) else { return nil }
        self.role = role
        self.flow = flow
        self.logger = logger
        settings = loop.settings
        self.media = media
        negotiator = Negotiator(
            configuration: MediaConnection.negotiation(
                role, flow.peer.localCredentials, settings, cname))
        id = media.add(self)
        flow.handler = self
        flow.perform { peer, _, _ in loop.mux.addHostCandidates(loop.settings.advertised, to: &peer) }
    }

    /// What comes in leaves a little larger: every packet names its line, and a repeated one its original. Senders fill
    /// 1,200 bytes, some up to an Ethernet frame; only beyond that is a packet refused.
    private static let maximumDatagram = 1472

    private static func negotiation(
        _ role: Role, _ credentials: ICECredentials, _ settings: MediaSettings, _ cname: String
    ) -> NegotiatorConfiguration {
        var configuration = NegotiatorConfiguration(
            credentials: credentials, fingerprint: settings.certificate.fingerprint)
        configuration.codecs =
            role == .answering ? CodecCapability.forwardedInAnswers : CodecCapability.forwardedInOffers
        configuration.audioExtensions = [.mid, .audioLevel, .absCaptureTime]
        configuration.videoExtensions = [
            .mid, .rid, .repairedRid, .absCaptureTime, .playoutDelay, .videoOrientation, .dependencyDescriptor,
            .colorSpace, .videoContentType, .videoTiming,
        ]
        configuration.congestionFeedback = settings.downlinkFeedback.congestionFeedback
        configuration.cname = cname
        // As LiveKit's server says it.
        configuration.maxMessageSize = 65_535
        configuration.keepsIdleLinesOpen = true
        configuration.acceptsSimulcast = true
        return configuration
    }

    /// What the client is told of where we can be reached.
    var candidates: [ICECandidate] {
        let ufrag = flow.peer.localCredentials.ufrag
        return flow.peer.localCandidates.map { $0.sdp(ufrag: ufrag) }
    }

    var isConnected: Bool { flow.peer.isConnected }
    /// It stood or was to stand, and does not any more.
    var isOver: Bool { flow.peer.state == .failed || flow.peer.state == .closed }
    /// An ICE restart could bring it back, or needn't.
    var mayRecover: Bool { flow.peer.state != .closed && (failure == nil || failure == .ice) }

    /// Says goodbye and lets go of everything.
    func close() {
        media.perform { room, _, _ in
            for entry in ingress.bound { room.removeProducer(entry.producer) }
            for consumer in outgoing.consumers { room.removeConsumer(consumer) }
        }
        owner = nil
        outgoing = OutgoingTracks()
        ingress = Ingress()
        flow.close()
        media.remove(id)
    }
}
