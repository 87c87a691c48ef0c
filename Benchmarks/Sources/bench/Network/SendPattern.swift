import Glibc
import RTCCore
import RTCTransport
import RTCWire

/// One publisher's packets: 50 a second of audio, 30 pictures a second of a few packets each; in real time.
struct SendPattern {
    /// One RTP packet, without extensions and tag.
    struct Packet {
        var kind: StreamKind
        /// The last of a picture's.
        var marker = true
        var sequenceNumber: UInt16
        var timestamp: UInt32
        var payload: UnsafeRawBufferPointer
    }

    /// Length of a forwarded datagram before its tag, header extensions included.
    static let audioLength = 120
    static let videoLength = 1100
    /// Header and extensions that the server writes: mid, send time, and in audio the level.
    static let headerLength = 12 + 12

    private let audio = UnsafeMutableRawBufferPointer.allocate(byteCount: audioLength - headerLength, alignment: 16)
    private let video = UnsafeMutableRawBufferPointer.allocate(byteCount: videoLength - headerLength, alignment: 16)
    private let packetsPerPicture: Int
    private var audioCount = 0
    private var pictureCount = 0

    init(packetsPerPicture: Int = 2) {
        self.packetsPerPicture = packetsPerPicture
        audio.initializeMemory(as: UInt8.self, repeating: 0x78)
        video.initializeMemory(as: UInt8.self, repeating: 0x5a)
    }

    func free() {
        audio.deallocate()
        video.deallocate()
    }

    /// Sends for `seconds`; the first picture of a run is a key frame.
    ///
    /// - Parameter idle: called between packets, about every two milliseconds.
    /// - Returns: packets sent.
    mutating func run(seconds: Double, send: (Packet) -> Void, idle: () -> Void) -> Int {
        let before = audioCount + packetsPerPicture * pictureCount
        let start = Instant.now
        let end = start + .seconds(seconds)
        var nextAudio = start
        // Sound and pictures of real senders have no common clock.
        var nextPicture = start + .milliseconds(7)
        var isFirst = true
        while true {
            let now = Instant.now
            if now >= end { return audioCount + packetsPerPicture * pictureCount - before }
            if now >= nextAudio {
                sendAudio(send)
                nextAudio += .milliseconds(20)
            } else if now >= nextPicture {
                sendPicture(isKeyFrame: isFirst, send)
                isFirst = false
                nextPicture += Interval(nanoseconds: 33_333_333)
            } else {
                idle()
                SendPattern.sleep(until: min(nextAudio, nextPicture, .now + .milliseconds(2)))
            }
        }
    }

    /// Gives the far side time to work off what is under way: 30 ms, then up to two seconds until `isDone`.
    static func settle(_ idle: () -> Void, isDone: () throws -> Bool = { true }) rethrows {
        for _ in 0..<10 { pause(idle) }
        for _ in 0..<600 where try !isDone() { pause(idle) }
    }

    private static func pause(_ idle: () -> Void) {
        sleep(until: .now + .milliseconds(3))
        idle()
    }

    static func sleep(until instant: Instant) {
        var time = timespec(
            tv_sec: Int(instant.nanoseconds / 1_000_000_000), tv_nsec: Int(instant.nanoseconds % 1_000_000_000))
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }

    private mutating func sendAudio(_ send: (Packet) -> Void) {
        audioCount += 1
        send(
            Packet(
                kind: .audio, sequenceNumber: UInt16(truncatingIfNeeded: audioCount),
                timestamp: UInt32(truncatingIfNeeded: audioCount * 960), payload: UnsafeRawBufferPointer(audio)))
    }

    private mutating func sendPicture(isKeyFrame: Bool, _ send: (Packet) -> Void) {
        pictureCount += 1
        for part in 0..<packetsPerPicture {
            writeDescriptor(startsPicture: part == 0, isKeyFrame: isKeyFrame)
            send(
                Packet(
                    kind: .video, marker: part == packetsPerPicture - 1,
                    sequenceNumber: UInt16(truncatingIfNeeded: packetsPerPicture * pictureCount + part),
                    timestamp: UInt32(truncatingIfNeeded: pictureCount * 3000), payload: UnsafeRawBufferPointer(video)))
        }
    }

    /// A VP8 descriptor with a picture id, and a frame header where a picture begins (RFC 6386 section 9.1).
    private func writeDescriptor(startsPicture: Bool, isKeyFrame: Bool) {
        var descriptor = VP8PayloadDescriptor()
        descriptor.startsPartition = startsPicture
        descriptor.pictureID = UInt16(truncatingIfNeeded: pictureCount) & 0x7fff
        let head = descriptor.write(into: video)
        guard startsPicture else { return }
        let header: [UInt8] = [isKeyFrame ? 0x10 : 0x11, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01]
        UnsafeMutableRawBufferPointer(rebasing: video[head...]).copyBytes(from: header)
    }
}

extension Instant {
    static var now: Instant { MonotonicClock.now() }
}
