// swift-tools-version:6.2
import PackageDescription

// What a user of the library writes: a provider of one's own, applications with different providers, and the lines of the
// README. A package of its own, which knows the project's products and public API only.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
]

/// A product of the project.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "callbridge") }

let package = Package(
    name: "examples",
    products: [.library(name: "TinyProvider", targets: ["TinyProvider"])],
    dependencies: [.package(name: "callbridge", path: "..")],
    targets: [
        // A complete provider, as docs/provider-guide.md shows it, and the conformance suite on it.
        .target(name: "TinyProvider", dependencies: [product("CallBridge")], swiftSettings: settings),
        .testTarget(
            name: "TinyProviderTests",
            dependencies: ["TinyProvider", product("CallBridge"), product("CallConformance")],
            swiftSettings: settings),
        // One application, linked with one provider, the other, both and none.
        .target(name: "Application", dependencies: [product("CallBridge")], swiftSettings: settings),
        .executableTarget(
            name: "ApplicationLiveKitLike", dependencies: ["Application", product("ProviderLiveKitLike")],
            swiftSettings: settings),
        .executableTarget(
            name: "ApplicationFake", dependencies: ["Application", product("ProviderFake")], swiftSettings: settings),
        .executableTarget(
            name: "ApplicationBoth",
            dependencies: ["Application", product("ProviderLiveKitLike"), product("ProviderFake")],
            swiftSettings: settings),
        .executableTarget(name: "ApplicationNone", dependencies: ["Application"], swiftSettings: settings),
        .testTarget(name: "ApplicationTests", dependencies: [product("CallServer")], swiftSettings: settings),
        // The lines of the README, and that the documents show what is compiled here.
        .executableTarget(
            name: "JoinACall", dependencies: [product("CallBridge"), product("ProviderLiveKitLike")],
            swiftSettings: settings),
        .testTarget(name: "DocumentationTests", swiftSettings: settings),
    ]
)
