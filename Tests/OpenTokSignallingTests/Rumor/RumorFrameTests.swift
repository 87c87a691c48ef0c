import RTCSim
import Testing

@testable import OpenTokSignalling

@Suite struct RumorFrameTests {
    private static let message = RumorFrame.message(
        to: "symphony.1", from: "c1", transaction: "t1", token: "T1==", payload: Array("{}".utf8))
    private static let frames: [RumorFrame] = [
        .connect(connection: "c1", disconnectAddress: "symphony.1"), .subscribe("/v2/partner/1/session/2"),
        .unsubscribe("t"),
        message, .status(404, transaction: "t1", payload: [0x7b, 0x7d]), .status(200, transaction: ""), .ping, .pong,
        .disconnect,
    ]

    @Test("Bytes as the format has them")
    func layout() throws {
        var frame = RumorFrame(.message, addresses: ["ab"], headers: [.init("k", "vw")], payload: [0x21])
        #expect(
            try frame.encoded() == [
                0, 0, 0, 17, 0, 0, 2, 1, 0, 2, 0x61, 0x62, 1, 0, 1, 0x6b, 0, 2, 0x76, 0x77, 0x21,
            ])
        frame = .ping
        #expect(try frame.encoded() == [0, 0, 0, 5, 0, 0, 7, 0, 0])
    }

    @Test(arguments: frames) func roundTrip(frame: RumorFrame) throws {
        #expect(try RumorFrame(message: frame.encoded()) == frame)
    }

    @Test func headersOfEachKind() throws {
        #expect(Self.message.transaction == "t1")
        #expect(Self.message.from == "c1")
        #expect(Self.message.token == "T1==")
        #expect(Self.message["Content-Type"] == "application/x-raptor+v2")
        #expect(Self.frames[0].connection == "c1")
        #expect(RumorFrame.status(204, transaction: "t").status == 204)
        for text in ["", "abc", "99", "600", "-1"] {
            #expect(RumorFrame(.status, headers: [.init("STATUS", text)]).status == nil)
        }
    }

    @Test("Frames in one run, cut anywhere")
    func incremental() throws {
        let bytes = try Self.frames.flatMap { try $0.encoded() }
        var generator = SeededGenerator(seed: 6455)
        for _ in 0..<40 {
            var reader = RumorFrameReader()
            var rest = bytes[...]
            var read: [RumorFrame] = []
            while !rest.isEmpty {
                let count = min(rest.count, .random(in: 1...40, using: &generator))
                reader.append(rest.prefix(count))
                rest = rest.dropFirst(count)
                while let frame = try reader.next() { read.append(frame) }
            }
            #expect(read == Self.frames)
            #expect(reader.isEmpty)
        }
    }

    @Test(
        "What is no frame",
        arguments: [
            ([0, 0, 0, 5, 0, 1, 7, 0, 0], RumorFault.reserved), ([0, 0, 0, 5, 0, 0, 5, 0, 0], .unknownKind(5)),
            ([0, 0, 0, 4, 0, 0, 7, 0], .truncated), ([0, 0, 0, 5, 0, 0, 7, 1, 0], .truncated),
            ([0, 0, 0, 5, 0, 0, 7, 17, 0], .tooManyAddresses), ([0, 0, 0, 5, 0, 0, 7, 0, 33], .tooManyHeaders),
            ([0, 0, 0, 7, 0, 0, 7, 1, 0x02, 0x01, 0], .nameTooLong), ([0, 0, 0, 8, 0, 0, 7, 1, 0, 1, 0xff, 0], .text),
            ([0, 0, 0, 6, 0, 0, 7, 0, 0], .truncated), ([0, 0, 0], .truncated), ([], .truncated),
            ([0, 0, 0, 5, 0, 0, 7, 0, 0, 0], .truncated),
            ([0xff, 0xff, 0xff, 0xff], .frameTooLong(bytes: 4_294_967_299, limit: 262_144)),
        ])
    func noFrame(bytes: [UInt8], fault: RumorFault) {
        #expect(throws: fault) { try RumorFrame(message: bytes) }
        #expect(!fault.description.isEmpty)
    }

    @Test("A sender that never ends a frame is stopped by its length alone")
    func announcedLength() {
        var reader = RumorFrameReader(limit: 1000)
        reader.append([0, 0, 3, 0xe5])
        #expect(throws: RumorFault.frameTooLong(bytes: 1001, limit: 1000)) { try reader.next() }
        #expect(throws: RumorFault.self) { try RumorFrame(message: Array(repeating: 0, count: 1001), limit: 1000) }
    }

    @Test func whatCannotBeWritten() {
        let long = String(repeating: "x", count: 65_536)
        #expect(throws: RumorFault.valueTooLong) { try RumorFrame(.message, headers: [.init("k", long)]).encoded() }
        #expect(throws: RumorFault.nameTooLong) { try RumorFrame(.message, addresses: [long]).encoded() }
        #expect(throws: RumorFault.tooManyAddresses) {
            try RumorFrame(.message, addresses: Array(repeating: "a", count: 17)).encoded()
        }
        #expect(throws: RumorFault.tooManyHeaders) {
            try RumorFrame(.message, headers: Array(repeating: .init("a", "b"), count: 33)).encoded()
        }
    }

    @Test func socketRequests() throws {
        for request in [RumorSocketRequest(socketID: "c 1&"), RumorSocketRequest(socketID: "c1", attempt: "a=1")] {
            let id = request.socketID.replacing(" ", with: "-")
            let sendable = RumorSocketRequest(socketID: id, attempt: request.attempt)
            #expect(RumorSocketRequest(query: sendable.query) == sendable)
        }
        #expect(RumorSocketRequest(query: "socketId=c1&attempt=a") == RumorSocketRequest(socketID: "c1"))
        for query in ["", "socketId=", "socketId=a%2Fb", "socketId=%", "reconnect=true"] {
            #expect(RumorSocketRequest(query: query) == nil)
        }
    }
}
