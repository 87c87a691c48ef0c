public import CCallBridge
import ClientCore

// What include/callbridge.h declares of clients and conversations, and documents.

/// `callbridge_client_create`.
@_cdecl("callbridge_client_create")
public func exportedClientCreate(
    _ options: UnsafePointer<callbridge_client_options>?, _ client: UnsafeMutablePointer<callbridge_client>?
) -> Int32 {
    guarded {
        guard let client else { throw ABIError.argument("client is NULL; give a place for the handle") }
        client.pointee = 0
        guard let options else { throw ABIError.argument("options is NULL") }
        let size = UnsafeRawPointer(options).loadUnaligned(as: UInt32.self)
        guard size == MemoryLayout<callbridge_client_options>.size else {
            throw ABIError.argument("options->size is \(size); use sizeof(callbridge_client_options)")
        }
        let given = try ABIClient.Options(options.pointee)
        let callbacks = options.pointee.callbacks
        client.pointee = try Handles.clients.add { try ABIClient(given, ClientCallbacks(callbacks, $0)) }
    }
}

extension ABIClient.Options {
    fileprivate init(_ given: callbridge_client_options) throws {
        guard given.role == CALLBRIDGE_VISITOR || given.role == CALLBRIDGE_AGENT else {
            throw ABIError.argument("\(given.role) is no role; use CALLBRIDGE_VISITOR or CALLBRIDGE_AGENT")
        }
        role = given.role
        url = try Arguments.text(given.url, "url", limit: 2_048)
        apiKey = try Arguments.text(given.api_key, "api_key", limit: 128)
        token = try Arguments.text(given.token, "token", limit: 65_536)
        name = try Arguments.optional(given.name, "name", limit: 256) ?? ""
        secret = try Arguments.optional(given.secret, "secret", limit: 1_024)
        guard let identity = try Arguments.optional(given.identity, "identity", limit: 256) else { return }
        guard secret != nil else {
            throw ABIError.argument("secret is NULL, and identity is not; nobody is rung without")
        }
        let name = try Arguments.text(given.device, "device", limit: 256)
        device = RingDevice(personId: identity, deviceToken: name)
    }
}

/// `callbridge_client_start`.
@_cdecl("callbridge_client_start")
public func exportedClientStart(_ client: callbridge_client) -> Int32 {
    guarded { try Handles.clients[client].start() }
}

/// `callbridge_client_stop`.
@_cdecl("callbridge_client_stop")
public func exportedClientStop(_ client: callbridge_client) -> Int32 {
    guarded { try Handles.clients[client].stop() }
}

/// `callbridge_client_set_token`.
@_cdecl("callbridge_client_set_token")
public func exportedClientSetToken(_ client: callbridge_client, _ token: UnsafePointer<CChar>?) -> Int32 {
    guarded {
        let client = try Handles.clients[client]
        let token = ClientToken(try Arguments.text(token, "token", limit: 65_536))
        try client.ask { await $0.setToken(token) }
    }
}

/// `callbridge_client_set_available`.
@_cdecl("callbridge_client_set_available")
public func exportedClientSetAvailable(_ client: callbridge_client, _ available: Int32) -> Int32 {
    guarded { try Handles.clients[client].ask { try await $0.setAvailable(available != 0) } }
}

/// `callbridge_client_destroy`.
@_cdecl("callbridge_client_destroy")
public func exportedClientDestroy(_ client: callbridge_client) -> Int32 {
    guarded { try Handles.clients.remove(client).destroy() }
}

// MARK: Conversations

/// `callbridge_conversation_begin`.
@_cdecl("callbridge_conversation_begin")
public func exportedConversationBegin(
    _ client: callbridge_client, _ conversation: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int32 {
    guarded {
        let client = try Handles.clients[client]
        try Arguments.identifierPlace(conversation, capacity, "conversation")
        try Arguments.write(client.ask { try await $0.beginConversation(.chat).id }, to: conversation)
    }
}

/// `callbridge_conversation_open`.
@_cdecl("callbridge_conversation_open")
public func exportedConversationOpen(_ client: callbridge_client, _ conversation: UnsafePointer<CChar>?) -> Int32 {
    about(conversation, client) { client, id in _ = try await client.openConversation(id) }
}

/// `callbridge_conversation_close`.
@_cdecl("callbridge_conversation_close")
public func exportedConversationClose(_ client: callbridge_client) -> Int32 {
    guarded { try Handles.clients[client].ask { await $0.closeConversation() } }
}

/// `callbridge_conversation_join`.
@_cdecl("callbridge_conversation_join")
public func exportedConversationJoin(_ client: callbridge_client, _ conversation: UnsafePointer<CChar>?) -> Int32 {
    about(conversation, client) { client, id in try await client.joinConversation(id) }
}

/// `callbridge_conversation_end`.
@_cdecl("callbridge_conversation_end")
public func exportedConversationEnd(_ client: callbridge_client, _ conversation: UnsafePointer<CChar>?) -> Int32 {
    about(conversation, client) { client, id in try await client.endConversation(id) }
}

/// `callbridge_message_write`.
@_cdecl("callbridge_message_write")
public func exportedMessageWrite(
    _ client: callbridge_client, _ conversation: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?,
    _ id: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int32 {
    guarded {
        let client = try Handles.clients[client]
        let conversation = try identifier(conversation, "conversation")
        let text = try Arguments.text(text, "text", limit: 8_192)
        if id != nil { try Arguments.identifierPlace(id, capacity, "id") }
        let message = try client.ask { try await $0.write(text, in: conversation) }
        if id != nil { try Arguments.write(message.id, to: id) }
    }
}

// MARK: Calls

/// `callbridge_conversation_call`.
@_cdecl("callbridge_conversation_call")
public func exportedConversationCall(
    _ client: callbridge_client, _ conversation: UnsafePointer<CChar>?, _ kind: Int32,
    _ options: UnsafePointer<callbridge_options>?, _ call: UnsafeMutablePointer<callbridge_call>?
) -> Int32 {
    makeCall(options, call) {
        let client = try Handles.clients[client]
        let (id, isVideo) = (try identifier(conversation, "conversation"), try Arguments.isVideo(kind))
        try client.requireCalls()
        return { client.join(id, isVideo: isVideo, $0) }
    }
}

/// `callbridge_ring`.
@_cdecl("callbridge_ring")
public func exportedRing(
    _ client: callbridge_client, _ conversation: UnsafePointer<CChar>?, _ kind: Int32,
    _ identity: UnsafePointer<CChar>?, _ options: UnsafePointer<callbridge_options>?,
    _ call: UnsafeMutablePointer<callbridge_call>?
) -> Int32 {
    makeCall(options, call) {
        let client = try Handles.clients[client]
        let (id, isVideo) = (try identifier(conversation, "conversation"), try Arguments.isVideo(kind))
        let person = try Arguments.text(identity, "identity", limit: 256)
        let rings = try client.requireRings()
        return { try rings.place(id, isVideo: isVideo, to: person, $0) }
    }
}

/// `callbridge_ring_answer`.
@_cdecl("callbridge_ring_answer")
public func exportedRingAnswer(
    _ client: callbridge_client, _ ring: UnsafePointer<CChar>?, _ options: UnsafePointer<callbridge_options>?,
    _ call: UnsafeMutablePointer<callbridge_call>?
) -> Int32 {
    makeCall(options, call) {
        let client = try Handles.clients[client]
        let ring = try Arguments.text(ring, "ring", limit: 1_024)
        let rings = try client.requireRings()
        return { try rings.answer(ring, $0) }
    }
}

/// `callbridge_ring_decline`.
@_cdecl("callbridge_ring_decline")
public func exportedRingDecline(_ client: callbridge_client, _ ring: UnsafePointer<CChar>?) -> Int32 {
    guarded {
        let client = try Handles.clients[client]
        let ring = try Arguments.text(ring, "ring", limit: 1_024)
        try client.requireRings().decline(ring)
    }
}

// MARK: Parts

private func identifier(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
    try Arguments.text(pointer, name, limit: Int(CALLBRIDGE_ID_SIZE) - 1)
}

/// Asks the service something about a conversation.
private func about(
    _ conversation: UnsafePointer<CChar>?, _ client: callbridge_client,
    _ body: @escaping @Sendable (CallClient, String) async throws -> Void
) -> Int32 {
    guarded {
        let client = try Handles.clients[client]
        let id = try identifier(conversation, "conversation")
        try client.ask { try await body($0, id) }
    }
}

/// A call that a client makes: `body` checks its arguments, and gives what makes it.
private func makeCall(
    _ options: UnsafePointer<callbridge_options>?, _ call: UnsafeMutablePointer<callbridge_call>?,
    _ body: () throws -> (Callbacks) throws -> ABICall
) -> Int32 {
    guarded {
        guard let call else { throw ABIError.argument("call is NULL; give a place for the handle") }
        call.pointee = 0
        let callbacks = try Arguments.options(options).callbacks
        let make = try body()
        call.pointee = try Handles.calls.add { try make(Callbacks(callbacks, $0)) }
    }
}
