import RTCCore
import RTCWire
import SFUCore

/// A track that a connection is to send: where it comes from, how it is announced, and what the subscriber wants of it.
final class OutgoingTrack {
    /// What the subscriber wants of it, whatever its connection bears.
    struct Settings: Equatable {
        var isPaused = false
        /// The largest layer, from 0.
        var layerLimit = 2
        /// Pictures a second; nil for all.
        var frameRateLimit: Int?
    }

    private(set) var trackID: String
    private(set) var producer: ProducerID
    let kind: StreamKind
    private(set) var description: SendDescription
    private(set) var format: TrackFormat
    /// The room's bounds on how long receivers delay video.
    var playoutDelay: PlayoutDelay?
    /// Stands behind packets that the server makes of media that is encrypted end to end.
    var injectionTrailer: [UInt8] = []
    /// The m-line that carries it.
    var line: Int?
    var consumer: ConsumerID?
    /// The client knows no codec for it.
    var isRefused = false
    private var settings = Settings()
    /// What the subscriber's connection bears.
    private var share = BitrateAllocation.Share.everything
    /// The larger, the sooner it gets bandwidth.
    var priority = 1

    private let media: RoomMedia

    init(
        trackID: String, streamID: String, cname: String, producer: ProducerID, kind: StreamKind, format: TrackFormat,
        media: RoomMedia
    ) {
        self.trackID = trackID
        self.producer = producer
        self.kind = kind
        self.media = media
        self.format = format
        description = SendDescription(
            streamID: streamID, trackID: trackID, ssrc: .random(in: 1 ... .max),
            rtxSSRC: kind == .video ? .random(in: 1 ... .max) : nil, cname: cname)
    }

    var ssrc: UInt32 { description.ssrc }

    /// Goes on as another track, in the line and under the sources of the present one.
    func follow(_ next: OutgoingTrack) {
        trackID = next.trackID
        producer = next.producer
        format = next.format
        playoutDelay = next.playoutDelay
        injectionTrailer = next.injectionTrailer
    }

    /// Is announced like that, where its line's description was there before the track.
    func take(_ description: SendDescription, line: Int) {
        self.description = description
        self.line = line
    }

    /// Takes other sources: the client is to make its receiver anew.
    func renewSources() {
        description.ssrc = .random(in: 1 ... .max)
        if description.rtxSSRC != nil { description.rtxSSRC = .random(in: 1 ... .max) }
    }

    /// What the consumer is made with, once the client's numbers are known.
    func configuration(_ stream: SendStreamConfiguration, on line: MediaLine) -> ConsumerConfiguration {
        var configuration = ConsumerConfiguration(
            ssrc: stream.ssrc, payloadType: stream.payloadType, rtxSSRC: stream.rtxSSRC,
            rtxPayloadType: stream.rtxPayloadType, redundancyPayloadType: format.redundancyPayloadType(on: line),
            eventPayloadType: format.eventPayloadType(on: line), playoutDelay: playoutDelay,
            firstSequence: .random(in: 0..<0x8000),
            firstRTXSequence: .random(in: 0..<0x8000))
        configuration.isEncrypted = format.isEncrypted
        if format.isEncrypted { configuration.fillerTrailer = injectionTrailer }
        configuration.hasDependencyDescriptor = line.extensionMap.id(for: .dependencyDescriptor) != 0
        return configuration
    }

    /// What the subscriber wants: nothing for a while, or no larger layer and no more pictures a second than this.
    func set(paused: Bool, layerLimit: Int, frameRateLimit: Int? = nil, now: Instant) {
        settings = Settings(isPaused: paused, layerLimit: layerLimit, frameRateLimit: frameRateLimit)
        applySettings(now: now)
    }

    func applySettings(isOverrun: Bool = false, now: Instant) {
        guard let consumer else { return }
        media.perform(now: now) { room, outbox, now in
            room.setLayerLimit(settings.layerLimit, consumer, now: now, into: &outbox)
            if let allocatedLayers {
                room.setAllocation(allocatedLayers, isOverrun: isOverrun, consumer, now: now, into: &outbox)
            }
            room.setFrameRateLimit(settings.frameRateLimit, consumer, now: now, into: &outbox)
            room.setPaused(settings.isPaused || isStarved, consumer, now: now, into: &outbox)
        }
    }

    // MARK: Bandwidth

    /// The largest layer that the subscriber wants; nil while it wants nothing.
    var wantedLayer: Int? { settings.isPaused ? nil : settings.layerLimit }

    /// Nothing is sent for want of bandwidth.
    var isStarved: Bool { !settings.isPaused && share == .paused }

    /// The layers that the connection has room for; nil for none.
    var allocatedLayers: LayerPoint? { if case .upTo(let point) = share { point } else { nil } }

    /// Takes in what the connection bears; nil leaves it as it is.
    ///
    /// - Parameter isOverrun: far more is sent than it bears.
    func allocate(_ share: BitrateAllocation.Share?, _ isOverrun: Bool, now: Instant) {
        guard let share, isOverrun || share != self.share else { return }
        self.share = share
        applySettings(isOverrun: isOverrun, now: now)
    }

    /// The layers that come from the publisher now.
    func liveLayers(_ now: Instant) -> [LayerReport] { media.liveLayers(of: producer, now: now) }

    /// Payload bytes that have left; 0 where nothing is sent.
    var bytesSent: Int { consumer.map(media.sent)?.bytes ?? 0 }

    /// Packets that have left; 0 where nothing is sent.
    var packetsSent: Int { consumer.map(media.sent)?.packets ?? 0 }

    /// The same with the headers of each packet, some fifty bytes.
    var wireBytesSent: Int { consumer.map(media.sent).map { $0.bytes + 50 * $0.packets } ?? 0 }

    /// Copies of earlier frames that each packet of sound carries.
    var copies: Int { consumer.map(media.copies) ?? 0 }

    /// How many layers that are there and wanted the connection doesn't bear.
    func withheldLayers(_ now: Instant) -> Int {
        guard let point = allocatedLayers else { return 0 }
        return liveLayers(now).reduce(0) { count, layer in
            let ranks = layer.rank..<(layer.rank + layer.spatialLayers)
            return count + ranks.count { $0 > point.spatial && $0 <= settings.layerLimit }
        }
    }
}
