import MediaCore

/// Makes one file of an archive's recordings: pictures in their places, all sound mixed, VP8 and Opus.
///
/// It runs along the archive's time and not along ours, so that nothing is late on a busy machine.
package struct Composer {
    /// Milliseconds of one block of sound.
    private static let block: Int64 = 20
    /// Pictures are looked for that often, milliseconds; unchanged ones are repeated once a second.
    private static let pictureInterval: Int64 = 40
    private static let longestStill: Int64 = 1_000
    private static let soundBitrate = 64_000
    private static let keyFrameInterval: Int64 = 5_000

    private let composition: Composition
    private let canvas: Canvas
    private var players: [PartPlayer] = []
    private var layout = ArchiveLayout.bestFit
    private var screenLayout: ArchiveLayout?
    private var classes: [String: Set<String>] = [:]
    private var changes: ArraySlice<(time: Int64, change: Composition.Change)>
    private var mixer = AudioMixer(channels: 1)
    private var lastPicture: Int64?
    private var lastKeyFrame: Int64 = 0

    /// What could not be read: a part that is left out, one sentence each.
    package private(set) var warnings: [String] = []

    package init(_ composition: Composition) {
        self.composition = composition
        canvas = Canvas(width: composition.width, height: composition.height)
        changes = composition.changes[...]
        for part in composition.parts {
            do throws(MediaError) { players.append(try PartPlayer(part)) } catch { warnings.append("\(error)") }
        }
    }

    /// Writes the file. Gives its size in bytes.
    ///
    /// - Throws: what could not be written; what was stays.
    package mutating func compose(to path: String, sizeLimit: Int = .max) throws(MediaError) -> Int {
        var writer = try MatroskaWriter(path: path, tracks: [.init(.opus), .init(.vp8)], sizeLimit: sizeLimit)
        let sound = try OpusEncoder(.init(bitrate: Self.soundBitrate))
        let pictures = try VP8Encoder(
            .init(bitrate: max(100_000, composition.bitrate - Self.soundBitrate), frameRate: 25))
        var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        var time: Int64 = 0
        while time < composition.milliseconds, writer.failure == nil {
            let end = time + Self.block
            apply(until: end)
            var isChanged = false
            for player in players where player.advance(to: end) { isChanged = true }
            if composition.kinds.contains(.audio) { mix(at: time, sound, &packet, into: &writer) }
            if composition.kinds.contains(.video) { draw(at: time, isChanged, pictures, into: &writer) }
            time = end
        }
        writer.close()
        if let failure = writer.failure { throw failure }
        return writer.size
    }

    private mutating func apply(until time: Int64) {
        while let next = changes.first, next.time < time {
            changes.removeFirst()
            lastPicture = nil
            switch next.change {
            case .layout(let layout, let screen): (self.layout, screenLayout) = (layout, screen)
            case .classes(let stream, let names): classes[stream] = names
            }
        }
    }

    // MARK: Sound

    private mutating func mix(
        at time: Int64, _ encoder: OpusEncoder, _ packet: inout [UInt8], into writer: inout MatroskaWriter
    ) {
        let count = Int(Self.block) * 48
        mixer.begin(frames: count)
        var samples: [Int16] = []
        for player in players {
            var input = MixerInput()
            player.read(from: time, count: count, into: &samples)
            samples.withUnsafeBufferPointer { mixer.add($0, channels: 1, &input) }
        }
        var mixed = [Int16](repeating: 0, count: count)
        mixed.withUnsafeMutableBufferPointer { mixer.finish(into: $0) }
        let length = mixed.withUnsafeBufferPointer { input in
            packet.withUnsafeMutableBytes { try? encoder.encode(input, into: $0) }
        }
        guard let length, length > 0 else { return }
        writer.write(.init(track: 0, payload: Array(packet[..<length]), milliseconds: time, isKeyFrame: true))
    }

    // MARK: Pictures

    private var isDue = false

    private mutating func draw(
        at time: Int64, _ isChanged: Bool, _ encoder: VP8Encoder, into writer: inout MatroskaWriter
    ) {
        isDue = isDue || isChanged
        let since = lastPicture.map { time - $0 } ?? .max
        guard (isDue && since >= Self.pictureInterval) || since >= Self.longestStill else { return }
        isDue = false
        lastPicture = time
        let shown = players.filter { $0.picture != nil }
        let streams = shown.map {
            LayoutStream(
                $0.part.stream, classes: classes[$0.part.stream] ?? [], isScreen: $0.part.isScreen,
                width: $0.picture?.width ?? 0, height: $0.picture?.height ?? 0)
        }
        let pictures = Dictionary(shown.map { ($0.part.stream, $0.picture) }) { $1 ?? $0 }.compactMapValues { $0 }
        let isShared = layout == .bestFit && streams.contains(where: \.isScreen)
        let present = isShared ? screenLayout ?? layout : layout
        let tiles = present.tiles(streams, width: composition.width, height: composition.height)
        let picture = canvas.draw(tiles, pictures, at: time)
        let wantsKeyFrame = time - lastKeyFrame >= Self.keyFrameInterval
        let frame = try? encoder.encode(picture, forceKeyFrame: wantsKeyFrame) { EncodedVideoFrame($0) }
        guard let frame else { return }
        if frame.isKeyFrame { lastKeyFrame = time }
        writer.write(
            .init(
                track: 1, payload: frame.payload, milliseconds: time, isKeyFrame: frame.isKeyFrame,
                width: frame.isKeyFrame ? frame.width : 0, height: frame.isKeyFrame ? frame.height : 0))
    }
}
