import Foundation

/// Why a file can't be read or a folder made, in words for people.
enum FileFault {
    static func words(_ error: any Error) -> String {
        let error = error as NSError
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(truncatingIfNeeded: cause.code)))
        }
        switch CocoaError.Code(rawValue: error.code) {
        case .fileReadNoSuchFile, .fileNoSuchFile: return "No such file or directory"
        case .fileReadNoPermission, .fileWriteNoPermission: return "Permission denied"
        case .fileWriteFileExists: return "a file is in its place"
        case .fileReadTooLarge: return "it is too large"
        default: return "the system refuses it"
        }
    }
}
