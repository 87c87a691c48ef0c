import Glibc
import NIOCore

/// Reads SO_MEMINFO (socket(7), linux/sock_diag.h): nine 32-bit numbers, of which the last counts dropped datagrams.
enum SocketDrops {
    private struct MemoryInfo {
        var values: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
            0, 0, 0, 0, 0, 0, 0, 0, 0
        )
    }

    private static let soMemInfo: CInt = 55

    static func read(_ provider: any SocketOptionProvider) -> EventLoopFuture<Int> {
        let info: EventLoopFuture<MemoryInfo> = provider.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: soMemInfo))
        return info.map { Int($0.values.8) }
    }
}
