import CCallBridge
import ClientCore
import Synchronization

/// Tells the application of a client, on the library's thread, until the client is destroyed.
// The pointers are the application's, which lets them be used on that thread until then; they are only handed through.
final class ClientCallbacks: @unchecked Sendable {
    private let functions: callbridge_client_callbacks
    private let handle: UInt64
    private let isClosed = Mutex(false)
    private let thread = CallbackThread.shared

    init(_ functions: callbridge_client_callbacks, _ handle: UInt64) {
        self.functions = functions
        self.handle = handle
    }

    /// Nothing is told any more when this has returned.
    func close() {
        isClosed.withLock { $0 = true }
        thread.drain()
    }

    private func post(
        _ tell: @escaping @Sendable (callbridge_client_callbacks, UInt64) -> Void
    ) {
        thread.post { [self] in if !isClosed.withLock({ $0 }) { tell(functions, handle) } }
    }

    func tell(_ event: ClientEvent) {
        switch event {
        case .phase(let phase): Self.state(phase).map { state in post { $0.state?($0.user_data, $1, state) } }
        case .link(let isOnline): post { $0.online?($0.user_data, $1, isOnline ? 1 : 0) }
        case .error(let error): self.error(ABIError(error))
        case .conversation(let event): tell(event)
        case .ui, .callStarted, .callEnded, .coBrowsingStarted, .coBrowsingEnded: break
        }
    }

    private static func state(_ phase: ClientPhase) -> Int32? {
        switch phase {
        case .starting: CALLBRIDGE_CLIENT_STARTING
        case .ready: CALLBRIDGE_CLIENT_READY
        case .stopped: CALLBRIDGE_CLIENT_STOPPED
        case .failed: CALLBRIDGE_CLIENT_FAILED
        case .idle, .stopping: nil
        }
    }

    func error(_ error: ABIError) {
        post { functions, handle in
            error.message.withCString { functions.error?(functions.user_data, handle, error.code, $0) }
        }
    }

    private func tell(_ event: ConversationEvent) {
        switch event {
        case .updated(let info): conversation(info.conversation.id, CALLBRIDGE_CONVERSATION_CHANGED)
        case .ended(let conversation): self.conversation(conversation.id, CALLBRIDGE_CONVERSATION_ENDED)
        case .message(let message): self.message(message)
        case .messageFate(let message, .sent): fate(message, CALLBRIDGE_MESSAGE_SENT, "")
        case .messageFate(let message, .failed(let error)): fate(message, CALLBRIDGE_MESSAGE_FAILED, error.message)
        case .availability(let isThere): post { $0.availability?($0.user_data, $1, isThere ? 1 : 0) }
        case .messageFate(_, .queued), .openChanged, .unread, .file: break
        }
    }

    private func conversation(_ id: String, _ what: Int32) {
        post { functions, handle in
            id.withCString { functions.conversation?(functions.user_data, handle, $0, what) }
        }
    }

    private func message(_ message: ConversationMessage) {
        post { functions, handle in
            CTexts.lend([message.conversationId, message.clientId, message.author, message.text]) { texts in
                var told = callbridge_message(
                    conversation: texts[0], id: texts[1], author: texts[2], text: texts[3], number: message.number,
                    sent_ms: message.sentAt)
                functions.message?(functions.user_data, handle, &told)
            }
        }
    }

    private func fate(_ message: OutgoingMessage, _ fate: Int32, _ reason: String) {
        post { functions, handle in
            CTexts.lend([message.conversationId, message.id, reason]) {
                functions.message_fate?(functions.user_data, handle, $0[0], $0[1], fate, $0[2])
            }
        }
    }

    func rings(_ offer: RingOffer) {
        post { functions, handle in
            CTexts.lend([offer.callId, offer.conversationId, offer.callerPersonId, offer.callerName]) { texts in
                var told = callbridge_ringing(
                    ring: texts[0], conversation: texts[1], caller: texts[2], caller_name: texts[3],
                    kind: offer.callType == .video ? CALLBRIDGE_VIDEO : CALLBRIDGE_AUDIO,
                    until_ms: offer.ringsUntil.rawValue)
                functions.ringing?(functions.user_data, handle, &told)
            }
        }
    }

    func ringEnded(_ ring: String, _ outcome: RingOutcome) {
        let (code, reason) = (outcome.code, outcome.reason)
        post { functions, handle in
            CTexts.lend([ring, reason]) { functions.ring_ended?(functions.user_data, handle, $0[0], code, $0[1]) }
        }
    }
}

/// Texts as C has them, for as long as a body runs.
enum CTexts {
    static func lend(_ texts: [String], _ body: ([UnsafePointer<CChar>]) -> Void) { lend(texts[...], [], body) }

    private static func lend(
        _ texts: ArraySlice<String>, _ lent: [UnsafePointer<CChar>], _ body: ([UnsafePointer<CChar>]) -> Void
    ) {
        guard let text = texts.first else { return body(lent) }
        text.withCString { lend(texts.dropFirst(), lent + [$0], body) }
    }
}

extension RingOutcome {
    var code: Int32 {
        switch self {
        case .connected: CALLBRIDGE_RING_CONNECTED
        case .declined, .declinedElsewhere, .ended(.declined), .ended(.declinedBecauseUnavailable):
            CALLBRIDGE_RING_DECLINED
        case .answeredElsewhere: CALLBRIDGE_RING_ELSEWHERE
        case .missed, .ended(.notAnswered): CALLBRIDGE_RING_MISSED
        case .hungUp, .endedAfterAnswer, .aborted, .ended: CALLBRIDGE_RING_ENDED
        case .clientTimedOut, .failed: CALLBRIDGE_RING_FAILED
        }
    }

    /// For people; empty where there is nothing to explain.
    var reason: String {
        switch self {
        case .connected: ""
        case .declined: "declined here"
        case .hungUp: "hung up before the call was connected"
        case .answeredElsewhere: "answered elsewhere"
        case .declinedElsewhere: "declined on another device"
        case .missed(let reason): "it rang in vain: \(reason.rawValue)"
        case .endedAfterAnswer: "the call ended before it was connected"
        case .aborted: "given up"
        case .ended(let reason): "the call ended: \(reason.rawValue)"
        case .clientTimedOut(let what): "not ready in time: \(what)"
        case .failed(let why): why
        }
    }
}
