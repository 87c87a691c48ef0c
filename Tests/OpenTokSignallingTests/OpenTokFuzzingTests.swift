import Foundation
import OpenTokSignalling
import RTCSim
import Testing

/// The fuzz targets' bodies with what once broke them, and with random damage.
@Suite struct OpenTokFuzzingTests {
    private static let crashers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Crashers")

    private static let session = "2_fjEyMzQ1fn4xODAwMDAwMDAwMDAwfjAxMjM0NTY3ODlhYmNkZWZ-TX4"
    private static let uri = "/v2/partner/12345/session/\(session)"

    private static var seeds: [[UInt8]] {
        let texts = [
            #"{"method":"create","uri":"\#(uri)/stream/s","content":{"id":"s","channel":[{"id":"v","type":"video","width":5}]}}"#,
            #"{"method":"created","uri":"\#(uri)/connection/c","content":{"id":"c","creationTime":1,"permissions":["publish"]}}"#,
            #"{"connection":[{"id":"c","creationTime":1}],"stream":[],"iceServers":[{"url":"stun:h"}]}"#,
            #"{"iss":"12345","iat":1800000000,"exp":1800000060,"session_id":"\#(session)","connection_data":"d"}"#,
            "session_id=\(session)&create_time=1800000000&role=publisher", session,
            "POST\n/v2/project/12345/session/\(session)/signal\n\n{\"type\":\"t\",\"data\":\"d\"}",
            "GET\n/v2/project/12345/archive\noffset=1&count=2\n", "POST\n/session/create\n\np2p.preference=enabled",
        ]
        let frame = RumorFrame.message(to: "a", from: "b", transaction: "t", payload: Array("{}".utf8))
        let bytes = (try? frame.encoded()) ?? []
        let start: [UInt8] = [0, 0, 1, 2, 1, 12, 50, 5, 200, 14]
        let steps: [UInt8] = start + bytes + [255, 0, 1, 3]
        let served: [UInt8] = Array("\u{0}\(texts[0])\u{0}\(texts[1])".utf8)
        let twice: [UInt8] = [7] + bytes + bytes
        let later: [UInt8] = [1] + steps
        return texts.map { Array($0.utf8) } + [served, twice, steps, later]
    }

    @Test(arguments: OpenTokFuzzing.bodies.map(\.name))
    func everyCrasherAndRandomInputPasses(target: String) throws {
        let body = try #require(OpenTokFuzzing.bodies.first { $0.name == target }).run
        let folder = Self.crashers.appendingPathComponent(target)
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try Data(contentsOf: folder.appendingPathComponent(file)).withUnsafeBytes(body)
        }
        var generator = SeededGenerator(seed: 8259)
        let seeds = Self.seeds
        for round in 0..<1000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            bytes.withUnsafeBytes(body)
        }
    }
}
