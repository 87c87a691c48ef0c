import MediaCore
import RTCWire
import Testing

@testable import CallArchive

/// Frames of a sender whose clocks begin anywhere.
private struct Sender {
    var soundStart: UInt32 = 4_294_960_000
    var pictureStart: UInt32 = 77
    /// NTP of the moment 0.
    var ntp: UInt64 = 0xe000_0000_0000_0000
    var knowsClock = false

    func sound(at milliseconds: Int64, delay: Int64 = 30) -> ReceivedFrame {
        ReceivedFrame(
            codec: .opus, payload: [1, 2, 3], timestamp: soundStart &+ UInt32(milliseconds * 48), isKeyFrame: true,
            arrival: .zero + .milliseconds(Int(1_000 + milliseconds + delay)),
            clock: knowsClock ? SenderClock(ntp: ntp, timestamp: soundStart) : nil)
    }

    func picture(at milliseconds: Int64, delay: Int64 = 30, key: Bool = false) -> ReceivedFrame {
        ReceivedFrame(
            codec: .vp8, payload: key ? Self.keyFrame : [0x11, 0, 0, 1],
            timestamp: pictureStart &+ UInt32(milliseconds * 90),
            isKeyFrame: key, arrival: .zero + .milliseconds(Int(1_000 + milliseconds + delay)),
            clock: knowsClock ? SenderClock(ntp: ntp, timestamp: pictureStart) : nil)
    }

    static let keyFrame: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01, 0, 0]
    static let filler: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 8, 0, 8, 0, 0, 0]
}

@Suite struct RecordingMachineTests {
    private static func frames(_ actions: [RecordingMachine.Action]) -> [MatroskaWriter.Frame] {
        actions.compactMap { if case .write(let frame) = $0 { frame } else { nil } }
    }

    @Test func jitterDoesNotShowInTimes() {
        var machine = RecordingMachine()
        let sender = Sender()
        var actions: [RecordingMachine.Action] = []
        for index in Int64(0)..<50 {
            _ = machine.take(sender.sound(at: 20 * index, delay: index == 0 ? 10 : 10 + index * 7 % 90), stream: 1)
        }
        machine.finish(into: &actions)
        #expect(Self.frames(actions).map(\.milliseconds) == (0..<50).map { $0 * 20 })
    }

    @Test func soundThatComesLateOrTwiceHasOnePlace() {
        var machine = RecordingMachine()
        let sender = Sender()
        var actions: [RecordingMachine.Action] = []
        for time: Int64 in [0, 20, 60, 60, 40, 20, 80] { _ = machine.take(sender.sound(at: time), stream: 1) }
        machine.finish(into: &actions)
        #expect(Self.frames(actions).map(\.milliseconds) == [0, 20, 40, 60, 80])
    }

    /// So that recordings of one sender's sound and pictures can be laid beside each other.
    @Test func theSendersClockIsKnownFromEither() throws {
        let sender = Sender(knowsClock: true)
        var (sound, pictures, both) = (RecordingMachine(), RecordingMachine(), RecordingMachine())
        for index in Int64(0)..<10 {
            for machine in [0, 1] {
                _ =
                    machine == 0
                    ? sound.take(sender.sound(at: 20 * index, delay: 30), stream: 1)
                    : both.take(sender.sound(at: 20 * index, delay: 30), stream: 1)
            }
            let picture = sender.picture(at: 20 * index, delay: 90, key: index == 0)
            _ = pictures.take(picture, stream: 1)
            _ = both.take(picture, stream: 2)
        }
        let heard = try #require(sound.timeline.soundClock), seen = try #require(pictures.timeline.pictureClock)
        #expect(seen - heard == 60_000_000 && sound.timeline.pictureClock == nil)
        #expect(both.timeline.soundClock == heard && both.timeline.pictureClock == nil)
    }

    @Test func pausesStayPauses() {
        var machine = RecordingMachine()
        let sender = Sender()
        var actions: [RecordingMachine.Action] = []
        for time: Int64 in [0, 20, 5_020, 5_040] {
            _ = machine.take(sender.sound(at: time), stream: 1)
            machine.advance(to: .zero + .milliseconds(Int(1_000 + time + 400)), into: &actions)
        }
        machine.finish(into: &actions)
        #expect(Self.frames(actions).map(\.milliseconds) == [0, 20, 5_020, 5_040])
    }

    @Test func aFrameWaitsForThoseBeforeIt() {
        var machine = RecordingMachine(kinds: [.audio])
        let sender = Sender()
        var actions: [RecordingMachine.Action] = []
        _ = machine.take(sender.sound(at: 0, delay: 0), stream: 1)
        machine.advance(to: .zero + .milliseconds(1_000) + RecordingMachine.hold, into: &actions)
        #expect(actions.isEmpty)
        machine.advance(to: .zero + .milliseconds(1_001) + RecordingMachine.hold, into: &actions)
        #expect(Self.frames(actions).count == 1)
    }

    /// Pictures take 200 ms longer than sound through the network; only the sender's reports can tell.
    @Test func senderReportsKeepSoundAndPicturesInStep() {
        for knowsClock in [false, true] {
            var machine = RecordingMachine()
            var sender = Sender()
            sender.knowsClock = knowsClock
            var actions: [RecordingMachine.Action] = []
            for time in stride(from: Int64(0), to: 2_000, by: 20) {
                _ = machine.take(sender.sound(at: time, delay: 20), stream: 1)
                guard time % 40 == 0 else { continue }
                _ = machine.take(sender.picture(at: time, delay: 220, key: time == 0), stream: 2)
            }
            machine.finish(into: &actions)
            let frames = Self.frames(actions)
            let lastSound = frames.last { $0.track == 0 }?.milliseconds ?? 0
            let lastPicture = frames.last { $0.track == 1 }?.milliseconds ?? 0
            let skew = lastPicture - (lastSound - 20)
            #expect(abs(skew - (knowsClock ? 0 : 200)) <= 2, "known: \(knowsClock), skew \(skew)")
        }
    }

    @Test func picturesBeginWithAKeyFrameAndAskForOne() {
        var machine = RecordingMachine()
        let sender = Sender()
        var actions: [RecordingMachine.Action] = []
        let asked = [0, 33, 66, 1_100].map { machine.take(sender.picture(at: $0), stream: 1) }
        #expect(asked == [true, false, false, true])
        #expect(machine.take(sender.picture(at: 1_200, key: true), stream: 1) == false)
        _ = machine.take(sender.picture(at: 1_233), stream: 1)
        machine.finish(into: &actions)
        let frames = Self.frames(actions)
        #expect(frames.map(\.isKeyFrame) == [true, false])
        #expect(frames.first?.width == 640 && frames.first?.height == 360)
        #expect(machine.dropped == 4)
    }

    @Test func aServersFillersAreLeftOut() {
        var machine = RecordingMachine()
        var frame = Sender().picture(at: 0, key: true)
        frame.payload = Sender.filler
        var actions: [RecordingMachine.Action] = []
        _ = machine.take(frame, stream: 1)
        machine.finish(into: &actions)
        #expect(actions.isEmpty)
    }

    @Test func theFirstFileWaitsForThePicturesCodec() {
        var machine = RecordingMachine()
        var actions: [RecordingMachine.Action] = []
        _ = machine.take(Sender().sound(at: 0, delay: 0), stream: 1)
        machine.advance(to: .zero + .milliseconds(1_600), into: &actions)
        #expect(actions.isEmpty)
        var picture = Sender().picture(at: 500, key: true)
        picture.codec = .vp9
        _ = machine.take(picture, stream: 2)
        machine.advance(to: .zero + .milliseconds(1_600), into: &actions)
        let begun = actions.compactMap { if case .begin(let tracks) = $0 { tracks.map(\.codec) } else { nil } }
        #expect(begun == [[.opus, .vp9]])
    }

    @Test func anotherCodecBeginsAnotherFile() {
        var machine = RecordingMachine()
        let sender = Sender()
        var actions: [RecordingMachine.Action] = []
        _ = machine.take(sender.picture(at: 0, key: true), stream: 1)
        var other = sender.picture(at: 40, key: true)
        other.codec = .vp9
        _ = machine.take(other, stream: 1)
        machine.finish(into: &actions)
        let begun = actions.compactMap { if case .begin(let tracks) = $0 { tracks.map(\.codec) } else { nil } }
        #expect(begun == [[.opus, .vp8], [.opus, .vp9]])
    }

    @Test func onlyWhatIsWantedIsRecorded() {
        var machine = RecordingMachine(kinds: [.audio])
        var actions: [RecordingMachine.Action] = []
        _ = machine.take(Sender().picture(at: 0, key: true), stream: 1)
        _ = machine.take(Sender().sound(at: 0), stream: 2)
        machine.finish(into: &actions)
        #expect(Self.frames(actions).map(\.track) == [0])
    }

    @Test func aSendersClockThatJumpsBeginsAnotherLine() {
        var machine = RecordingMachine()
        var actions: [RecordingMachine.Action] = []
        _ = machine.take(Sender().sound(at: 0), stream: 1)
        var jumped = Sender().sound(at: 20)
        jumped.timestamp &+= 2_000_000_000
        _ = machine.take(jumped, stream: 1)
        machine.finish(into: &actions)
        #expect(Self.frames(actions).map(\.milliseconds) == [0, 20])
    }
}
