import CAVFormat
import MediaCore

/// libavformat, loaded when the first file is written or read.
struct AVFormatLibrary: Sendable {
    /// Lives as long as the process, and nobody changes it.
    nonisolated(unsafe) let api: UnsafePointer<cav_api>

    private static let shared: AVFormatLibrary? = {
        let api = UnsafeMutablePointer<cav_api>.allocate(capacity: 1)
        guard cav_load(api) == 0 else {
            api.deallocate()
            return nil
        }
        return AVFormatLibrary(api: UnsafePointer(api))
    }()

    /// The library. Throws where it isn't installed.
    static func load() throws(MediaError) -> AVFormatLibrary {
        guard let shared else {
            throw MediaError(
                .environment, String(cString: cav_library_name()), "isn't installed, so that nothing can be recorded",
                remedy: "install Debian's package libavformat59 (Debian 12) or libavformat61 (Debian 13)")
        }
        return shared
    }

    /// What one of the library's errors means.
    func text(_ error: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            cav_describe(api, error, base, buffer.count)
            return String(cString: base)
        }
    }
}

extension MediaCodec {
    /// Its number in the shim.
    var shimNumber: Int32 {
        switch self {
        case .opus: Int32(cav_opus.rawValue)
        case .vp8: Int32(cav_vp8.rawValue)
        case .vp9: Int32(cav_vp9.rawValue)
        case .av1: Int32(cav_av1.rawValue)
        case .h264: Int32(cav_h264.rawValue)
        }
    }

    init?(shimNumber: Int32) {
        guard let codec = Self.allCases.first(where: { $0.shimNumber == shimNumber }) else { return nil }
        self = codec
    }
}
