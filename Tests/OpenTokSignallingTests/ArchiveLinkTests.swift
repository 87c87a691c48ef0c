import Testing

@testable import OpenTokSignalling

/// Links to the files of archives: who has one may fetch that file, for a while.
@Suite struct ArchiveLinkTests {
    private static let secrets = ["100": "secret", "200": "another"]
    private static let link = ArchiveLink(project: "100", archive: "a-1", filename: "archive.webm")

    private static func read(_ target: String, now: Int64) -> ArchiveLink? {
        let parts = target.split(separator: "?", maxSplits: 1)
        return ArchiveLink(
            path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "", secrets: secrets, now: now)
    }

    @Test func aLinkHoldsForTenMinutes() {
        let target = Self.link.signed(secret: "secret", now: 1_000)
        #expect(target.hasPrefix("/archive/100/a-1/archive.webm?expires=1600&signature="))
        #expect(Self.read(target, now: 1_000) == Self.link)
        #expect(Self.read(target, now: 1_600) == Self.link)
        #expect(Self.read(target, now: 1_601) == nil)
        // One that holds longer than ours do is none of ours.
        #expect(Self.read(target, now: 999) == nil)
    }

    @Test(arguments: [
        ("a-1", "a-2"), ("/100/", "/200/"), ("/100/", "/300/"), ("archive.webm", "archive.json"),
        ("expires=1600", "expires=1599"), ("expires=1600", "expires=x"), ("signature=", "signature=A"),
        ("signature=", "other="), ("/a-1/", "/../a-1/"), ("/a-1/", "/%2e%2e/"), ("?", "/?"),
        ("/archive/", "//archive/"),
        ("expires=1600&", ""), ("expires=1600", "expires=%"), ("expires=1600", "expires=-9223372036854775808"),
    ])
    func nothingOfItCanBeChanged(part: String, other: String) {
        let target = Self.link.signed(secret: "secret", now: 1_000)
        let changed = target.replacingFirst(part, with: other)
        #expect(changed != target && Self.read(changed, now: 1_000) == nil)
    }

    @Test func longOnesAreNotRead() {
        let long = String(repeating: "a", count: 600)
        let link = ArchiveLink(project: "100", archive: long, filename: "f")
        #expect(Self.read(link.signed(secret: "secret", now: 1_000), now: 1_000) == nil)
        let target = Self.link.signed(secret: "secret", now: 1_000)
        #expect(Self.read(target + "&x=\(long)", now: 1_000) == nil)
        #expect(Self.read(target + "&x=1", now: 1_000) == Self.link)
    }
}

extension String {
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return replacingCharacters(in: range, other)
    }

    private func replacingCharacters(in range: Range<Index>, _ other: String) -> String {
        String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
