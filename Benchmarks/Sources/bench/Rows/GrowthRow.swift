import CHeapCount
import RTCCore

/// P7: what a subscriber costs the server where there are 1,000, against where there are 50: P1's scene in both sizes, and
/// the C forwarder in both, which shows what the growth of the kernel's part and of the caches is.
enum GrowthRow {
    private static let few = 50
    private static let many = 1000
    private static let profile = SRTPProfile.aeadAES128GCM

    @Sendable static func run(_ settings: BenchSettings) throws -> [Row] {
        // The scene and the C forwarder in both sizes, each subscriber with a socket.
        try OpenFiles.require(2 * (few + many) + 32, for: "P7 with \(many) subscribers")
        return try compare(segmentation: false, settings) + compare(segmentation: true, settings)
    }

    private static func compare(segmentation: Bool, _ settings: BenchSettings) throws -> [Row] {
        let small = try ForwardingScene(profile, subscribers: few, segmentation: segmentation)
        let large = try ForwardingScene(profile, subscribers: many, segmentation: segmentation)
        var contestants = [
            { try large.window(seconds: settings.window) }, { try small.window(seconds: settings.window) },
        ]
        if !segmentation {
            let floors = (
                try FloorRoom(profile, subscribers: many), try FloorRoom(profile, subscribers: few)
            )
            contestants.append { try floors.0.window(seconds: settings.window) }
            contestants.append { try floors.1.window(seconds: settings.window) }
        }
        var heap: [Double] = []
        contestants.append {
            heap.append(Double(heap_in_use()) / 1_048_576)
            return 0
        }
        let values = try alternate(rounds: settings.rounds, contestants)
        try small.close()
        try large.close()
        return rows(values, heap: heap, segmentation)
    }

    private static func rows(_ values: [[Double]], heap: [Double], _ segmentation: Bool) -> [Row] {
        let title = "a packet to one of \(many) subscribers; of \(few); AES-GCM"
        let format: (Double) -> String = { "\($0.fixed(2)) us" }
        let name = segmentation ? title + ", GSO" : title
        var rows = [Row.comparison("P7", name, ours: values[0], reference: values[1], limit: 1.1, format: format)]
        guard !segmentation else { return rows }
        rows.append(
            .comparison(
                "P7", "the same of the C forwarder", ours: values[2], reference: values[3], limit: nil, format: format))
        rows.append(
            .comparison(
                "P7", "heap after the last windows; after the second", ours: [heap.last ?? 0],
                reference: [heap.prefix(2).last ?? 0], limit: 1.05, format: { "\($0.fixed(1)) MiB" }))
        return rows
    }
}
