import CallBridge
import LiveKitProtocol
import MediaCore

/// Where a session's data stands.
struct SessionData {
    /// A packet that waits for its turn; its sender waits too.
    struct Waiting {
        var packet: Livekit_DataPacket
        var continuation: CheckedContinuation<CallError?, Never>
    }

    var outbox = ReliableOutbox()
    var inbox = ReliableInbox()
    var streams = StreamAssembler()
    var calls = RPCLedger()
    var answers: [String: CheckedContinuation<Result<String, RPCError>, Never>] = [:]
    /// Our channels that are open.
    var open: Set<DataChannel> = []
    /// Said and not sent yet.
    var waiting: [Waiting] = []
    /// Sent once already, perhaps in vain: these go first.
    var repeats: [[UInt8]] = []
    var isSending = false

    /// The session is joined afresh: numbers begin anew, and what was on its way is lost.
    mutating func beginAnew() {
        outbox = ReliableOutbox()
        inbox = ReliableInbox()
        repeats = []
        open = []
    }
}
