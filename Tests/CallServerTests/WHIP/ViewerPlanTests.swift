import RTCCore
import RTCWire
import RoomModel
import Testing

@testable import CallServer

struct ViewerPlanTests {
    private var room = RoomMachine()

    private mutating func perform(_ command: RoomCommand) {
        var events: [RoomEvent] = []
        room.handle(command, now: .zero, into: &events)
    }

    private mutating func join(_ id: String, hidden: Bool = false) {
        var permissions = Permissions()
        permissions.isHidden = hidden
        perform(.join(RoomParticipant(id: id, identity: "\(id)-identity", permissions: permissions)))
    }

    private mutating func publish(_ track: String, by id: String, _ kind: StreamKind, _ source: TrackSource) {
        perform(.publish(PublishedTrack(id: track, kind: kind, source: source, name: "", isMuted: false), by: id))
    }

    private func update(_ plan: inout ViewerPlan) -> ViewerPlan.Change { plan.update(room.roster.participants) }

    @Test mutating func followsTheFirstWhoPublishesMost() {
        var plan = ViewerPlan(kinds: [.audio, .video], subject: nil)
        #expect(update(&plan) == .init())
        for id in ["ann", "bob", "eve"] { join(id) }
        publish("ann-a", by: "ann", .audio, .microphone)
        publish("bob-a", by: "bob", .audio, .microphone)
        publish("bob-v", by: "bob", .video, .camera)
        publish("eve-a", by: "eve", .audio, .microphone)
        publish("eve-v", by: "eve", .video, .camera)
        #expect(update(&plan) == .init(wanted: ["bob-a", "bob-v"]))
        #expect(plan.followed == "bob")
        #expect(update(&plan) == .init())
    }

    @Test mutating func staysAsLongAsThereIsSomething() {
        var plan = ViewerPlan(kinds: [.video, .audio], subject: nil)
        join("ann")
        join("bob")
        publish("ann-a", by: "ann", .audio, .microphone)
        #expect(update(&plan) == .init(wanted: ["ann-a"]))
        publish("bob-a", by: "bob", .audio, .microphone)
        publish("bob-v", by: "bob", .video, .camera)
        #expect(update(&plan) == .init())
        publish("ann-v", by: "ann", .video, .camera)
        #expect(update(&plan) == .init(wanted: ["ann-v"]))
        perform(.leave("ann", .left))
        #expect(update(&plan) == .init(dropped: ["ann-v", "ann-a"], wanted: ["bob-v", "bob-a"]))
        #expect(plan.slot(of: "bob-v") == 0 && plan.slot(of: "bob-a") == 1)
    }

    @Test mutating func aNamedOneAlone() {
        var plan = ViewerPlan(kinds: [.audio], subject: "bob-identity")
        join("ann")
        publish("ann-a", by: "ann", .audio, .microphone)
        #expect(update(&plan) == .init())
        join("bob")
        publish("bob-a", by: "bob", .audio, .microphone)
        #expect(update(&plan) == .init(wanted: ["bob-a"]))
        perform(.leave("bob", .left))
        #expect(update(&plan) == .init(dropped: ["bob-a"]))
        #expect(plan.followed == nil)
    }

    @Test mutating func hiddenOnesAreNotSeen() {
        var plan = ViewerPlan(kinds: [.audio], subject: nil)
        join("ann", hidden: true)
        publish("ann-a", by: "ann", .audio, .microphone)
        #expect(update(&plan) == .init())
    }

    @Test mutating func aScreenComesBehindTheCamera() {
        var plan = ViewerPlan(kinds: [.video, .video], subject: nil)
        join("ann")
        publish("screen", by: "ann", .video, .screenShare)
        #expect(update(&plan) == .init(wanted: ["screen"]))
        publish("camera", by: "ann", .video, .camera)
        #expect(update(&plan) == .init(wanted: ["camera"]))
        #expect(plan.slots.map(\.track) == ["camera", "screen"])
    }
}
