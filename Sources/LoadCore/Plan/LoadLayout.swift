/// How a subscriber shows the pictures of a room, as `lk load-test` has it.
package enum LoadLayout: String, Sendable, CaseIterable {
    /// The one who speaks large, and five more small.
    case speaker
    case grid3x3 = "3x3"
    case grid4x4 = "4x4"
    case grid5x5 = "5x5"

    /// Pixels of a view.
    package struct Size: Sendable, Hashable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }

        static let large = Size(width: 1280, height: 720)
        static let middle = Size(width: 640, height: 360)
        static let small = Size(width: 320, height: 180)
    }

    /// How many pictures are shown at a time; of others nothing is received.
    package var capacity: Int {
        switch self {
        case .speaker: 6
        case .grid3x3: 9
        case .grid4x4: 16
        case .grid5x5: 25
        }
    }

    /// The size of a place, from 0.
    func size(of place: Int) -> Size {
        switch self {
        case .speaker: place == 0 ? .large : .small
        case .grid3x3: .middle
        case .grid4x4, .grid5x5: .small
        }
    }
}

/// What one subscriber shows at the moment, and what it has to ask for when that changes. A value.
package struct LayoutView: Sendable {
    /// A wish for a track.
    package enum Change: Sendable, Equatable {
        case show(track: String, LoadLayout.Size)
        case hide(track: String)
    }

    private struct Entry {
        var track: String
        var owner: String
    }

    private let layout: LoadLayout
    /// In the order of their coming.
    private var entries: [Entry] = []
    /// Who speaks.
    private var featured: String?
    private var shown: [String: LoadLayout.Size] = [:]

    package init(_ layout: LoadLayout) { self.layout = layout }

    /// Tracks that are shown.
    package var visible: Set<String> { Set(shown.keys) }

    /// A track of pictures is published.
    package mutating func add(track: String, owner: String) -> [Change] {
        guard !entries.contains(where: { $0.track == track }) else { return [] }
        entries.append(Entry(track: track, owner: owner))
        return arrange()
    }

    /// A track is gone.
    package mutating func remove(track: String) -> [Change] {
        entries.removeAll { $0.track == track }
        shown[track] = nil
        return arrange()
    }

    /// Somebody else speaks.
    package mutating func feature(_ owner: String) -> [Change] {
        guard featured != owner else { return [] }
        featured = owner
        return arrange()
    }

    private mutating func arrange() -> [Change] {
        let wanted = arrangement()
        var changes: [Change] = []
        for entry in entries where shown[entry.track] != nil && wanted[entry.track] == nil {
            changes.append(.hide(track: entry.track))
        }
        for entry in entries {
            guard let size = wanted[entry.track], shown[entry.track] != size else { continue }
            changes.append(.show(track: entry.track, size))
        }
        shown = wanted
        return changes
    }

    /// Who speaks has the first place of `speaker`; in a grid places stay, and a speaker who has none gets the last one.
    private func arrangement() -> [String: LoadLayout.Size] {
        var order = entries
        if let index = order.firstIndex(where: { $0.owner == featured }) {
            let place = layout == .speaker ? 0 : min(index, layout.capacity - 1)
            order.insert(order.remove(at: index), at: place)
        }
        let places = order.prefix(layout.capacity).enumerated().map { ($1.track, layout.size(of: $0)) }
        return Dictionary(places) { first, _ in first }
    }
}
