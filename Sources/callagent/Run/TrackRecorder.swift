import Foundation
import MediaCore
import Synchronization

/// Names of recordings: identities come from the network, and file systems take 255 bytes.
enum RecordingName {
    /// Bytes of a name without its number and extension.
    static let maximumBytes = 200
    /// A character of more, such as a letter under many accents, is replaced.
    private static let maximumCharacterBytes = 16

    /// What an identity is called in a folder: letters, digits, `-`, `_` and `.`, all else as `_`; never hidden or empty.
    static func stem(_ identity: String) -> String {
        var stem = ""
        // No longer than needed: characters can be made of any number of scalars.
        let beginning = String(String.UnicodeScalarView(identity.unicodeScalars.prefix(4 * maximumBytes)))
        for character in beginning {
            let kept = isKept(character) ? String(character) : "_"
            guard stem.utf8.count + kept.utf8.count <= maximumBytes else { break }
            stem += kept
        }
        guard let first = stem.first, first != "." else { return "_" + stem.utf8Prefix(maximumBytes - 1) }
        return stem
    }

    private static func isKept(_ character: Character) -> Bool {
        guard character.utf8.count <= maximumCharacterBytes else { return false }
        return character.isLetter || character.isNumber || character == "-" || character == "_" || character == "."
    }

    /// The first of `stem.wav`, `stem-2.wav` and so on that is not there yet in a folder.
    static func unused(_ stem: String, suffix: String, in folder: String) -> String {
        var candidate = "\(folder)/\(stem)\(suffix)"
        var number = 1
        while FileManager.default.fileExists(atPath: candidate) {
            number += 1
            candidate = "\(folder)/\(stem)-\(number)\(suffix)"
        }
        return candidate
    }
}

extension String {
    /// Whole characters of no more than `limit` bytes from the beginning.
    fileprivate func utf8Prefix(_ limit: Int) -> String {
        var result = self
        while result.utf8.count > limit { result.removeLast() }
        return result
    }
}

/// Writes a track to files: a WAV file, or Y4M files, of which a pause that none of them would show begins another.
final class TrackRecorder: Sendable {
    private let wav: WAVWriter?
    private let video: VideoRecorder?

    /// Throws `MediaError` where the file can't be made.
    init(_ kind: MediaKind, folder: String, identity: String) throws(MediaError) {
        let stem = RecordingName.stem(identity)
        switch kind {
        case .audio:
            wav = try WAVWriter(path: RecordingName.unused(stem, suffix: ".wav", in: folder))
            video = nil
        case .video:
            wav = nil
            video = try VideoRecorder { () throws(MediaError) in
                try Y4MWriter(path: RecordingName.unused(stem, suffix: ".y4m", in: folder))
            }
        }
    }

    func attach(to track: RemoteTrack) {
        if let wav { track.attach(wav) }
        if let video { track.attach(video) }
    }

    /// Throws `MediaError` where something could not be written.
    func close() throws(MediaError) {
        try wav?.close()
        try video?.close()
    }
}

/// Y4M has no time per picture: what would be repeated for too long is not, and the next picture begins another file.
final class VideoRecorder: VideoSink {
    private struct State {
        var writer: Y4MWriter
        var last: MediaTime?
        var failure: MediaError?
    }

    private let state: Mutex<State>
    private let next: @Sendable () throws(MediaError) -> Y4MWriter

    /// - Parameter next: makes each file.
    init(_ next: @escaping @Sendable () throws(MediaError) -> Y4MWriter) throws(MediaError) {
        self.next = next
        state = Mutex(State(writer: try next()))
    }

    func receive(_ frame: VideoFrame) {
        state.withLock { state in
            guard !frame.isFiller, state.failure == nil else { return }
            if let last = state.last, frame.captureTime.seconds - last.seconds > Y4MWriter.maximumPause {
                begin(&state)
            }
            state.last = frame.captureTime
            state.writer.receive(frame)
        }
    }

    /// Closes the file; throws what went wrong first.
    func close() throws(MediaError) {
        let failure = state.withLock { state in
            end(&state)
            return state.failure
        }
        if let failure { throw failure }
    }

    private func begin(_ state: inout State) {
        end(&state)
        guard state.failure == nil else { return }
        do throws(MediaError) { state.writer = try next() } catch { state.failure = error }
    }

    private func end(_ state: inout State) {
        do throws(MediaError) { try state.writer.close() } catch { state.failure = state.failure ?? error }
    }
}
