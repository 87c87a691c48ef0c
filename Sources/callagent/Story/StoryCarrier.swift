import Foundation
import ServiceDesk
import ServiceDeskCore
import Synchronization

/// Stands for those who carry notifications: takes what the gateway posts in the shape of FCM, and keeps it by token.
final class StoryCarrier: Sendable {
    /// A notification as the carrier has it and as the device gets it.
    struct Push: Sendable {
        /// The whole request, which the carrier can read.
        var request: String
        /// The part of it that reaches the device.
        var payload: Data
    }

    private static let path = "/v1/projects/story/messages:send"
    private static let largest = 8 * 1024

    private let pushes: PushBoxes
    private let listener: DeskListener

    /// Listens on a port of 127.0.0.1. Throws `DeskError`.
    ///
    /// - Parameter connections: at a time.
    init(connections: Int) async throws {
        var limits = DeskListener.Limits()
        limits.connections = max(256, connections)
        let boxes = PushBoxes()
        pushes = boxes
        listener = try await DeskListener.listen(
            host: "127.0.0.1", port: 0, limits: limits,
            DeskListener.Service(
                bodyLimit: { method, path throws(DeskRefusal) in
                    guard method == "POST", path == Self.path else { throw DeskRefusal(404, "nothing is here") }
                    return Self.largest
                },
                answer: { request in
                    guard let (token, push) = Self.read(request.body) else {
                        return DeskHTTPResponse(DeskRefusal(400, "this is no message in the shape of FCM"))
                    }
                    boxes[token].note(push)
                    return DeskHTTPResponse(200)
                }))
    }

    /// What the gateway is configured with.
    var url: String { "http://127.0.0.1:\(listener.port)\(Self.path)" }

    /// What came for a device, by its token.
    subscript(token: String) -> EventHistory<Push> { pushes[token] }

    func stop() async { await listener.close() }

    /// The token and the payload of a request; nil for what is no message.
    static func read(_ body: [UInt8]) -> (token: String, push: Push)? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let message = object["message"] as? [String: Any], let token = message["token"] as? String,
            message["data"] is [String: Any], let payload = try? JSONSerialization.data(withJSONObject: message)
        else { return nil }
        return (token, Push(request: String(decoding: body, as: UTF8.self), payload: payload))
    }
}

/// Histories by a name, made when they are asked for.
final class EventBoxes<Event: Sendable>: Sendable {
    private let boxes = Mutex<[String: EventHistory<Event>]>([:])

    subscript(name: String) -> EventHistory<Event> {
        boxes.withLock { boxes in
            if let box = boxes[name] { return box }
            let box = EventHistory<Event>()
            boxes[name] = box
            return box
        }
    }
}

private typealias PushBoxes = EventBoxes<StoryCarrier.Push>
