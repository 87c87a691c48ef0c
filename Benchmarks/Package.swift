// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that users never resolve it. It takes the modules of the main package as they were built there,
// and their `package` API: the compiler is told that the benchmarks are part of that package.

/// The identity of the main package, which is made of its folder's name, as the compiler is given it.
let mainPackage: String = {
    let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? "callbridge"
    let name = folder.lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }
    return (folder.first?.isNumber == true ? ["_"] + name.dropFirst() : name).joined()
}()

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-package-name", mainPackage]),
]

/// A product of the main package; all modules that it is made of come with it.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "callbridge") }

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "callbridge", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // Counts what a thread takes from the heap, and what is in use; a link into the main package's tests.
        // Under a name of its own: in the build folder that both packages share, the tests have it as well.
        .target(name: "CHeapCount", path: "Sources/CAllocations"),
        // The references: what the same work costs in plain C.
        .target(name: "CFloors", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CFloors", "CHeapCount", product("CallServer"), product("ProviderLiveKitLike"),
                product("CallBridge"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ],
            packageAccess: false,
            swiftSettings: settings),
    ]
)
