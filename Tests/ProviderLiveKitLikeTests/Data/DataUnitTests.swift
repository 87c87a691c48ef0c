import CallBridge
import Foundation
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

@Suite struct DataUnitTests {
    private func header(_ id: String, total: UInt64? = nil) -> Livekit_DataStream.Header {
        DataStreamInfo(id: id, topic: "t", content: .text, totalLength: total).header(now: 0)
    }

    private func chunk(_ id: String, _ index: UInt64, _ text: String) -> Livekit_DataStream.Chunk {
        .with {
            $0.streamID = id
            $0.chunkIndex = index
            $0.content = Data(text.utf8)
        }
    }

    private func text(_ outcome: StreamAssembler.Outcome) -> String? {
        if case .text(let message) = outcome { message.text } else { nil }
    }

    @Test func chunksOfSeveralStreamsBecomeTheirTexts() async throws {
        var assembler = StreamAssembler()
        guard case .opened(let stream, nil) = assembler.take(header("s", total: 4), from: "ada") else {
            Issue.record("the stream did not open")
            return
        }
        _ = assembler.take(header("s"), from: "bob")
        assembler.take(chunk("s", 0, "ab"), from: "ada")
        assembler.take(chunk("s", 0, "xy"), from: "bob")
        assembler.take(chunk("s", 0, "ab"), from: "ada")
        assembler.take(chunk("s", 1, "cd"), from: "ada")
        let end = Livekit_DataStream.Trailer.with { $0.streamID = "s" }
        let outcomes = ["ada", "bob"].map { text(assembler.take(end, from: $0)) }
        #expect(outcomes == ["abcd", "xy"])
        #expect(try await stream.readAll() == Array("abcd".utf8))
    }

    @Test func whatIsMissingFailsTheStream() async {
        for (total, index) in [(UInt64(4), UInt64(1)), (4, 2), (1, 0)] {
            var assembler = StreamAssembler()
            guard case .opened(let stream, _) = assembler.take(header("s", total: total), from: "ada") else { return }
            assembler.take(chunk("s", index, "ab"), from: "ada")
            let end = Livekit_DataStream.Trailer.with { $0.streamID = "s" }
            let outcome = assembler.take(end, from: "ada")
            #expect(text(outcome) == nil)
            await #expect(throws: DataStreamError.self) { try await stream.readAll() }
        }
    }

    @Test func inlineContentIsTakenAlsoCompressed() async throws {
        var inline = header("s")
        inline.inlineContent = Data("short".utf8)
        var assembler = StreamAssembler()
        guard case .opened(_, let plain) = assembler.take(inline, from: "ada") else { return }
        #expect(plain?.text == "short")
        // A stored block of raw DEFLATE: final, length 2, its complement, the bytes.
        inline.inlineContent = Data([0x01, 0x02, 0x00, 0xFD, 0xFF, 0x68, 0x69])
        inline.compression = .deflateRaw
        guard case .opened(let stream, let packed) = assembler.take(inline, from: "ada") else { return }
        #expect(packed?.text == "hi")
        #expect(try await stream.readAll() == Array("hi".utf8))
    }

    @Test func callsExpireInTwoSteps() {
        func at(_ seconds: Double) -> MediaTime { MediaTime.zero.advanced(seconds: seconds) }
        var calls = PendingRPCs()
        calls.begin("silent", to: "bob", timeout: 15, for: 1, now: at(0))
        calls.begin("slow", to: "bob", timeout: 15, for: 2, now: at(0))
        calls.begin("quick", to: "bob", timeout: 2, for: 3, now: at(0))
        calls.acknowledge("slow", by: "bob")
        calls.acknowledge("silent", by: "mallory")
        let steps = [1.9, 2, 7].map { now in calls.expire(now: at(now)).map { "\($0.command) \($0.error.code)" } }
        #expect(steps == [[], ["3 1502"], ["1 1501"]])
        #expect(calls.deadline == at(15))
        let forged = calls.answer("slow", by: "mallory")
        #expect(forged == nil, "only the one who was called answers")
        let last = calls.expire(now: at(15)).map(\.error)
        #expect(last == [.responseTimeout])
        #expect(calls.isEmpty)
        calls.begin("gone", to: "bob", timeout: 15, for: 4, now: at(20))
        let gone = calls.recipientLeft("bob")
        #expect(gone == [4] && calls.isEmpty)
    }

    @Test func theOutboxRepeatsWhatTheServerHasNot() throws {
        var outbox = ReliableOutbox()
        for _ in 0..<5 { _ = outbox.number(.with { $0.user.payload = Data([1]) }) }
        let again = try outbox.packets(after: 3).map { try Livekit_DataPacket(wireBytes: $0).sequence }
        #expect(again == [4, 5])
        var inbox = ReliableInbox()
        let admitted = [1, 2, 2, 1].map { inbox.admit($0, from: "PA_a") }
        #expect(admitted == [true, true, false, false])
        #expect(inbox.receiveStates.map(\.lastSeq) == [2])
    }

    @Test func encryptedContentKeepsItsKind() {
        let user = Livekit_DataPacket.OneOf_Value.user(.with { $0.payload = Data(repeating: 7, count: 300) })
        let bytes = EncryptedPayload.encode(user)
        #expect(bytes?.prefix(1) == [0x0A])
        #expect(bytes.flatMap(EncryptedPayload.decode) == user)
        let trailer = Livekit_DataPacket.OneOf_Value.streamTrailer(.with { $0.streamID = "s" })
        #expect(EncryptedPayload.encode(trailer).flatMap(EncryptedPayload.decode) == trailer)
        #expect(EncryptedPayload.decode([0x0A, 0x05, 0x00]) == nil)
        #expect(EncryptedPayload.encode(.sipDtmf(.init())) == nil)
    }
}
