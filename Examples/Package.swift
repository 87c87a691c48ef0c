// swift-tools-version:6.2
import PackageDescription

// What a user of the library writes: a provider of one's own, and the lines of the README. A package of its own, which
// knows the project's products and public API only.

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
        // The lines of the README, and that the documents show what is compiled here.
        .executableTarget(
            name: "JoinACall", dependencies: [product("CallBridge"), product("ProviderLiveKitLike")],
            swiftSettings: settings),
        .testTarget(name: "DocumentationTests", swiftSettings: settings),
    ]
)
