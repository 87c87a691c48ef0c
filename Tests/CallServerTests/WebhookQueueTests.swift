import Glibc
import LiveKitProtocol
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import CallServer

/// A TCP port of 127.0.0.1 on which nobody listens, and that the kernel gives to nobody else meanwhile: whoever asks for this
/// one and lets addresses be used again, as our servers do, gets it all the same.
private struct ReservedPort {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound, "no port is free")
    }

    func release() { close(descriptor) }
}

@Suite(.timeLimit(.minutes(10))) struct WebhookQueueTests {
    private static func queue(
        _ port: Int, _ change: (inout WebhookPolicy) -> Void = { _ in }
    ) throws -> WebhookQueue {
        var policy = WebhookPolicy()
        policy.firstDelay = .milliseconds(10)
        policy.longestDelay = .milliseconds(50)
        policy.timeout = .seconds(60)
        change(&policy)
        let target = WebhookTarget(
            url: try WebhookURL("http://127.0.0.1:\(port)/hooks"), contentType: "application/json",
            authorization: { "signed \($0.count)" })
        return WebhookQueue(
            target, on: MultiThreadedEventLoopGroup.singleton.any(), policy: policy,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test func requestsAreSignedTypedAndInOrder() async throws {
        let receiver = WebhookReceiver()
        try await withHTTPServer(receiver.router) { server in
            let queue = try Self.queue(server.port)
            for index in 0..<30 { queue.enqueue(key: "k", id: "\(index)", body: Array("body \(index)".utf8)) }
            let requests = await receiver.count(30)
            #expect(requests.map(\.text) == (0..<30).map { "body \($0)" })
            #expect(requests.allSatisfy { $0.contentType == "application/json" })
            #expect(requests.allSatisfy { $0.authorization == "signed \($0.body.count)" })
            #expect(try await queue.flush(within: .seconds(60)).get() == 0)
            #expect(try await queue.statistics().get().repetitions == 0)
        }
    }

    @Test func errorsAreRepeatedUntilAcknowledged() async throws {
        let receiver = WebhookReceiver { $0 < 5 ? .internalServerError : .ok }
        try await withHTTPServer(receiver.router) { server in
            let queue = try Self.queue(server.port)
            queue.enqueue(key: "k", id: "1", body: [1])
            queue.enqueue(key: "k", id: "2", body: [2])
            let requests = await receiver.count(7)
            #expect(requests.map(\.body) == [[1], [1], [1], [1], [1], [1], [2]])
            #expect(try await queue.flush(within: .seconds(60)).get() == 0)
            let counted = try await queue.statistics().get()
            #expect(counted.delivered == 2 && counted.repetitions == 5)
        }
    }

    @Test func aReceiverThatComesLateMissesNothing() async throws {
        let reserved = try ReservedPort()
        let port = reserved.port
        let queue = try Self.queue(port)
        for index in 0..<10 { queue.enqueue(key: "k\(index % 2)", id: "\(index)", body: [UInt8(index)]) }
        var counted = try await queue.statistics().get()
        while counted.repetitions < 4 { counted = try await queue.statistics().get() }
        #expect(counted.delivered == 0)
        let receiver = WebhookReceiver()
        let late = try await HTTPServer.listen(
            group: MultiThreadedEventLoopGroup.singleton, host: "127.0.0.1", port: port, router: receiver.router,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ).get()
        let requests = await receiver.count(10)
        #expect(requests.filter { $0.body[0] % 2 == 0 }.map { $0.body[0] } == [0, 2, 4, 6, 8])
        #expect(requests.filter { $0.body[0] % 2 == 1 }.map { $0.body[0] } == [1, 3, 5, 7, 9])
        #expect(try await queue.flush(within: .seconds(60)).get() == 0)
        #expect(receiver.requests.count == 10)
        await late.close()
        reserved.release()
    }

    @Test func aReceiverThatNeverAnswersIsAskedAgain() async throws {
        let receiver = WebhookReceiver { $0 == 0 ? nil : .ok }
        try await withHTTPServer(receiver.router) { server in
            let queue = try Self.queue(server.port) { $0.timeout = .milliseconds(100) }
            queue.enqueue(key: "k", id: "1", body: [1])
            // On a busy machine the second answer may come too late as well.
            let requests = await receiver.count(2)
            #expect(requests.prefix(2).map(\.body) == [[1], [1]])
        }
    }

    @Test func aFlushEndsAtItsDeadlineAndSaysWhatIsLeft() async throws {
        let reserved = try ReservedPort()
        let queue = try Self.queue(reserved.port)
        for index in 0..<3 { queue.enqueue(key: "k", id: "\(index)", body: []) }
        #expect(try await queue.flush(within: .milliseconds(100)).get() == 3)
        reserved.release()
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/a?b=c", "127.0.0.1", 8080, "/a?b=c"), ("http://host", "host", 80, "/"),
        ("http://[::1]:99/x", "::1", 99, "/x"), ("https://host/x", "host", 443, "/x"),
    ])
    func urlsAreRead(text: String, host: String, port: Int, target: String) throws {
        let url = try WebhookURL(text)
        #expect(url.address.host == host && url.address.port == port && url.target == target)
        #expect(url.address.isSecure == text.hasPrefix("https"))
    }

    @Test(arguments: ["", "foo", "ftp://a/b", "http://", "http://u@h/", "http://h:0/", "http://h:70000/"])
    func otherTextsAreNoURLs(text: String) {
        #expect(throws: WebhookURLError.notAURL(text)) { try WebhookURL(text) }
    }
}
