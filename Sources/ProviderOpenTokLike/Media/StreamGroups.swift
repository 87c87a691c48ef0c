import CallBridge
import MediaCore

/// Which tracks of those that are published together make up a stream.
enum StreamGroups {
    /// A stream has one channel of sound and one of pictures at most, both of the same place: a screen with its sound is
    /// never a stream with a camera. Gives the places of the tracks in the list, from the first one on.
    static func indices(_ items: [LocalMediaItem]) -> [[Int]] {
        var groups: [[Int]] = []
        for (index, item) in items.enumerated() {
            let fitting = groups.firstIndex { group in
                group.allSatisfy {
                    items[$0].track.kind != item.track.kind && isScreen(items[$0].source) == isScreen(item.source)
                }
            }
            if let fitting { groups[fitting].append(index) } else { groups.append([index]) }
        }
        return groups
    }

    private static func isScreen(_ source: Track.Source) -> Bool {
        source == .screenShare || source == .screenShareAudio
    }
}
