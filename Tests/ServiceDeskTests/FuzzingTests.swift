import Foundation
import Testing

/// The fuzz target's body with what once broke it, and with random damage.
@Suite struct FuzzingTests {
    private static let crashers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Crashers/servicedesk")

    private static func seeds() throws -> [[UInt8]] {
        let comment = Array(#"{"app_id":"a","user_id":"u","comment":"hi","client_id":"c"}"#.utf8)
        let file = Array("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"n\"\r\n\r\nv\r\n--b--\r\n".utf8)
        return [
            [0] + (try GoldenFiles.bytes("webhook-text.json")),
            [0] + (try GoldenFiles.bytes("webhook-attachments.json")),
            [1] + (try GoldenFiles.bytes("authorization.form")), [2] + (try GoldenFiles.bytes("authorization.json")),
            [3] + Array("a=%41&b=+&c".utf8), [4] + file, [5, 2] + comment + [0, 8] + comment + [0, 4] + file,
            [5, 2] + (try GoldenFiles.bytes("update-external.json")),
        ]
    }

    @Test func everyCrasherAndRandomInputPasses() throws {
        let body = try #require(ServiceDeskFuzzing.bodies.first).run
        for file in (try? FileManager.default.contentsOfDirectory(atPath: Self.crashers.path)) ?? [] {
            try Data(contentsOf: Self.crashers.appendingPathComponent(file)).withUnsafeBytes(body)
        }
        let seeds = try Self.seeds()
        var generator = TestGenerator(seed: 8259)
        for round in 0..<2_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if round % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            bytes.withUnsafeBytes(body)
        }
    }
}
