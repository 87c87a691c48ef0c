import CCallBridge
import Synchronization

/// What there is behind handles. No handle is given twice, and none of a call is one of a client.
enum Handles {
    static let calls = HandleTable<ABICall>("call")
    static let clients = HandleTable<ABIClient>("client")
    fileprivate static let last = Atomic<UInt64>(0)
}

/// Objects of one kind, by their handles.
final class HandleTable<Object: Sendable>: Sendable {
    private let kind: String
    private let open = Mutex<[UInt64: Object]>([:])

    init(_ kind: String) { self.kind = kind }

    func add(_ make: (UInt64) throws -> Object) rethrows -> UInt64 {
        // A callback that comes at once finds the handle.
        try open.withLock { open in
            let handle = Handles.last.add(1, ordering: .relaxed).newValue
            open[handle] = try make(handle)
            return handle
        }
    }

    subscript(handle: UInt64) -> Object {
        get throws {
            guard let object = open.withLock({ $0[handle] }) else { throw unknown(handle) }
            return object
        }
    }

    func remove(_ handle: UInt64) throws -> Object {
        guard let object = open.withLock({ $0.removeValue(forKey: handle) }) else { throw unknown(handle) }
        return object
    }

    private func unknown(_ handle: UInt64) -> ABIError {
        ABIError(CALLBRIDGE_ERROR_HANDLE, "\(handle) is no \(kind), or it was destroyed")
    }
}
