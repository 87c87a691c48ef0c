import Foundation
import MediaCore
import Testing

@testable import CallBridge

@Suite("Voice greeting")
struct VoiceGreetingTests {
    @Test("Text becomes speech of a plausible length; a slower rate makes it longer")
    func synthesis() throws {
        let text = "Please wait, an agent will be with you in a moment."
        let normal = try VoiceGreeting(text: text).samples()
        let slow = try VoiceGreeting(text: text, wordsPerMinute: 90).samples()
        #expect((72_000...300_000).contains(normal.count), "1.5 to 6 seconds: \(normal.count)")
        #expect(Double(slow.count) > 1.4 * Double(normal.count))
    }

    @Test("Another language speaks otherwise")
    func language() throws {
        let english = try VoiceGreeting(text: "Information", language: "en").samples()
        let german = try VoiceGreeting(text: "Information", language: "de").samples()
        #expect(english != german)
    }

    @Test("Blank text is no greeting")
    func empty() throws {
        #expect(VoiceGreeting(text: " \n ").isEmpty)
        #expect(try VoiceGreeting(text: "").samples().isEmpty)
    }

    @Test("A voice that doesn't exist is named in the error")
    func unknownVoice() {
        #expect {
            try VoiceGreeting(text: "hello", voice: "xx+none").samples()
        } throws: { "\($0)".contains("xx+none") && "\($0)".contains("greeting") }
    }

    @Test("Given sound is played as it is, stereo as its mean; broken sound is a clear error")
    func audio() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "greeting-\(UUID().uuidString).wav").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try WAVWriter(path: path, channels: 2)
        writer.receive(AudioFrame(samples: (0..<960).flatMap { _ in [Int16(1_000), 3_000] }, channels: 2))
        try writer.close()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let samples = try VoiceGreeting(audio: bytes).samples()
        #expect(samples == [Int16](repeating: 2_000, count: 960))
        #expect { try VoiceGreeting(audio: [1, 2, 3]).samples() } throws: { "\($0)".contains("greeting audio") }
    }

    @Test("A descriptor carries it through JSON, the sound as base64")
    func coding() throws {
        var greeting = VoiceGreeting(text: "hello", language: "en", wordsPerMinute: 150, pauseMilliseconds: 300)
        greeting.audio = [0, 255, 7]
        let descriptor = CallDescriptor(
            callId: "1", conversationId: "c", provider: .liveKit, serviceProviderCallId: "r", endpoint: "ws://h",
            credentials: .init(token: "t"), greeting: greeting)
        let data = try JSONEncoder().encode(descriptor)
        #expect(String(decoding: data, as: UTF8.self).contains("\"audio\":\"AP8H\""))
        #expect(try JSONDecoder().decode(CallDescriptor.self, from: data) == descriptor)
        let short = try JSONDecoder().decode(VoiceGreeting.self, from: Data("{\"text\":\"hi\"}".utf8))
        #expect(short == VoiceGreeting(text: "hi"))
    }
}
