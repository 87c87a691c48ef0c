import RTCWire
import Testing

@testable import CallArchive

@Suite struct ArchiveMachineTests {
    private static func machine(_ mode: RoomArchive.StreamMode = .auto, hasVideo: Bool = true) -> ArchiveMachine {
        ArchiveMachine(
            RoomArchive(id: "a", session: "s", streamMode: mode, hasVideo: hasVideo, createdAt: 0), now: .zero)
    }

    private static func after(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test func anArchiveIsRecordedStoppedAndAvailable() {
        var machine = Self.machine()
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.streamAppeared("ada", isScreen: false), now: Self.after(1), into: &actions)
        machine.handle(.streamAppeared("ada", isScreen: false), now: Self.after(1), into: &actions)
        #expect(actions == [.record("ada", kinds: [.audio, .video], isScreen: false)])
        actions = []
        machine.handle(.stop, now: Self.after(10), into: &actions)
        #expect(actions == [.report, .finish])
        #expect(machine.archive.state == .stopped && machine.archive.reason == "user initiated")
        machine.handle(.stop, now: Self.after(11), into: &actions)
        #expect(actions == [.report, .finish])
        machine.handle(.finished(bytes: 1_000, seconds: 9.9), now: Self.after(12), into: &actions)
        #expect(machine.archive.state == .available && machine.archive.size == 1_000)
        #expect(machine.archive.duration == 9.9)
        actions = []
        machine.handle(.delete, now: Self.after(20), into: &actions)
        #expect(actions == [.deleteFiles, .report] && machine.archive.state == .deleted)
    }

    @Test func aFullDiskFailsOnceAndKeepsTheRest() {
        var machine = Self.machine()
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.streamAppeared("ada", isScreen: false), now: .zero, into: &actions)
        actions = []
        machine.handle(.failed("no space"), now: Self.after(5), into: &actions)
        machine.handle(.failed("again"), now: Self.after(6), into: &actions)
        #expect(actions == [.report, .finish])
        machine.handle(.finished(bytes: 500, seconds: 5), now: Self.after(7), into: &actions)
        #expect(machine.archive.state == .failed && machine.archive.reason == "no space")
        #expect(machine.archive.size == 500)
    }

    @Test func whatIsWrittenIsToldWhileItGoesOn() {
        var machine = Self.machine()
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.progressed(bytes: 400), now: Self.after(5), into: &actions)
        #expect(actions == [.report] && machine.archive.size == 400 && machine.archive.duration == 5)
        machine.handle(.stop, now: Self.after(6), into: &actions)
        actions = []
        machine.handle(.progressed(bytes: 500), now: Self.after(7), into: &actions)
        #expect(actions.isEmpty && machine.archive.size == 400 && machine.archive.duration == 6)
    }

    @Test func nobodyPausesAndSomebodyGoesOn() {
        var machine = Self.machine()
        var actions: [ArchiveMachine.Action] = []
        #expect(machine.nextDeadline == Self.after(60))
        machine.advance(to: Self.after(59), into: &actions)
        #expect(actions.isEmpty)
        machine.advance(to: Self.after(60), into: &actions)
        #expect(actions == [.report] && machine.archive.state == .paused)
        #expect(machine.nextDeadline == Self.after(3_600))
        machine.handle(.streamAppeared("ada", isScreen: false), now: Self.after(100), into: &actions)
        #expect(machine.archive.state == .started)
        #expect(machine.nextDeadline == Self.after(14_400))
        machine.handle(.streamVanished("ada"), now: Self.after(200), into: &actions)
        actions = []
        machine.advance(to: Self.after(260), into: &actions)
        machine.advance(to: Self.after(3_800), into: &actions)
        #expect(actions == [.report, .report, .finish] && machine.archive.reason == "session ended")
    }

    @Test func anArchiveDoesNotLastForEver() {
        var machine = Self.machine()
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.streamAppeared("ada", isScreen: false), now: .zero, into: &actions)
        machine.advance(to: Self.after(14_400), into: &actions)
        #expect(machine.archive.state == .stopped && machine.archive.reason == "maximum duration exceeded")
        #expect(machine.archive.duration == 14_400)
    }

    @Test func inManualModeStreamsAreNamed() {
        var machine = Self.machine(.manual)
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.streamAppeared("ada", isScreen: false), now: .zero, into: &actions)
        #expect(actions.isEmpty)
        machine.handle(.add("ada", hasAudio: true, hasVideo: false), now: .zero, into: &actions)
        machine.handle(.add("bob", hasAudio: true, hasVideo: true), now: .zero, into: &actions)
        #expect(actions == [.record("ada", kinds: [.audio], isScreen: false)])
        actions = []
        machine.handle(.streamAppeared("bob", isScreen: true), now: .zero, into: &actions)
        machine.handle(.remove("ada"), now: .zero, into: &actions)
        #expect(actions == [.record("bob", kinds: [.audio, .video], isScreen: true), .release("ada")])
        #expect(machine.archive.streams == ["bob"])
    }

    @Test func layoutChangesKeepTheirTime() {
        var machine = Self.machine()
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.arrange(.pip), now: Self.after(3), into: &actions)
        machine.handle(.classes("ada", ["focus"]), now: Self.after(4), into: &actions)
        #expect(machine.changes.map(\.time) == [0, 3_000, 4_000])
        #expect(
            machine.changes.map(\.change) == [
                .layout(.bestFit), .layout(.pip), .classes(stream: "ada", ["focus"]),
            ])
    }

    @Test func soundAloneIsPossible() {
        var machine = Self.machine(hasVideo: false)
        var actions: [ArchiveMachine.Action] = []
        machine.handle(.streamAppeared("ada", isScreen: false), now: .zero, into: &actions)
        #expect(actions == [.record("ada", kinds: [.audio], isScreen: false)])
    }
}
