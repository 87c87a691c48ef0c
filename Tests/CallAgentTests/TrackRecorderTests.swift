import Foundation
import MediaCore
import Testing

@testable import callagent

/// Whatever somebody is called, their recording has a name of its own in its folder.
@Suite struct TrackRecorderTests {
    @Test(arguments: [
        ("ada", "ada"), ("", "_"), (".", "_."), ("..", "_.."), ("../../etc/passwd", "_.._.._etc_passwd"),
        (".hidden", "_.hidden"), ("a/b\\c:d\u{0}e\nf", "a_b_c_d_e_f"), ("Zoë", "Zoë"), ("名前", "名前"),
        ("e" + String(repeating: "\u{301}", count: 900_000), "_"),
        ("\u{202e}gpj.exe", "_gpj.exe"),
    ])
    func namesAreHarmless(identity: String, stem: String) { #expect(RecordingName.stem(identity) == stem) }

    @Test(arguments: ["x", "é", "名", "e\u{301}", "\u{1f468}\u{200d}\u{1f469}", "\u{0}", "/"])
    func longNamesAreCutAtACharacter(unit: String) {
        let identity = String(repeating: unit, count: 1_000)
        let stem = RecordingName.stem(identity)
        #expect((1...RecordingName.maximumBytes).contains(stem.utf8.count))
        #expect(stem.utf8.count > RecordingName.maximumBytes - 8)
        #expect(stem == String(repeating: String(stem.first!), count: stem.count))
    }

    @Test func eachTrackHasAFileOfItsOwn() throws {
        try Self.withFolder { folder in
            let names = [
                "a" + String(repeating: "b", count: 300), "a" + String(repeating: "b", count: 400), "..", "..", "",
            ]
            for name in names { try TrackRecorder(.audio, folder: folder, identity: name).close() }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.count == names.count && files.allSatisfy { $0.hasSuffix(".wav") && $0.utf8.count <= 255 })
        }
    }

    @Test func aLongPauseBeginsAnotherFile() throws {
        try Self.withFolder { folder in
            let recorder = try TrackRecorder(.video, folder: folder, identity: "ada")
            let track = RemoteTrack(kind: .video, mid: "0", streamID: "s", trackID: "t")
            recorder.attach(to: track)
            for second in [0.0, 1, 2, 60, 61] {
                let time = MediaTime(nanoseconds: Int64(second * 1e9))
                let picture = VideoFrame(black: 32, by: 32, captureTime: time)
                [UInt8]().withUnsafeBytes { track.deliver(picture, encoded: $0, isKeyFrame: true) }
            }
            try recorder.close()
            let first = try Y4MSource(path: folder + "/ada.y4m")
            let second = try Y4MSource(path: folder + "/ada-2.y4m")
            #expect(Self.count(first) == 61 && Self.count(second) == 31)
        }
    }

    @Test func aRecordingThatCanNotBeMadeEndsNothing() throws {
        let probe = InboundProbe(
            .audio, id: "T", from: "ada", sender: nil, keepsAudio: true, recordTo: "/nowhere/at/all")
        let track = RemoteTrack(kind: .audio, mid: "0", streamID: "s", trackID: "t")
        probe.attach(to: track)
        track.deliver(AudioFrame(samples: [Int16](repeating: 1_000, count: 960)))
        #expect(try #require(probe.meter).measurement.duration == 0.02)
        #expect(probe.close().map(\.kind) == [.unwritable])
    }

    @Test func aTrackThatIsSubscribedAgainCountsOn() throws {
        let probe = InboundProbe(.audio, id: "T", from: "ada", sender: nil, keepsAudio: true, recordTo: nil)
        let samples = [Int16](repeating: 1_000, count: 960)
        for (number, time) in [0.0, 2.0].enumerated() {
            let track = RemoteTrack(kind: .audio, mid: "\(number)", streamID: "s\(number)", trackID: "t")
            probe.attach(to: track)
            track.deliver(AudioFrame(samples: samples, time: MediaTime(nanoseconds: Int64(time * 1e9))))
        }
        #expect(try #require(probe.meter).measurement.duration == 0.04)
        // What was played 2 s later stands 2 s later.
        #expect(try #require(probe.tape).samples(from: .zero).count == 2 * 48_000 + 960)
        func counted(_ stream: String, packets: Int) -> ReceiverStatistics {
            var statistics = ReceiverStatistics()
            (statistics.streamID, statistics.trackID, statistics.packetsReceived) = (stream, "t", packets)
            return statistics
        }
        let receivers = [counted("s0", packets: 3), counted("other", packets: 100), counted("s1", packets: 4)]
        #expect(probe.counted(receivers)?.packetsReceived == 7)
    }

    private static func count(_ source: Y4MSource) -> Int {
        var count = 0
        while source.nextFrame(at: .zero) != nil { count += 1 }
        return count
    }

    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recordings-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }
}
