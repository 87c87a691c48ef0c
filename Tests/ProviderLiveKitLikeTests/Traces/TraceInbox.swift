import Foundation
import LiveKitProtocol
import MediaCore
import SwiftProtobuf

@testable import ProviderLiveKitLike

/// What our client has sent, in the order in which it came.
struct TraceInbox {
    struct Item {
        let number: Int
        let kind: String
        let arrival: TraceSocket.Arrival
        /// In protobuf's JSON, without the kind around it.
        let body: [String: Any]
    }

    private var arrivals: AsyncStream<TraceSocket.Arrival>.Iterator
    private var count = 0
    private(set) var waiting: [Item] = []
    /// Newest time stamp that the client has pinged with.
    private(set) var lastPing: Int64 = 0
    /// Hears of every message at once.
    let note: (Livekit_SignalRequest) async throws -> Void

    init(_ socket: TraceSocket, note: @escaping (Livekit_SignalRequest) async throws -> Void) {
        arrivals = socket.arrivals.makeAsyncIterator()
        self.note = note
    }

    /// The first item that fits; waits for it.
    mutating func take(_ what: String, where fits: (Item) -> Bool) async throws -> Item {
        if let index = try await find(what, where: fits) { return waiting.remove(at: index) }
        throw TraceError("the client's \(what) did not come; it said \(waiting.map(\.kind))")
    }

    /// Waits for an item that fits, and leaves it where it is.
    mutating func await(_ what: String) async throws {
        guard try await find(what, where: { $0.kind == what }) != nil else {
            throw TraceError("the client's \(what) did not come; it said \(waiting.map(\.kind))")
        }
    }

    private mutating func find(_ what: String, where fits: (Item) -> Bool) async throws -> Int? {
        if let index = waiting.firstIndex(where: fits) { return index }
        while let arrival = await arrivals.next() {
            let item = try await read(arrival)
            waiting.append(item)
            if fits(item) { return waiting.count - 1 }
        }
        return nil
    }

    private mutating func read(_ arrival: TraceSocket.Arrival) async throws -> Item {
        count += 1
        switch arrival {
        case .opened: return Item(number: count, kind: "open", arrival: arrival, body: [:])
        case .closed: return Item(number: count, kind: "close", arrival: arrival, body: [:])
        case .said(let message):
            if case .pingReq(let ping) = message.message { lastPing = ping.timestamp }
            try await note(message)
            let object = try JSONSerialization.jsonObject(with: Data(try message.jsonString().utf8)) as? [String: Any]
            guard let (kind, body) = object?.first else { throw TraceError("the client said nothing known") }
            return Item(number: count, kind: kind, arrival: arrival, body: body as? [String: Any] ?? [:])
        }
    }
}
