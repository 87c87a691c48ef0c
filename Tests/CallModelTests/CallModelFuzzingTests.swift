import CallModel
import Foundation
import RTCSim
import Testing

/// The fuzz targets' bodies with what once broke them, and with random damage.
@Suite struct CallModelFuzzingTests {
    private static let crashers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Crashers")

    private static let offer =
        #"{"type":"offer","callId":"c","offer":{"callId":"c","conversationId":"v","callType":"AUDIO","callerPersonId":"a","#
        + #""callerName":"A","callStartTimestamp":1800000000000,"ringsUntil":1800000030000,"callState":"CALLING"}}"#
    private static let place =
        #"{"type":"place","request":{"callId":"","conversationId":"v","callType":"VIDEO","callerName":"A","groups":[["eve"]]}}"#
    private static var seeds: [String] {
        [
            "\u{0}: hi\n\nevent: offer\ndata: \(offer)\n\ndata: {\"type\":\"granted\",\"callId\":\"c\"}\r\n\r\n",
            "\u{1}\(place)\n{\"type\":\"answer\",\"callId\":\"call-1\"}\n{\"type\":\"abort\",\"callId\":\"call-1\"}\n",
            #"{"eventType":"conversation.call.ended","timestamp":5,"id":"c#1","callId":"c","endReason":"DECLINED"}"#,
        ]
    }

    @Test(arguments: CallModelFuzzing.bodies.map(\.name))
    func everyCrasherAndRandomInputPasses(target: String) throws {
        let body = try #require(CallModelFuzzing.bodies.first { $0.name == target }).run
        let folder = Self.crashers.appendingPathComponent(target)
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            try Data(contentsOf: folder.appendingPathComponent(file)).withUnsafeBytes(body)
        }
        var generator = SeededGenerator(seed: 8259)
        for round in 0..<600 {
            var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            bytes.withUnsafeBytes(body)
        }
    }

    @Test("Offers with any time come to an end", arguments: [Int64.min, -1, 0, .max])
    func anyTime(milliseconds: Int64) {
        let text = Self.offer.replacing("1800000030000", with: "\(milliseconds)")
        Array("\u{0}data: \(text)\n\n".utf8).withUnsafeBytes { CallModelFuzzing.ring($0) }
    }

    @Test("An event's data may stand on several lines, end with CRLF, and come byte by byte")
    func eventStream() {
        let bytes = Array(":\nid: 7\ndata: one\ndata:two\r\n\r\ndata\n\ndata: three\n\nleft over".utf8)
        var parser = EventStreamParser()
        let events = bytes.flatMap { parser.receive([$0]) }
        #expect(events.map { String(decoding: $0, as: UTF8.self) } == ["one\ntwo", "three"])
    }

    @Test("An endless line is cut, and what follows is read")
    func endlessLine() {
        var parser = EventStreamParser()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 2 * EventStreamParser.longest)
        #expect(
            parser.receive(Array("data: ".utf8) + long + Array("\n\ndata: next\n\n".utf8)).last == Array("next".utf8))
    }
}
