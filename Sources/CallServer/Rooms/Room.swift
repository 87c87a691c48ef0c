import Logging
import NIOCore
import RTCTransport
import RTCWire
import RoomModel
import SFUCore

/// A room on its loop: the truth about it (`RoomMachine`), its media, and its members, whatever dialects they speak.
// Everything that changes is touched on `eventLoop` only; other threads hold the reference and hop.
final class Room: @unchecked Sendable {
    let name: String
    let loop: ServerLoop
    let directory: RoomDirectory
    let media: RoomMedia
    let logger: Logger
    /// What a request or a token has asked of this room.
    var settings: RoomSettings
    private(set) var machine = RoomMachine()
    /// By id.
    private(set) var members: [String: any RoomMember] = [:]
    /// Where the tracks' packets come from, by track.
    var feeds: [String: TrackFeed] = [:]
    var measures = RoomMeasures()
    /// In the order in which they are told.
    private var listeners: [any RoomListener] = []
    private var clocks = RoomClocks()
    private var undelivered = UndeliveredEvents()
    private(set) var isClosed = false

    /// Made on any thread; `open` follows on the room's loop.
    init(name: String, loop: ServerLoop, directory: RoomDirectory, settings: RoomSettings) {
        self.name = name
        self.loop = loop
        media = RoomMedia(eventLoop: loop.eventLoop)
        self.directory = directory
        self.settings = settings
        var logger = directory.configuration.logger
        logger[metadataKey: "room"] = "\(name)"
        self.logger = logger
        media.narrowed = { [weak self] in self?.shareBandwidth(of: $0) }
    }

    var eventLoop: any EventLoop { loop.eventLoop }
    var configuration: CallServerConfiguration { directory.configuration }
    var timing: RoomTiming { directory.timing }

    /// A dialect's side of this room, or whoever else follows what happens here: made where there is none yet.
    func side<Side: RoomListener>(_ make: (Room) -> Side) -> Side {
        if let side: Side = existingSide() { return side }
        let side = make(self)
        listeners.append(side)
        return side
    }

    func existingSide<Side: RoomListener>() -> Side? {
        for listener in listeners { if let side = listener as? Side { return side } }
        return nil
    }

    // MARK: Opening and closing

    func open() {
        loop.add(self)
        for take in directory.dialects { take(self) }
        clocks.begin(on: eventLoop, every: SpeakerDetector.interval, tick("speakers") { $0.updateSpeakers(now: $1) })
        clocks.begin(on: eventLoop, every: RoomMeasures.interval, tick("streams") { $0.updateStreams(now: $1) })
        for listener in listeners { listener.opened(self) }
        closeWhenEmpty(afterSeconds: settings.emptyTimeout)
    }

    /// Does what a deadline asks for, with the time at which it begins, and notes how long that took.
    func timed(_ kind: String, _ body: (Room, Instant) -> Void) {
        loop.meter.measure(.timer, kind) { body(self, $0) }
    }

    private func tick(_ kind: String, _ body: @escaping @Sendable (Room, Instant) -> Void) -> @Sendable () -> Void {
        { [weak self] in self?.timed(kind, body) }
    }

    /// The times of `settings` have changed.
    func settingsChanged() {
        if members.isEmpty, !clocks.hadMembers { closeWhenEmpty(afterSeconds: settings.emptyTimeout) }
    }

    private func closeWhenEmpty(afterSeconds seconds: Int) {
        clocks.closing?.cancel()
        clocks.closing = eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { [weak self] in
            self?.closeIfEmpty()
        }
    }

    private func closeIfEmpty() {
        guard members.isEmpty, !isAwaited else { return }
        close(.idle)
    }

    private var isAwaited: Bool { listeners.contains(where: \.holdsOpen) }

    /// Nobody awaits the room any more who isn't in it.
    func awaitedNoMore() {
        guard members.isEmpty, !isAwaited, !isClosed else { return }
        closeWhenEmpty(afterSeconds: clocks.hadMembers ? settings.departureTimeout : settings.emptyTimeout)
    }

    /// Sends everybody away and closes.
    func end(_ reason: RoomEndReason, now: Instant) {
        for id in Array(members.keys) { remove(id, reason == .deleted ? .roomEnded : .serverStopped, now: now) }
        close(reason)
    }

    private func close(_ reason: RoomEndReason) {
        guard !isClosed else { return }
        isClosed = true
        clocks.cancel()
        media.close()
        loop.remove(self)
        directory.remove(self)
        for listener in listeners { listener.closed(self, because: reason) }
    }

    // MARK: Coming and going

    /// Whether everybody can still be told of to newcomers, with one more. Who is admitted enters, or is to be forgotten.
    ///
    /// - Parameter earlier: of the same identity; is removed once the newcomer is admitted.
    func admits(_ record: RoomParticipant, replacing earlier: String? = nil) -> Bool {
        if listeners.allSatisfy({ $0.room(self, admits: record, replacing: earlier) }) { return true }
        forget(record.id)
        return false
    }

    func forget(_ participant: String) { for listener in listeners { listener.room(self, forgets: participant) } }

    /// Takes somebody in who has a seat; one of the same identity has been removed.
    func enter(_ member: any RoomMember, as record: RoomParticipant, now: Instant) {
        clocks.closing?.cancel()
        clocks.hadMembers = true
        members[member.id] = member
        perform(.join(record), now: now)
    }

    /// Sends somebody away, or notes that somebody has gone; with `tells` the client learns the reason.
    func remove(_ id: String, _ reason: DepartureReason, tells: Bool = true, now: Instant) {
        guard let member = members.removeValue(forKey: id) else { return }
        member.dismiss(reason, tells: tells)
        perform(.leave(id, reason), now: now)
        if members.isEmpty { closeWhenEmpty(afterSeconds: settings.departureTimeout) }
    }

    // MARK: Commands and events

    /// Changes the room and tells everybody whom it concerns.
    func perform(_ command: RoomCommand, now: Instant) {
        machine.handle(command, now: now, into: &undelivered.events)
        deliver(now)
    }

    private func advance(_ now: Instant) {
        clocks.deadline.fired()
        machine.advance(to: now, into: &undelivered.events)
        deliver(now)
    }

    /// One event after another: what somebody does about one comes behind those that are under way.
    private func deliver(_ now: Instant) {
        while let event = undelivered.next() {
            carryOut(event, now: now)
            for listener in listeners { listener.room(self, did: event, now: now) }
            if let addressee = event.addressee {
                members[addressee]?.tell(event, now: now)
            } else {
                for member in members.values { member.tell(event, now: now) }
            }
            undelivered.done()
        }
        guard !isClosed else { return }
        clocks.deadline.set(machine.nextDeadline, on: eventLoop, now: now, tick("demand") { $0.advance($1) })
    }
}
