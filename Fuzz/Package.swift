// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that users never resolve it and every target can be built with the sanitizers.
// `Sources/RTCWire` and `Sources/WireFuzzing` are symbolic links into the main package. To add a target for another
// room: link the room and its bodies here, write `Sources/fuzz-NAME/Main.swift`, add NAME below and, in `seeds.py`, what
// its seeds are.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

/// lld, because gold crashes on the sanitizer's sections.
let linking: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]

/// An executable that fuzzes one parser.
func fuzz(_ name: String, _ bodies: Target.Dependency) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["FuzzDriver", bodies], swiftSettings: settings, linkerSettings: linking)
}

let package = Package(
    name: "fuzz",
    targets: [
        .target(name: "RTCWire", swiftSettings: settings),
        .target(name: "WireFuzzing", dependencies: ["RTCWire"], swiftSettings: settings),
        .target(name: "FuzzDriver", swiftSettings: settings),
    ] + ["rtp", "rtcp", "stun", "sdp", "vp8", "opus", "red"].map { fuzz($0, "WireFuzzing") }
)
