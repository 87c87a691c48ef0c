import CCallBridge
import CallBridge
import ClientCore
import Foundation

/// What a function of the C interface returns beside success, with a sentence for people.
struct ABIError: Error {
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    static func argument(_ message: String) -> ABIError { ABIError(CALLBRIDGE_ERROR_ARGUMENT, message) }
    static func state(_ message: String) -> ABIError { ABIError(CALLBRIDGE_ERROR_STATE, message) }

    init(_ error: any Error) {
        if let known = error as? ABIError {
            self = known
        } else if let error = error as? CallError {
            let code =
                switch error.fault {
                case .caller: CALLBRIDGE_ERROR_ARGUMENT
                case .configuration, .provider: CALLBRIDGE_ERROR_REFUSED
                case .network: CALLBRIDGE_ERROR_NETWORK
                case .environment: CALLBRIDGE_ERROR_MEDIA
                }
            self.init(code, error.message)
        } else if let error = error as? ClientError {
            self.init(Self.code(error.code), error.message)
        } else {
            self.init(CALLBRIDGE_ERROR_NETWORK, "\(error)")
        }
    }
}

extension ABIError {
    private static func code(_ code: ClientError.Code) -> Int32 {
        switch code {
        case .invalidConfiguration, .messageRefused, .fileRefused, .fileQuarantined, .fileFailed:
            CALLBRIDGE_ERROR_ARGUMENT
        case .moduleNotRegistered, .noProviderInstalled, .duplicateModule, .moduleRegisteredLate, .delegateSetLate,
            .notReady, .stopped, .conversationOpen, .conversationUnavailable, .interceptorFailed:
            CALLBRIDGE_ERROR_STATE
        case .authorization, .wrongRole, .requestRefused, .permissionDenied: CALLBRIDGE_ERROR_REFUSED
        case .unreachable, .callFailed, .incompatibleServer, .internalError: CALLBRIDGE_ERROR_NETWORK
        }
    }
}

/// What went wrong last on each thread, as C text.
enum LastError {
    private static let key = "callbridge.last-error"

    /// The text's memory goes with its thread, or with the next error.
    private final class Text {
        let bytes: UnsafeMutablePointer<CChar>

        init(_ text: String) {
            let copy = Array(text.utf8CString)
            bytes = .allocate(capacity: copy.count)
            bytes.initialize(from: copy, count: copy.count)
        }

        deinit { bytes.deallocate() }
    }

    private static let empty = EternalText("")

    static func set(_ text: String?) {
        Thread.current.threadDictionary[key] = text.map { Text($0) }
    }

    static var pointer: UnsafePointer<CChar> {
        guard let text = Thread.current.threadDictionary[key] as? Text else { return empty.pointer }
        return UnsafePointer(text.bytes)
    }
}

/// C text that lives as long as the library.
// The memory is written in `init` alone and never freed.
struct EternalText: @unchecked Sendable {
    let pointer: UnsafePointer<CChar>

    init(_ text: String) {
        let copy = Array(text.utf8CString)
        let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: copy.count)
        bytes.initialize(from: copy, count: copy.count)
        pointer = UnsafePointer(bytes)
    }
}

/// Runs the body of a function of the interface: its error becomes the thread's last one.
func guarded(_ body: () throws -> Void) -> Int32 {
    do {
        try body()
        LastError.set(nil)
        return CALLBRIDGE_OK
    } catch {
        let known = ABIError(error)
        LastError.set(known.message)
        return known.code
    }
}
