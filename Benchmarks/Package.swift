// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that users never resolve it. The rooms under `Sources/` are symbolic links into the main
// package: building them here gives the benchmarks their `package` API.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// A linked room of the main package.
func room(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CCrypto", pkgConfig: "openssl"),
        .systemLibrary(name: "CSocket"),
        .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2"),
        .systemLibrary(name: "CSocket"),
        .systemLibrary(name: "COpus", pkgConfig: "opus"),
        .systemLibrary(name: "CVPX", pkgConfig: "vpx"),
        .systemLibrary(name: "CYUV"),
        .systemLibrary(name: "CSpeech", pkgConfig: "espeak-ng"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CPulse"),
        room("RTCWire", []),
        room("RTCCore", ["RTCWire", "CCrypto", "CSRTP"]),
        room("SFUCore", ["RTCCore", "RTCWire"]),
        room("RTCSim", ["RTCCore", "RTCWire"]),
        room("TransportSecurity", ["CCrypto", nioCore]),
        room("WebClient", ["TransportSecurity", nioCore, nioPosix, nioHTTP1]),
        room(
            "RTCTransport",
            ["RTCSim", "RTCCore", "RTCWire", "TransportSecurity", "CSocket", nioCore, nioPosix, logging]),
        room(
            "MediaCore",
            [
                "RTCTransport", "RTCCore", "RTCWire", "TransportSecurity", "COpus", "CVPX", "CYUV", "CSpeech", "CPulse",
                nioCore, nioPosix, logging,
            ]),
        room("CallModel", []),
        room("CallBridge", ["CallModel", "MediaCore", "TransportSecurity", "WebClient", logging]),
        room("LiveKitProtocol", ["CCrypto", "CZlib", protobuf], exclude: ["Protos"]),
        room(
            "ProviderLiveKitLike",
            [
                "CallBridge", "MediaCore", "LiveKitProtocol", "TransportSecurity", "WebClient", nioCore, nioPosix,
                nioHTTP1, nioWebSocket, logging,
            ]),
        room(
            "CallServer",
            [
                "CallModel", "SFUCore", "RTCTransport", "RTCCore", "RTCWire", "LiveKitProtocol", "TransportSecurity",
                "WebClient", nioCore, nioPosix, nioHTTP1, nioWebSocket, logging,
            ]),
        // Counts what a thread takes from the heap.
        .target(name: "CAllocations"),
        // The references: what the same work costs in plain C.
        .target(name: "CFloors", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CFloors", "CAllocations", "CallServer", "ProviderLiveKitLike", "CallBridge", "LiveKitProtocol",
                "SFUCore",
                "RTCTransport",
                "MediaCore", "RTCCore", "RTCWire", nioCore, nioPosix, logging,
            ],
            swiftSettings: settings),
    ]
)
