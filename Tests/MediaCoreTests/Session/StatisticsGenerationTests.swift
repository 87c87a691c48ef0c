import MediaCore
import RTCWire
import Testing

/// What was counted before a connection was made anew, and what came after it, adds up.
@Suite struct StatisticsGenerationTests {
    private static func session(sent: Int, received: Int) -> SessionStatistics {
        var session = SessionStatistics()
        var sender = SenderStatistics()
        (sender.trackID, sender.kind, sender.codec) = ("tone", .audio, "opus")
        (sender.packetsSent, sender.framesSent, sender.bytesSent) = (sent, sent, 100 * sent)
        var layer = LayerStatistics()
        (layer.rid, layer.framesSent) = ("f", sent)
        sender.layers = [layer]
        session.senders = [sender]
        var receiver = ReceiverStatistics()
        (receiver.trackID, receiver.streamID, receiver.kind) = ("card", "s", .video)
        (receiver.packetsReceived, receiver.framesDecoded) = (received, received)
        (receiver.framesUndecryptable, receiver.framesUndecodable) = (received, received)
        (receiver.freezes, receiver.frozenMilliseconds) = (1, 500)
        (receiver.width, receiver.height, receiver.firstFrameMilliseconds) = (640, 360, Double(received))
        session.receivers = [receiver]
        (session.datagramsSent, session.datagramsReceived) = (sent, received)
        (session.bytesSent, session.bytesReceived) = (100 * sent, 100 * received)
        (session.receiveBufferDrops, session.relayedBytesSent) = (1, 10)
        return session
    }

    @Test func sentTracksCountOn() throws {
        var present = Self.session(sent: 30, received: 3)
        present.addReplaced(Self.session(sent: 12, received: 7))
        let sender = try #require(present.senders.first)
        #expect(present.senders.count == 1)
        #expect(sender.packetsSent == 42 && sender.framesSent == 42 && sender.bytesSent == 4_200)
        #expect(sender.layers.map(\.framesSent) == [42])
        #expect(present.datagramsSent == 42 && present.datagramsReceived == 10)
        #expect(present.bytesSent == 4_200 && present.bytesReceived == 1_000)
        #expect(present.receiveBufferDrops == 2 && present.relayedBytesSent == 20)
    }

    @Test func whatIsNotSentAgainIsKept() throws {
        var present = SessionStatistics()
        present.addReplaced(Self.session(sent: 12, received: 7))
        #expect(present.senders.map(\.packetsSent) == [12])
        #expect(present.receivers.isEmpty && present.endedReceivers.map(\.packetsReceived) == [7])
    }

    @Test func threeGenerationsAddUp() {
        var second = Self.session(sent: 20, received: 5)
        second.addReplaced(Self.session(sent: 12, received: 7))
        var third = Self.session(sent: 1, received: 1)
        third.addReplaced(second)
        #expect(third.senders.map(\.packetsSent) == [33])
        #expect(third.endedReceivers.map(\.packetsReceived) == [7, 5] && third.receivers.map(\.packetsReceived) == [1])
    }

    @Test func subscriptionsOfOneTrackAddUp() throws {
        var later = try #require(Self.session(sent: 0, received: 3).receivers.first)
        later.add(earlier: try #require(Self.session(sent: 0, received: 7).receivers.first))
        #expect(later.packetsReceived == 10 && later.framesDecoded == 10)
        #expect(later.framesUndecryptable == 10 && later.framesUndecodable == 10)
        #expect(later.freezes == 2 && later.frozenMilliseconds == 1_000)
        #expect(later.firstFrameMilliseconds == 7)
        var empty = ReceiverStatistics()
        empty.add(earlier: later)
        #expect(empty.width == 640 && empty.height == 360)
    }
}

/// What becomes of frames is told apart: pictures, a server's fillers, and what can't be opened or decoded.
@Suite struct DecodedPicturesTests {
    private static let filler: [UInt8] = [
        0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x08, 0x00, 0x08, 0x00, 0x00, 0x47, 0x08, 0x85, 0x85, 0x88, 0x85, 0x84,
        0x88, 0x02, 0x02, 0x00, 0x0c, 0x0d, 0x60, 0x00, 0xfe, 0xff, 0xab, 0x50, 0x80,
    ]

    @Test func fillersAreNoPicturesOfTheSenders() throws {
        let decoder = try VP8Decoder()
        var pictures = DecodedPictures()
        let card = try #require(try TestCardSource(sender: 1, width: 320, height: 180).nextFrame(at: .zero))
        let encoded = try VP8Encoder().encode(card) { Array($0.payload) }
        for bytes in [encoded, Self.filler, Self.filler] {
            let (_, outcome) = bytes.withUnsafeBytes { decoder.outcome(of: $0, captureTime: .zero) }
            let isGood = pictures.note(outcome, at: .zero)
            #expect(isGood)
        }
        var buffer = VideoPlayoutStatistics()
        buffer.framesReceived = 3
        var counted = ReceiverStatistics()
        pictures.count(buffer, since: .zero, into: &counted)
        #expect(counted.framesReceived == 1 && counted.framesDecoded == 1 && counted.fillersReceived == 2)
        #expect(counted.width == 320 && counted.height == 180)
        #expect(counted.framesUndecodable == 0 && counted.framesUndecryptable == 0)
    }

    @Test func whatCanNotBeDecodedAsksForAKeyFrame() throws {
        let decoder = try VP8Decoder()
        var pictures = DecodedPictures()
        for bytes: [UInt8] in [[0xff, 0xff], [UInt8](repeating: 0x5a, count: 200)] {
            let (picture, outcome) = bytes.withUnsafeBytes { decoder.outcome(of: $0, captureTime: .zero) }
            #expect(picture == nil)
            let isGood = pictures.note(outcome, at: .zero)
            #expect(!isGood)
        }
        let isOpened = pictures.note(.undecryptable, at: .zero)
        let isHeld = pictures.note(.held, at: .zero)
        #expect(!isOpened && !isHeld)
        var buffer = VideoPlayoutStatistics()
        (buffer.framesReceived, buffer.packetsUnreadable) = (4, 5)
        var counted = ReceiverStatistics()
        pictures.count(buffer, since: .zero, into: &counted)
        #expect(counted.framesUndecodable == 7 && counted.framesUndecryptable == 1 && counted.framesHeld == 1)
        #expect(counted.framesDecoded == 0 && counted.firstFrameMilliseconds == nil)
    }
}
