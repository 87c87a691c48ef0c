import CCallBridge
import Glibc

/// Reads what C gives. Throws `ABIError.argument` that names it.
enum Arguments {
    /// Text of 1 to `limit` bytes; a bad byte is replaced.
    static func text(_ pointer: UnsafePointer<CChar>?, _ name: String, limit: Int) throws -> String {
        guard let pointer else { throw ABIError.argument("\(name) is NULL") }
        let count = strnlen(pointer, limit + 1)
        guard (1...limit).contains(count) else { throw ABIError.argument("\(name) has 1 to \(limit) bytes") }
        return String(cString: pointer)
    }

    /// The same, or NULL.
    static func optional(_ pointer: UnsafePointer<CChar>?, _ name: String, limit: Int) throws -> String? {
        try pointer.map { try text($0, name, limit: limit) }
    }

    static func check(_ width: Int32, _ height: Int32, _ rate: Double, least: (width: Int32, height: Int32)) throws {
        guard (least.width...4_096).contains(width), (least.height...4_096).contains(height) else {
            throw ABIError.argument(
                "\(width)x\(height) pixels; use \(least.width) to 4096 by \(least.height) to 4096")
        }
        guard (1...60).contains(rate) else { throw ABIError.argument("\(rate) pictures a second; use 1 to 60") }
    }

    /// `callbridge_options` of this version or of an older one, whose missing fields are 0.
    static func options(_ options: UnsafePointer<callbridge_options>?) throws -> callbridge_options {
        guard let options else { throw ABIError.argument("options is NULL") }
        let sizes = [MemoryLayout<callbridge_options>.size, sizeOfVersion1]
        // An older structure ends before the newer fields: only `size` is sure to be there.
        let size = Int(UnsafeRawPointer(options).loadUnaligned(as: UInt32.self))
        guard sizes.contains(size) else {
            throw ABIError.argument("options->size is \(size); use sizeof(callbridge_options)")
        }
        var given = callbridge_options()
        withUnsafeMutableBytes(of: &given) { $0.copyMemory(from: UnsafeRawBufferPointer(start: options, count: size)) }
        return given
    }

    /// Before `callbridge_callbacks.data`.
    private static let sizeOfVersion1 = MemoryLayout<callbridge_options>.size - MemoryLayout<UnsafeRawPointer?>.size

    /// `CALLBRIDGE_AUDIO` or `CALLBRIDGE_VIDEO`. Whether it is the latter.
    static func isVideo(_ kind: Int32) throws -> Bool {
        guard kind == CALLBRIDGE_AUDIO || kind == CALLBRIDGE_VIDEO else {
            throw ABIError.argument("\(kind) is no kind; use CALLBRIDGE_AUDIO or CALLBRIDGE_VIDEO")
        }
        return kind == CALLBRIDGE_VIDEO
    }

    /// A place for an identifier that is given back.
    static func identifierPlace(_ place: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ name: String) throws {
        guard place != nil, capacity >= CALLBRIDGE_ID_SIZE else {
            throw ABIError.argument("\(name) is NULL, or has fewer bytes than CALLBRIDGE_ID_SIZE")
        }
        place?.pointee = 0
    }

    /// Writes an identifier into a place that was checked. Throws where it does not fit, or has a 0 in it.
    static func write(_ identifier: String, to place: UnsafeMutablePointer<CChar>?) throws {
        let bytes = Array(identifier.utf8CString)
        guard bytes.count <= CALLBRIDGE_ID_SIZE, bytes.firstIndex(of: 0) == bytes.count - 1 else {
            throw ABIError(CALLBRIDGE_ERROR_NETWORK, "the service gave an identifier that is none")
        }
        place?.update(from: bytes, count: bytes.count)
    }
}
