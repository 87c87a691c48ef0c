import ClientNotifications
import ConversationModel
import Foundation
import Synchronization
import Testing

@testable import ConversationService

private let vera = ConversationPerson(id: "vera", role: .visitor)
private let eve = ConversationPerson(id: "eve", role: .visitor)
private let ada = ConversationPerson(id: "ada", role: .agent)

/// A service whose clock a test moves, and the notifications that it has handed out.
private final class World: Sendable {
    let time = Mutex<Int64>(1_000)
    let orders = Mutex<[PushOrder]>([])
    let directory: String?

    init(_ directory: String? = nil) { self.directory = directory }

    deinit { if let directory { try? FileManager.default.removeItem(atPath: directory) } }

    func service() throws -> ConversationService {
        var settings = ConversationService.Settings()
        settings.directory = directory
        let service = try ConversationService(settings) { [self] in time.withLock(\.self) }
        service.setCarrier { [weak self] sent in self?.orders.withLock { $0 += sent } }
        return service
    }

    /// What was handed out since it was asked last.
    func take() -> [PushOrder] {
        orders.withLock { orders in
            defer { orders = [] }
            return orders
        }
    }
}

private func apns(_ token: String, _ encryption: NotificationEncryption = .encrypted) -> PushTokenRequest {
    PushTokenRequest(token: token, carrier: .apns, encryption: encryption)
}

private func kind(_ body: () async throws(ConversationRefusal) -> Void) async -> ConversationRefusal.Kind? {
    do { try await body() } catch { return error.kind }
    return nil
}

@Suite(.timeLimit(.minutes(10))) struct PushServiceTests {
    /// A conversation of vera and ada; the service.
    private static func talk(_ world: World) async throws -> (ConversationService, String) {
        let service = try world.service()
        let id = try await service.begin(ConversationRequest(clientId: "k", type: .chat), by: vera).conversation.id
        _ = try await service.change(id, .join, by: ada)
        return (service, id)
    }

    @Test func aMessageReachesTheOthersDevices() async throws {
        let world = World()
        let (service, id) = try await Self.talk(world)
        let key = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        _ = try await service.register(apns("bb"), .call, device: "phone", by: vera)
        _ = try await service.register(apns("cc"), .remote, device: "desk", by: ada)
        let long = String(repeating: "é", count: 400)
        _ = try await service.write(long, clientId: "m1", in: id, by: ada)
        let order = try #require(world.take().first)
        #expect(order.target.token == "aa" && order.key == key.value)
        #expect(order.content.kind == .message && order.content.title == "ada")
        #expect(order.content.text?.count == 240 && order.content.id == "m-\(id)-1")
        _ = try await service.write(long, clientId: "m1", in: id, by: ada)
        #expect(world.take().isEmpty, "the same message is told of once")
        _ = try await service.write("hello", clientId: "m1", in: id, by: vera)
        #expect(world.take().map(\.target.token) == ["cc"], "its author is not told")
        service.close()
    }

    @Test func callsTakeTheirOwnChannel() async throws {
        let world = World()
        let service = try world.service()
        _ = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        _ = try await service.register(apns("bb"), .call, device: "phone", by: vera)
        _ = try await service.register(apns("dd", .none), .remote, device: "tablet", by: vera)
        #expect(service.pushDevices(of: "vera") == ["phone", "tablet"] && service.pushDevices(of: "eve").isEmpty)
        func content(_ kind: NotificationKind) -> NotificationContent {
            NotificationContent(id: "n", kind: kind, conversationId: "c", expiresAt: 9_000)
        }
        service.push(content(.incomingCall), to: "vera")
        let calls = world.take()
        #expect(calls.map(\.target.token) == ["bb", "dd"], "an ordinary one where there is no other")
        #expect(calls.map { $0.key == nil } == [false, true])
        service.push(content(.missedCall), to: "vera", device: "phone")
        #expect(world.take().map(\.target.token) == ["aa"])
        service.close()
    }

    @Test func tokensMoveAndGo() async throws {
        let world = World()
        let service = try world.service()
        _ = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        _ = try await service.register(apns("aa"), .remote, device: "phone", by: eve)
        #expect(service.pushDevices(of: "vera").isEmpty, "somebody else uses the device now")
        #expect(service.pushDevices(of: "eve") == ["phone"])
        try await service.unregister(.remote, device: "phone", by: eve)
        try await service.unregister(.remote, device: "phone", by: eve)
        #expect(service.pushDevices(of: "eve").isEmpty)
        for number in 0..<12 {
            world.time.withLock { $0 += 1 }
            _ = try await service.register(apns("0\(number % 10)\(number)0"), .remote, device: "d\(number)", by: ada)
        }
        #expect(service.pushDevices(of: "ada").count == PushDirectory.devicesPerPerson)
        #expect(!service.pushDevices(of: "ada").contains("d0"), "the oldest gave way")
        for bad in ["", "a b", "../x"] {
            #expect(
                await kind { () throws(ConversationRefusal) in
                    _ = try await service.register(apns("aa"), .remote, device: bad, by: vera)
                } == .invalid)
        }
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try await service.register(apns("no hex"), .remote, device: "d", by: vera)
            } == .invalid)
        service.close()
    }

    @Test func keys() async throws {
        let world = World()
        let service = try world.service()
        let first = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        #expect(
            try await service.register(apns("aa"), .remote, device: "phone", by: vera) == first, "not for each start")
        #expect(try service.notificationKey(first.id, device: "phone", by: vera) == first)
        let second = try await service.rotateKey(device: "phone", by: vera)
        #expect(second.id != first.id && second.key != first.key)
        #expect(try service.notificationKey(first.id, device: "phone", by: vera) == first, "the one before")
        world.time.withLock { $0 += PushDirectory.keyLifetime }
        let third = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        #expect(third.id != second.id)
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try service.notificationKey(first.id, device: "phone", by: vera)
            } == .unknown, "two generations")
        #expect(
            await kind { () throws(ConversationRefusal) in
                _ = try service.notificationKey(third.id, device: "phone", by: eve)
            } == .unknown, "another person's")
        #expect(
            await kind { () throws(ConversationRefusal) in _ = try await service.rotateKey(device: "x", by: vera) }
                == .unknown)
        service.close()
    }

    @Test func pruning() async throws {
        let world = World()
        let service = try world.service()
        _ = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        service.push(
            NotificationContent(id: "n", kind: .missedCall, conversationId: "c", expiresAt: 9_000), to: "vera")
        let target = try #require(world.take().first?.target)
        world.time.withLock { $0 = 5_000 }
        _ = try await service.register(apns("aa"), .remote, device: "phone", by: vera)
        try await service.prune(target, since: nil)
        #expect(service.pushDevices(of: "vera") == ["phone"], "registered since")
        try await service.prune(target, since: 4_000)
        #expect(service.pushDevices(of: "vera") == ["phone"], "registered after it was gone")
        try await service.prune(target, since: 6_000)
        #expect(service.pushDevices(of: "vera").isEmpty)
        service.close()
    }

    @Test func theyOutliveTheServer() async throws {
        let world = World(NSTemporaryDirectory() + "push-\(UUID().uuidString)")
        let first = try world.service()
        let key = try await first.register(apns("aa"), .remote, device: "phone", by: vera)
        _ = try await first.register(apns("bb"), .call, device: "phone", by: vera)
        try await first.unregister(.call, device: "phone", by: vera)
        first.close()
        let second = try world.service()
        #expect(second.pushDevices(of: "vera") == ["phone"])
        #expect(try second.notificationKey(key.id, device: "phone", by: vera) == key)
        #expect(try await second.register(apns("aa"), .remote, device: "phone", by: vera) == key)
        second.close()
    }
}
