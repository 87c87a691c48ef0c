import AccessPolicy

/// What fuzz targets do with one input: see `WireFuzzing`.
///
/// This folder is also a target of the package in Fuzz/.
package enum AccessFuzzing {
    package static let bodies: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
        ("url", { url($0) })
    ]

    /// A pattern, behind a byte that says how long it is, and a URL: what is canonical is its own canonical form, a base takes
    /// itself, and what is refused is shown without what may be secret.
    package static func url(_ input: UnsafeRawBufferPointer) {
        let count = min(Int(input.first ?? 0), max(0, input.count - 1))
        let pattern = String(decoding: input.dropFirst().prefix(count), as: UTF8.self)
        let text = String(decoding: input.dropFirst(1 + count), as: UTF8.self)
        let policy = try? URLPolicy(base: "https://chat.example/bank", patterns: [pattern])
        do throws(URLRefusal) { try policy?.check(text) } catch {
            precondition(error.url.utf8.count <= 202)
            precondition(error.fault == nil || !error.url.utf8.contains(UInt8(ascii: "@")))
        }
        guard let url = try? CanonicalURL(text) else { return }
        precondition((try? CanonicalURL(url.text)) == url)
        precondition(!url.shown.contains("?") && url.shown.utf8.count <= 200)
        guard !url.isMediaServer, url.query == nil, let own = try? URLPolicy(base: url.text) else { return }
        precondition(own.allows(url))
    }
}
