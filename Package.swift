// swift-tools-version:6.2
import PackageDescription

/// How debug builds are made for tests (Scripts/test): plain without it. Flags of the compiler's own would keep others from depending
/// on this package.
let testBuild = Context.environment["CALLBRIDGE_OPTIMIZED_TESTS"]

/// With "whole", each module at once: a third less work for a build of everything, more for one of what has changed.
let wholeModules: [SwiftSetting] =
    testBuild == "whole"
    ? [.unsafeFlags(["-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))] : []

/// What computes is optimized, assertions kept: virtual time passes some five times as fast.
let optimized: [SwiftSetting] =
    testBuild != nil
    ? [.unsafeFlags(["-O", "-Xfrontend", "-assert-config", "-Xfrontend", "Debug"], .when(configuration: .debug))] : []

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        // Span-returning accessors and ~Escapable views (NIO and swift-collections rely on it too).
        .enableExperimentalFeature("Lifetimes"),
        .treatAllWarnings(as: .error),
    ] + wholeModules

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")

/// A target of Sources/, with the settings that all share.
func room(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// A target of Sources/ that computes for each packet, picture or sample.
func engine(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + optimized)
}

/// The tests of a room: Tests/<room>Tests. They know what the engines were built as, for they count what those take from the heap.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies,
        swiftSettings: settings + (testBuild != nil ? [.define("OPTIMIZED_ENGINES")] : []))
}

/// libcallbridge.so exports what its header declares and nothing else. Flags of the linker's own would keep others from depending on
/// this package: only who builds that library has them.
let buildsCLibrary = Context.environment["CALLBRIDGE_C_LIBRARY"] != nil
let versionScript: [LinkerSetting] =
    buildsCLibrary
    ? [.unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/include/callbridge.map"])] : []
let cLibrary: [Product] =
    buildsCLibrary ? [.library(name: "callbridge", type: .dynamic, targets: ["CallBridgeABI"])] : []

let package = Package(
    name: "callbridge",
    products: cLibrary + [
        .library(name: "CallBridge", targets: ["CallBridge", "MediaCore"]),
        .library(name: "ProviderLiveKitLike", targets: ["ProviderLiveKitLike"]),
        .library(name: "ProviderOpenTokLike", targets: ["ProviderOpenTokLike"]),
        .library(name: "ProviderFake", targets: ["ProviderFake"]),
        .library(name: "CallConformance", targets: ["CallConformance"]),
        .library(name: "CallServer", targets: ["CallServer"]),
        .library(name: "ClientCore", targets: ["ClientCore"]),
        .library(name: "ServiceDesk", targets: ["ServiceDesk"]),
        .library(name: "CoBrowsing", targets: ["CoBrowsing"]),
        .executable(name: "callagent", targets: ["callagent"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // System libraries.
        .systemLibrary(name: "CCrypto", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSocket"),
        .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"])]),
        .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CVPX", pkgConfig: "vpx", providers: [.apt(["libvpx-dev"])]),
        .systemLibrary(name: "CDav1d", pkgConfig: "dav1d", providers: [.apt(["libdav1d-dev"])]),
        .systemLibrary(name: "COpenH264", pkgConfig: "openh264", providers: [.apt(["libopenh264-dev"])]),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        .systemLibrary(
            name: "CSpeech", pkgConfig: "espeak-ng", providers: [.apt(["libespeak-ng-dev", "libspeexdsp-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        // Its headers alone: the library is loaded when the first file is recorded.
        .systemLibrary(name: "CAVFormat", providers: [.apt(["libavformat-dev"])]),
        // Bytes and protocols: no socket, no clock, no task.
        engine("RTCWire", []),
        engine("RTCCore", ["RTCWire", "CCrypto", "CSRTP"]),
        engine("SFUCore", ["RTCCore", "RTCWire"]),
        // Who is in a room, what they publish and who gets it: the one truth, in no dialect's words.
        engine("RoomModel", ["SFUCore", "RTCCore", "RTCWire"]),
        engine("RTCSim", ["RTCCore", "RTCWire"]),
        // Which URLs, links and keys a client accepts, as values.
        room("AccessPolicy", []),
        // TLS in NIO channels: trust, pins and errors over NIOSSL; and HTTP and WebSockets that ask a policy first.
        room("TransportSecurity", ["AccessPolicy", "CCrypto", nioCore, nioSSL, nioTLS]),
        room(
            "WebClient",
            ["AccessPolicy", "TransportSecurity", asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioWebSocket]),
        // Sockets, media, calls.
        engine(
            "RTCTransport",
            ["RTCSim", "RTCCore", "RTCWire", "TransportSecurity", "CSocket", nioCore, nioPosix, logging]),
        engine(
            "MediaCore",
            [
                "AccessPolicy", "RTCTransport", "RTCCore", "RTCWire", "TransportSecurity", "COpus", "CVPX", "CDav1d",
                "COpenH264",
                "CYUV",
                "CSpeech", "CPulse",
                nioCore, nioPosix, logging,
            ]),
        // Recording of participants and rooms.
        room(
            "CallArchive",
            ["CallBridge", "MediaCore", "SFUCore", "RTCCore", "RTCWire", "CAVFormat", "CYUV", "CZlib"]),
        // What a call is: record, ringing, journal. Values that bridge and server share.
        room("CallModel", []),
        // What a conversation is, in words that client and service share; and a client as values: its life, its settings, its
        // conversations.
        room("ConversationModel", []),
        // Co-browsing as values: messages, masks, tiles, who shares and who watches, the signs of it, the relay.
        room("CoBrowsingModel", []),
        room("ClientModel", ["AccessPolicy", "CoBrowsingModel", "ConversationModel"]),
        // Sharing of the screen: frame sources, compression of tiles, sessions.
        room("CoBrowsing", ["ClientModel", "CoBrowsingModel", "ConversationModel", "CJPEG", "CPNG", "CWebP"]),
        // Small values that outlive a process and are shared with others: files, sealed files.
        room("ClientStorage", ["RTCCore"]),
        // Notifications as values: whom they are shown, tokens, sealing and opening; and the keys that processes share.
        room("ClientNotifications", ["ClientStorage", "RTCCore"]),
        // Keeps conversations: rules as values, SQLite beneath.
        room(
            "ConversationService",
            ["CoBrowsingModel", "ConversationModel", "ClientNotifications", "RTCCore", grdb]),
        room("CallBridge", ["AccessPolicy", "CallModel", "MediaCore", "TransportSecurity", "WebClient", logging]),
        // What an application links above the bridge: a client with its conversations and calls.
        room(
            "ClientCore",
            [
                "AccessPolicy", "CallBridge", "CallModel", "ClientModel", "ClientNotifications", "ClientStorage",
                "CoBrowsingModel", "ConversationModel", "MediaCore", "RTCCore", "TransportSecurity", "WebClient",
                logging, subprocess,
            ]),
        // A service desk's chat: client, reference service, authorization and webhooks as values; and their sockets.
        room("ServiceDeskCore", ["CCrypto"]),
        room(
            "ServiceDesk",
            ["ServiceDeskCore", "CallModel", "TransportSecurity", "WebClient", nioCore, nioPosix, nioHTTP1]),
        room("LiveKitProtocol", ["CallModel", "CCrypto", "CZlib", protobuf], exclude: ["Protos"]),
        // The second dialect, as values: tokens, REST requests, frames, messages.
        room("OpenTokSignalling", ["RTCWire", "CCrypto"]),
        room(
            "ProviderLiveKitLike",
            [
                "AccessPolicy", "CallBridge", "CallModel", "MediaCore", "LiveKitProtocol", "TransportSecurity",
                "WebClient",
                nioCore, nioPosix, nioHTTP1, nioWebSocket, logging,
            ]),
        // The way in for plain WebRTC, by HTTP alone: WHIP and WHEP as values.
        room("WHIPSignalling", ["RTCWire"]),
        // A client of the second dialect as a value, and what connects it to sockets, media and the bridge.
        room("OpenTokClient", ["OpenTokSignalling", "RTCWire"]),
        room(
            "ProviderOpenTokLike",
            [
                "CallBridge", "CallModel", "MediaCore", "OpenTokClient", "OpenTokSignalling", "RTCWire",
                "TransportSecurity", "WebClient", logging,
            ]),
        // For tests: a provider whose network and time are simulated, and the scenarios that every provider passes.
        engine(
            "ProviderFake",
            ["CallBridge", "MediaCore", "SFUCore", "RTCTransport", "RTCSim", "RTCCore", "RTCWire"]),
        room("CallConformance", ["CallBridge", "MediaCore"]),
        room(
            "CallServer",
            [
                "CallModel", "RoomModel", "SFUCore", "RTCTransport", "RTCCore", "RTCWire", "LiveKitProtocol",
                "OpenTokSignalling", "WHIPSignalling", "ClientNotifications", "CoBrowsingModel", "ConversationModel",
                "ConversationService", "CCrypto",
                "TransportSecurity", "WebClient", nioCore, nioPosix, nioHTTP1, nioHTTP2, nioSSL, nioWebSocket, logging,
            ]),
        // What a load test leaves behind, and what is made of it: files, verdicts, comparisons, pages. No socket, no clock.
        room("LoadResults", [histogram]),
        // What swift-metrics counts, as text for Prometheus.
        room("PrometheusMetrics", [coreMetrics]),
        // Who does what when in a load test, and what of it has arrived: values.
        room("LoadCore", ["RTCSim", "RTCWire"]),
        // Scenario files: what they say, as values, and what came of it held against them. No socket, no clock.
        room("ScenarioCore", [yams]),
        // The C interface: its header stands in include/, and a shared library is made of it by Scripts/c-library.
        .systemLibrary(name: "CCallBridge", path: "include"),
        .target(
            name: "CallBridgeABI",
            dependencies: [
                "CCallBridge", "CallBridge", "ClientCore", "MediaCore", "ProviderLiveKitLike", "ProviderOpenTokLike",
            ],
            swiftSettings: settings, linkerSettings: versionScript),
        tests("CallBridgeABI", ["CCallBridge", "CallServer", "LiveKitProtocol", "MediaCore"]),
        .systemLibrary(name: "CHeap"),
        .executableTarget(
            name: "callagent",
            dependencies: [
                "AccessPolicy", "ProviderLiveKitLike", "ProviderOpenTokLike", "ProviderFake", "CallArchive",
                "CallBridge", "CallModel", "CallServer", "ClientCore", "ClientModel", "ClientNotifications",
                "ClientStorage", "CoBrowsing", "CoBrowsingModel", "ConversationModel", "MediaCore",
                "OpenTokSignalling", "RTCTransport", "RTCCore", "TransportSecurity", "WebClient", "LiveKitProtocol",
                "LoadCore", "LoadResults", "PrometheusMetrics", "RTCSim", "RTCWire", "ScenarioCore", "ServiceDesk",
                "ServiceDeskCore", "CHeap",
                coreMetrics, lifecycle, nioCore, nioPosix, argumentParser, logging, subprocess,
            ],
            // `callagent story` plays it wherever the program is.
            resources: [.embedInCode("Story/whole-story.yaml")], swiftSettings: settings),
        // Tests. Theirs alone: counts what a thread takes from the heap.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        tests("RTCWire"),
        tests("RTCCore", ["RTCSim", "RTCWire", "CCrypto", "CAllocations"]),
        tests("AccessPolicy"),
        tests("RTCSim", ["RTCCore", "RTCWire"]),
        tests("SFUCore", ["RTCSim", "RTCCore", "RTCWire", "CAllocations"]),
        tests("RoomModel", ["SFUCore", "RTCCore", "RTCWire"]),
        tests(
            "WebClient",
            [
                "AccessPolicy", "TransportSecurity", "CallServer", "CallBridge", "ProviderLiveKitLike", "MediaCore",
                "CCrypto", nioCore, nioPosix, nioHTTP1, nioSSL,
            ]),
        tests("RTCTransport", ["RTCSim", "RTCCore", "RTCWire", nioCore, nioPosix]),
        tests("MediaCore", ["RTCSim", "RTCCore", "RTCWire", "CAllocations"]),
        tests("CallArchive", ["CallBridge", "MediaCore", "ProviderFake", "RTCWire"]),
        tests("CallModel", ["RTCSim"]),
        tests("CoBrowsingModel"),
        tests("CoBrowsing", ["ClientModel", "CoBrowsingModel", "ConversationModel"]),
        tests("ClientModel", ["ConversationModel"]),
        tests("ClientStorage"),
        tests("ClientNotifications", ["ClientStorage"]),
        tests(
            "ConversationService",
            ["CoBrowsingModel", "ConversationModel", "ClientNotifications", grdb]),
        tests(
            "ClientCore",
            [
                "AccessPolicy", "CallBridge", "CallModel", "CallServer", "ClientModel", "ClientNotifications",
                "ClientStorage", "TransportSecurity", "WebClient", "CoBrowsing", "CoBrowsingModel", "ConversationModel",
                "LiveKitProtocol", "MediaCore",
                nioCore, nioPosix, logging,
            ]),
        .testTarget(
            name: "ServiceDeskTests",
            dependencies: ["ServiceDesk", "ServiceDeskCore", "TransportSecurity", "WebClient", nioCore, nioPosix],
            swiftSettings: settings),
        tests("LoadResults", [histogram]),
        tests("PrometheusMetrics", [coreMetrics]),
        tests("LoadCore", ["RTCSim", "RTCWire"]),
        tests("ScenarioCore"),
        tests("LiveKitProtocol"),
        tests("OpenTokSignalling", ["RTCSim", "RTCWire"]),
        tests("WHIPSignalling", ["RTCWire"]),
        tests("OpenTokClient", ["OpenTokSignalling", "RTCSim", "RTCWire"]),
        tests(
            "ProviderOpenTokLike",
            [
                "CallBridge", "CallModel", "CallServer", "MediaCore", "OpenTokClient", "OpenTokSignalling", "RTCWire",
                "TransportSecurity", "WebClient", nioCore, nioPosix, logging,
            ]),
        tests(
            "CallServer",
            [
                "RoomModel", "RTCTransport", "RTCWire", "RTCSim", "CallModel", "LiveKitProtocol", "OpenTokSignalling",
                "WHIPSignalling", "RTCCore", "ClientNotifications", "ConversationModel", "ConversationService",
                "CCrypto", "TransportSecurity", nioCore, nioPosix, nioHTTP1, nioHTTP2, nioWebSocket, logging,
            ]),
        tests(
            "ProviderLiveKitLike",
            [
                "CallBridge", "CallServer", "MediaCore", "LiveKitProtocol", "RTCTransport", "RTCWire",
                "TransportSecurity", "WebClient", nioCore, nioPosix, nioHTTP1, nioWebSocket, logging, protobuf,
            ]),
        tests(
            "CallBridge",
            ["MediaCore", "ProviderLiveKitLike", "ProviderFake", "CallServer", "WebClient", "TransportSecurity"]),
        tests(
            "CallConformance",
            [
                "CallBridge", "MediaCore", "ProviderFake", "ProviderLiveKitLike", "ProviderOpenTokLike",
                "OpenTokClient", "OpenTokSignalling", "LiveKitProtocol", "CallServer", "RTCTransport", "RTCWire",
                "RTCSim", "RTCCore", "SFUCore", "WebClient", "TransportSecurity", "CAllocations", nioPosix,
            ]),
        .testTarget(
            name: "CallAgentTests",
            dependencies: [
                "callagent", "CallArchive", "CallBridge", "CallModel", "CallServer", "LiveKitProtocol", "LoadCore",
                "LoadResults", "MediaCore", "OpenTokSignalling", "ProviderFake", "ScenarioCore", "WebClient",
                "TransportSecurity", argumentParser, "ConversationModel", "ConversationService", "ServiceDesk", nioCore,
                nioPosix,
            ],
            swiftSettings: settings),
    ]
)
