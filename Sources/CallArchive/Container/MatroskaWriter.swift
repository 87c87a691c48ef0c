import CAVFormat
import Glibc
import MediaCore
import RTCWire

/// A WebM file, or a Matroska file where WebM doesn't take a codec, that plays at any moment of its growing: clusters of a
/// quarter of a second go to the disk as they are complete, and the head is kept true.
///
/// After a failure nothing more is written; what was written stays. Has one owner: copies would write into one file.
package struct MatroskaWriter {
    /// One stream of frames.
    package struct Track: Sendable, Hashable {
        package var codec: MediaCodec
        /// What decoders need beforehand: H.264's parameter sets (Annex B). Opus makes its own.
        package var setup: [UInt8]

        package init(_ codec: MediaCodec, setup: [UInt8] = []) {
            self.codec = codec
            self.setup = setup
        }
    }

    /// A frame to be written.
    package struct Frame: Sendable {
        package var track: Int
        package var payload: [UInt8]
        /// From the beginning of the file; never less than that of the frame before.
        package var milliseconds: Int64
        package var isKeyFrame: Bool
        /// Of a key frame; 0 where not known.
        package var width = 0, height = 0

        package init(
            track: Int, payload: [UInt8], milliseconds: Int64, isKeyFrame: Bool, width: Int = 0, height: Int = 0
        ) {
            self.track = track
            self.payload = payload
            self.milliseconds = milliseconds
            self.isKeyFrame = isKeyFrame
            self.width = width
            self.height = height
        }
    }

    /// How much media may be in memory only, in milliseconds.
    package static let clusterMilliseconds: Int64 = 250
    /// Nominal, until a key frame says better. Two bytes each in the file, as all sizes from 256 on.
    private static let nominalSize = (width: Int32(640), height: Int32(480))
    private static let headLimit = 1 << 14

    package let path: String
    /// What went wrong first.
    package private(set) var failure: MediaError?
    /// From the first frame's time to the end of the last one's.
    package private(set) var milliseconds: Int64 = 0
    /// Tracks that have frames.
    package private(set) var begun: Set<Int> = []

    private let library: AVFormatLibrary
    private let handle: Handle
    private var isOpen = true
    private var header = MatroskaHeader(parsing: [])
    private var writtenSize = 0
    private var sizes: [Int: (width: Int, height: Int)] = [:]
    private let trackCount: Int

    /// Creates a file that only its owner can read and write, or empties one.
    ///
    /// - Parameter sizeLimit: bytes that it may have at most; more is a failure.
    package init(path: String, tracks: [Track], sizeLimit: Int = .max) throws(MediaError) {
        library = try AVFormatLibrary.load()
        self.path = path
        trackCount = tracks.count
        handle = try Handle(library, path, format: Self.isWebM(tracks) ? "webm" : "matroska", sizeLimit)
        for track in tracks { Self.add(track, to: handle.muxer) }
        begin()
        if let failure { throw failure }
    }

    /// WebM takes Opus, VP8, VP9 and AV1.
    package static func isWebM(_ tracks: [Track]) -> Bool { !tracks.contains { $0.codec == .h264 } }

    /// Bytes on the disk.
    package var size: Int { writtenSize }

    private static func add(_ track: Track, to muxer: UnsafeMutablePointer<cav_muxer>) {
        guard track.codec.kind == .audio else {
            _ = cav_add_video(
                muxer, track.codec.shimNumber, nominalSize.width, nominalSize.height, track.setup,
                Int32(track.setup.count))
            return
        }
        // RFC 7845 section 5.1: two channels, nothing to be skipped, 48 kHz.
        let head = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]
        _ = cav_add_audio(muxer, track.codec.shimNumber, 48_000, 2, head, Int32(head.count))
    }

    private mutating func begin() {
        let muxer = handle.muxer
        check(cav_begin(muxer, Int32(Self.clusterMilliseconds)))
        guard failure == nil else { return }
        var head = [UInt8](repeating: 0, count: min(Int(muxer.pointee.size), Self.headLimit))
        let count = head.withUnsafeMutableBytes { pread(handle.descriptor, $0.baseAddress, $0.count, 0) }
        header = MatroskaHeader(parsing: Array(head.prefix(max(0, count))))
        writtenSize = Int(muxer.pointee.size)
        for track in 0..<trackCount { patch(header.hiding(track)) }
    }

    // MARK: Frames

    /// Adds a frame.
    package mutating func write(_ frame: Frame) {
        guard failure == nil, isOpen, frame.track < trackCount, !frame.payload.isEmpty else { return }
        let muxer = handle.muxer
        show(frame)
        let before = milliseconds
        check(
            cav_add(
                muxer, Int32(frame.track), frame.payload, Int32(frame.payload.count), frame.milliseconds, 0,
                frame.isKeyFrame ? 1 : 0))
        milliseconds = max(milliseconds, frame.milliseconds)
        let size = Int(muxer.pointee.size)
        guard failure == nil, size > writtenSize else { return }
        writtenSize = size
        patch(header.lasting(milliseconds: before))
    }

    /// The first frame of a track makes it visible; a larger picture is said in the head.
    private mutating func show(_ frame: Frame) {
        if begun.insert(frame.track).inserted { patch(header.showing(frame.track)) }
        let known = sizes[frame.track] ?? (0, 0)
        guard frame.width * frame.height > known.width * known.height else { return }
        sizes[frame.track] = (frame.width, frame.height)
        patch(header.sizing(frame.track, width: frame.width, height: frame.height))
    }

    /// Completes the file and closes it; `failure` says what went wrong since the beginning.
    package mutating func close() {
        guard isOpen else { return }
        isOpen = false
        if failure == nil {
            check(cav_end(handle.muxer))
            writtenSize = Int(handle.muxer.pointee.size)
        }
        // The library has written its own view of the head once more.
        for (track, size) in sizes { patch(header.sizing(track, width: size.width, height: size.height)) }
        for track in 0..<trackCount where !begun.contains(track) { patch(header.hiding(track)) }
        if failure != nil { patch(header.lasting(milliseconds: milliseconds)) }
        guard let code = handle.close(), failure == nil else { return }
        fail("closing failed: \(systemMessage(code))", "check the disk")
    }

    // MARK: Failures

    private mutating func patch(_ patches: [MatroskaHeader.Patch]) {
        for patch in patches {
            let count = patch.bytes.withUnsafeBytes {
                pwrite(handle.descriptor, $0.baseAddress, $0.count, off_t(patch.offset))
            }
            if count != patch.bytes.count, failure == nil {
                fail("its head can't be completed: \(systemMessage(errno))", "check the disk")
            }
        }
    }

    private mutating func check(_ result: Int32) {
        guard result < 0, failure == nil else { return }
        let code = handle.muxer.pointee.failure
        let written = "after \(handle.muxer.pointee.size) bytes"
        switch code {
        case 0: fail("the muxer refused a frame \(written): \(library.text(result))", "record in another codec")
        case EFBIG: fail("has reached its limit \(written); what was written is kept", "start a new file")
        case ENOSPC, EDQUOT:
            fail(
                "writing failed \(written): \(systemMessage(code)); what was written is kept",
                "free space on that disk or record elsewhere")
        default: fail("writing failed \(written): \(systemMessage(code)); what was written is kept", "check the disk")
        }
    }

    private mutating func fail(_ problem: String, _ remedy: String) {
        failure = MediaError(.unwritable, path, problem, remedy: remedy)
    }
}

/// A file and its muxer.
private final class Handle {
    let muxer: UnsafeMutablePointer<cav_muxer>
    private(set) var descriptor: Int32

    init(_ library: AVFormatLibrary, _ path: String, format: String, _ sizeLimit: Int) throws(MediaError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw MediaError(
                .unwritable, path, "can't be created: \(systemMessage(errno))",
                remedy: "check that the directory exists and is writable")
        }
        guard let muxer = cav_muxer_new(library.api, descriptor, format, Int64(clamping: sizeLimit)) else {
            Glibc.close(descriptor)
            throw MediaError(
                .environment, String(cString: cav_library_name()), "knows no \(format)", remedy: "use that of Debian")
        }
        self.muxer = muxer
        self.descriptor = descriptor
    }

    deinit {
        cav_muxer_free(muxer)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Closes the file; gives the system's error where that fails.
    func close() -> Int32? {
        let result = Glibc.close(descriptor)
        descriptor = -1
        return result == 0 ? nil : errno
    }
}
