import Synchronization

/// Keeps one call's record and journal for several who watch it, each on a thread of its own.
public final class CallScribe: Sendable {
    private let ledger: Mutex<CallLedger>
    private let journal: CallJournal
    private let clock: @Sendable () -> CallTime

    /// A scribe of a call that is yet to be placed.
    public init(_ record: CallRecord, journal: CallJournal, clock: @escaping @Sendable () -> CallTime = { .now }) {
        ledger = Mutex(CallLedger(record))
        self.journal = journal
        self.clock = clock
    }

    /// What is known of the call.
    public var record: CallRecord { ledger.withLock { $0.record } }

    /// Whether the call has been placed and has not ended.
    public var isOpen: Bool { ledger.withLock { $0.isOpen } }

    /// Changes the record, and writes what that means into the journal.
    public func write(_ change: (inout CallLedger, CallTime, inout [JournalEvent]) -> Void) {
        ledger.withLock { ledger in
            var events: [JournalEvent] = []
            change(&ledger, clock(), &events)
            // Within the lock, so that the journal has them in the record's order.
            journal.write(events)
        }
    }
}
