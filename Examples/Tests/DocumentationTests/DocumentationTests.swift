import Foundation
import Testing

/// What the documents show is what is compiled and tested here, letter by letter.
@Suite struct DocumentationTests {
    @Test func theGuideShowsTheWholeProvider() throws {
        let blocks = try Self.blocks(of: "docs/provider-guide.md")
        for (path, shown) in blocks {
            let text = try Self.text(path)
            #expect(shown == text, "\(path) has changed: show it anew")
        }
        let root = Self.root.appendingPathComponent("Examples")
        var files: Set<String> = []
        for folder in ["Sources/TinyProvider", "Tests/TinyProviderTests"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            files.formUnion(names.filter { $0.hasSuffix(".swift") }.map { "Examples/\(folder)/\($0)" })
        }
        #expect(Set(blocks.map(\.path)) == files, "the guide shows every file of the provider")
    }

    @Test func theReadmeShowsTheLinesThatJoinACall() throws {
        let blocks = try Self.blocks(of: "README.md")
        #expect(blocks.map(\.path) == ["Examples/Sources/JoinACall/main.swift"])
        for (path, shown) in blocks {
            let text = try Self.text(path)
            #expect(shown == text, "\(path) has changed: show it anew")
        }
    }

    // MARK: Reading

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
            .trimmingCharacters(in: .newlines)
    }

    /// The Swift blocks of a document, each with the file that the link before it names: `[...](../Examples/...)`.
    private static func blocks(of document: String) throws -> [(path: String, text: String)] {
        var result: [(String, String)] = []
        var path = ""
        var block: [Substring]?
        for line in try text(document).split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                guard line == "```" else {
                    block = lines + [line]
                    continue
                }
                result.append((path, lines.joined(separator: "\n")))
                block = nil
            } else if line == "```swift" {
                block = []
            } else if let start = line.range(of: "Examples/"), let end = line[start.lowerBound...].range(of: ".swift") {
                path = String(line[start.lowerBound..<end.upperBound])
            }
        }
        return result
    }
}
