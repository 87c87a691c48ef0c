@testable import ProviderLiveKitLike

/// What the recorded user did, and where our client legitimately goes another way.
struct TracePlan {
    enum Step {
        case publishMicrophone
        case publishCamera(width: Int, height: Int, bitrate: Int)
        case muteMicrophone(Bool)
        case unpublishCamera
        case leave
        /// The recorded client was told to lose its socket: here the server tears it down.
        case dropSocket
        /// The recorded client was told to join afresh: here the server says so.
        case demandFullReconnect
        /// Goes on only when a message of that kind has come, without taking it.
        case await(String)
    }

    let name: String
    let mode: LiveKitLikeProvider.Mode
    /// Done before the recorded event of that line is played.
    let steps: [Int: [Step]]
    /// Lines that are not played, each with its reason.
    let skipped: [Int: String]
    /// Lines that are played before another one.
    var moved: [(lines: [Int], before: Int)] = []
    var isLayerOrderFree = false
    /// Kinds that ours says once more after the loss of a socket, and the recorded client does not: those said since the
    /// latest ping that was answered, see `SignalQueue`. Where that ping falls is the clock's, so that any end of them fits.
    var saidAgain: [String] = []
    /// Differences that are as they should be, with their reason, by line.
    var differing: [Int: (reason: String, fields: [String])] = [:]
    /// The number of compared messages and fields, so that nothing is left out in silence.
    let messages: Int
    let fields: Int

    /// How often the call tells its application so: what the server said has had its effect.
    let heard: [String: Int]

    /// Kinds whose number is each client's own; the first one of each is compared.
    static let free: Set<String> = ["trickle", "pingReq"]
    /// Kinds whose place is each client's own: candidates and pings come when they come, answers belong to the other
    /// connection than offers, and the permission is said once the session stands.
    static let unordered: Set<String> = ["trickle", "pingReq", "answer", "subscriptionPermission"]

    private static let early =
        "that client offers again when its data channels are there; ours has offered them at once"
    private static let legacyPing = "an old form of pingReq, which ours does not send"
    private static let permission = "the default, which ours says only after a loss"

    static let all = [pythonSingle, pythonDual, chromiumSingle, chromiumDual]

    static let pythonSingle = TracePlan(
        name: "python-v1", mode: .singleConnection,
        steps: [
            1525: [.publishMicrophone],
            1526: [.publishCamera(width: 1280, height: 720, bitrate: 3_000_000), .await("addTrack")],
            // The first offer has the sound only.
            1528: [.await("offer")],
            4037: [.muteMicrophone(true)], 4042: [.muteMicrophone(false)],
            4047: [.dropSocket],
            4899: [.unpublishCamera],
            5743: [.leave],
        ],
        skipped: [777: early, 1216: "the answer to that"],
        saidAgain: ["mute", "mute"],
        differing: [
            4899: (
                "libwebrtc keeps a stopped sender's lines; the server answers both forms with an inactive section",
                [
                    "offer.sdp[8].direction: ours inactive, recorded recvonly",
                    "offer.sdp[8].msid: ours nothing, recorded - 63be6c16-3ad3-42b9-a2c6-438d89db5e9e",
                    "offer.sdp[8].rids: ours nothing, recorded f send, h send, q send",
                    "offer.sdp[8].simulcast: ours nothing, recorded send f;h;q",
                ]
            )
        ],
        messages: 16, fields: 405,
        heard: [
            "speakersChanged": 3, "connectionQuality": 2, "localTrackSubscribed": 2, "trackSubscribed": 2,
            "subscriptionPermission": 2, "reconnecting": 1, "reconnected": 1,
        ])

    static let pythonDual = TracePlan(
        name: "python-v0", mode: .twoConnections,
        steps: [
            135: [.publishMicrophone],
            228: [.publishCamera(width: 1280, height: 720, bitrate: 3_000_000)],
            644: [.muteMicrophone(true)], 649: [.muteMicrophone(false)],
            654: [.demandFullReconnect],
            1215: [.leave],
        ],
        skipped: [
            91: early, 113: "the answer to that", 752: early, 774: "the answer to that",
        ],
        // That client publishes the picture first when it comes back, ours what was published first.
        moved: [(lines: [749, 750], before: 747)],
        messages: 23, fields: 181,
        heard: [
            "speakersChanged": 4, "connectionQuality": 4, "localTrackSubscribed": 4, "trackSubscribed": 4,
            "trackUnsubscribed": 2, "subscriptionPermission": 4, "streamState": 2, "reconnecting": 1, "reconnected": 1,
        ])

    static let chromiumSingle = TracePlan(
        name: "chromium-v1", mode: .singleConnection,
        steps: [
            11: [.publishMicrophone], 12: [.publishCamera(width: 640, height: 360, bitrate: 450_000)],
        ],
        skipped: [
            8: early, 9: permission, 10: "the answer to the early offer", 39: legacyPing, 41: legacyPing,
            43: legacyPing, 45: legacyPing,
        ],
        isLayerOrderFree: true, messages: 8, fields: 179,
        heard: [
            "speakersChanged": 2, "connectionQuality": 2, "localTrackSubscribed": 2, "trackSubscribed": 2,
            "trackPublished": 2, "subscriptionPermission": 2,
        ])

    static let chromiumDual = TracePlan(
        name: "chromium-v0", mode: .twoConnections,
        steps: [
            15: [.publishMicrophone], 16: [.publishCamera(width: 640, height: 360, bitrate: 450_000)],
        ],
        skipped: [14: permission, 28: legacyPing, 30: legacyPing],
        isLayerOrderFree: true, messages: 9, fields: 57,
        heard: ["speakersChanged": 1, "connectionQuality": 1])

    /// The trace as it is played.
    func lines() throws -> [TraceLine] {
        var lines = try TraceLine.load(name).filter { skipped[$0.line] == nil }
        for move in moved {
            let taken = lines.filter { move.lines.contains($0.line) }
            lines.removeAll { move.lines.contains($0.line) }
            let place = lines.firstIndex { $0.line == move.before } ?? lines.endIndex
            lines.insert(contentsOf: taken, at: place)
        }
        return lines
    }
}
