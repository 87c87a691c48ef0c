// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that users never resolve it and every target can be built with the sanitizers.
// `Sources/RTCWire`, `Sources/WireFuzzing` and the like are symbolic links into the main package. To add a target for another
// room: link the room and its bodies here, write `Sources/fuzz-NAME/Main.swift`, add NAME below and, in `seeds.py`, what
// its seeds are.

/// FUZZ_PLAIN builds without sanitizers, for what has to be fast: `association-campaign`.
let isPlain = Context.environment["FUZZ_PLAIN"] != nil
let sanitizers = isPlain ? [] : ["-sanitize=fuzzer,address"]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(sanitizers + ["-parse-as-library", "-enable-testing"]),
]

/// lld, because gold crashes on the sanitizer's sections.
let linking: [LinkerSetting] = [.unsafeFlags(sanitizers + ["-use-ld=lld"])]

/// An executable that fuzzes one parser.
func fuzz(_ name: String, _ bodies: Target.Dependency, _ others: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["FuzzDriver", bodies] + others, swiftSettings: settings,
        linkerSettings: linking)
}

/// Counts the heap by a malloc of its own, which the sanitizer's would contradict.
let campaign: [Target] = [
    .target(name: "CAllocations"),
    .executableTarget(
        name: "association-campaign", dependencies: ["CAllocations", "CoreFuzzing", "RTCCore", "FuzzRandom"],
        swiftSettings: settings, linkerSettings: linking),
]

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CCrypto", pkgConfig: "openssl"),
        .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .target(name: "RTCWire", swiftSettings: settings),
        .target(name: "WireFuzzing", dependencies: ["RTCWire"], swiftSettings: settings),
        .target(name: "RTCCore", dependencies: ["RTCWire", "CCrypto", "CSRTP"], swiftSettings: settings),
        .target(name: "CoreFuzzing", dependencies: ["RTCCore", "RTCWire"], swiftSettings: settings),
        .target(
            name: "LiveKitProtocol",
            dependencies: [
                "CallModel", "CCrypto", "CZlib", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["Protos"],
            swiftSettings: settings),
        .target(name: "SignallingFuzzing", dependencies: ["LiveKitProtocol"], swiftSettings: settings),
        .target(name: "CallModel", swiftSettings: settings),
        .target(name: "CallModelFuzzing", dependencies: ["CallModel"], swiftSettings: settings),
        .target(
            name: "ServiceFuzzing", dependencies: ["LiveKitProtocol", "OpenTokSignalling", "RTCCore"],
            swiftSettings: settings),
        .target(name: "OpenTokSignalling", dependencies: ["RTCWire", "CCrypto"], swiftSettings: settings),
        .target(name: "OpenTokFuzzing", dependencies: ["OpenTokSignalling", "RTCWire"], swiftSettings: settings),
        .target(name: "OpenTokClient", dependencies: ["OpenTokSignalling", "RTCWire"], swiftSettings: settings),
        .target(
            name: "OpenTokClientFuzzing", dependencies: ["OpenTokClient", "OpenTokSignalling", "RTCWire"],
            swiftSettings: settings),
        .target(name: "WHIPSignalling", dependencies: ["RTCWire"], swiftSettings: settings),
        .target(name: "WHIPFuzzing", dependencies: ["WHIPSignalling", "RTCWire"], swiftSettings: settings),
        .target(
            name: "ScenarioCore", dependencies: [.product(name: "Yams", package: "Yams")], swiftSettings: settings),
        .target(name: "ScenarioFuzzing", dependencies: ["ScenarioCore"], swiftSettings: settings),
        .target(name: "RTCSim", dependencies: ["RTCCore", "RTCWire"], swiftSettings: settings),
        .target(name: "SimFuzzing", dependencies: ["RTCSim", "RTCWire"], swiftSettings: settings),
        .target(name: "ServiceDeskCore", dependencies: ["CCrypto"], swiftSettings: settings),
        .target(name: "ServiceDeskFuzzing", dependencies: ["ServiceDeskCore"], swiftSettings: settings),
        .target(name: "CoBrowsingModel", swiftSettings: settings),
        .target(name: "CoBrowsingFuzzing", dependencies: ["CoBrowsingModel"], swiftSettings: settings),
        .target(name: "AccessPolicy", swiftSettings: settings),
        .target(name: "AccessFuzzing", dependencies: ["AccessPolicy"], swiftSettings: settings),
        .target(name: "FuzzDriver", swiftSettings: settings),
        fuzz("signalling", "SignallingFuzzing"), fuzz("token", "SignallingFuzzing"),
        fuzz("ring", "CallModelFuzzing"), fuzz("journal", "CallModelFuzzing"),
        .target(name: "FuzzRandom", dependencies: ["CCrypto"], swiftSettings: settings),
        fuzz("handshake", "CoreFuzzing", ["RTCCore", "FuzzRandom"]),
        fuzz("association", "CoreFuzzing", ["RTCCore", "FuzzRandom"]),
        fuzz("configuration", "ServiceFuzzing"), fuzz("roomservice", "ServiceFuzzing"),
        fuzz("rumor", "OpenTokFuzzing"), fuzz("rumorchannel", "OpenTokFuzzing"), fuzz("raptor", "OpenTokFuzzing"),
        fuzz("opentoktoken", "OpenTokFuzzing"), fuzz("opentokrest", "OpenTokFuzzing"),
        fuzz("opentokserver", "OpenTokFuzzing"), fuzz("opentoksession", "OpenTokFuzzing"),
        fuzz("opentokclient", "OpenTokClientFuzzing"), fuzz("sdpfrag", "WHIPFuzzing"), fuzz("whip", "WHIPFuzzing"),
        fuzz("scenario", "ScenarioFuzzing"), fuzz("servicedesk", "ServiceDeskFuzzing"),
        fuzz("cobrowsing", "CoBrowsingFuzzing"), fuzz("cobrowsingpeer", "CoBrowsingFuzzing"),
        fuzz("rawframe", "CoBrowsingFuzzing"), fuzz("url", "AccessFuzzing"),
        fuzz("network", "SimFuzzing"), fuzz("trace", "SimFuzzing"),
    ]
        + ["rtp", "rtcp", "stun", "sdp", "vp8", "opus", "payload", "red", "sctp", "dtls", "framing", "dns"].map {
            fuzz($0, "WireFuzzing")
        }
        + (isPlain ? campaign : [])
)
