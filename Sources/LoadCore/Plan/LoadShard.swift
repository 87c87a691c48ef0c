/// Which part of a run this process does, where several machines share it. A value.
package struct LoadShard: Sendable, Equatable {
    /// From 0.
    package var index: Int
    package var count: Int

    /// Runs of more parts are refused.
    package static let most = 1_000

    /// Nil where there is no such part.
    package init?(index: Int, count: Int) {
        guard (1...Self.most).contains(count), (0..<count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Whether a participant is of this part: whole rooms where there are enough of them, so that each part knows what its
    /// publishers send; else the participants of each room in turn.
    ///
    /// - Parameters:
    ///   - room: its number, of `rooms`.
    ///   - place: the participant's among those of its kind in the room.
    func holds(room: Int, of rooms: Int, place: Int) -> Bool {
        (rooms >= count ? room : place + room) % count == index
    }
}
