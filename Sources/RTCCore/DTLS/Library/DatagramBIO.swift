import CCrypto
import RTCWire

/// A `BIO` that keeps datagram boundaries: one write is one datagram of the outbox, one read takes the one datagram that
/// stands in the channel.
enum DatagramBIO {
    /// IP and UDP header, as libssl subtracts them.
    private static let headerBytes = 28

    /// Made once per process and never freed; immutable from then on.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagram") else { return nil }
        BIO_meth_set_create(method) { bio in
            BIO_set_init(bio, 1)
            return 1
        }
        BIO_meth_set_destroy(method) { _ in 1 }
        BIO_meth_set_read(method) { bio, target, size in DatagramBIO.read(bio, target, Int(size)) }
        BIO_meth_set_write(method) { bio, source, size in DatagramBIO.write(bio, source, Int(size)) }
        BIO_meth_set_ctrl(method) { bio, command, _, pointer in DatagramBIO.control(bio, command, pointer) }
        return method
    }()

    /// A new `BIO` over a channel, which must outlive it.
    static func make(_ channel: UnsafeMutablePointer<DTLSChannel>) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, channel)
        return bio
    }

    private static func channel(_ bio: OpaquePointer?) -> UnsafeMutablePointer<DTLSChannel>? {
        BIO_get_data(bio)?.assumingMemoryBound(to: DTLSChannel.self)
    }

    private static func read(_ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int32 {
        guard let channel = channel(bio), let target, let datagram = channel.pointee.incoming else {
            ccrypto_bio_retry_read(bio)
            return -1
        }
        ccrypto_bio_clear_retry(bio)
        channel.pointee.incoming = nil
        let count = min(size, datagram.count)
        UnsafeMutableRawBufferPointer(start: target, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: datagram[..<count]))
        return Int32(count)
    }

    private static func write(_ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ size: Int) -> Int32 {
        ccrypto_bio_clear_retry(bio)
        guard let channel = channel(bio), let source, size > 0 else { return -1 }
        // Outside a call of ours (freeing a live association) there is nowhere to send to: it counts as lost.
        channel.pointee.outbox?.takeUnretainedValue()
            .append(UnsafeRawBufferPointer(start: source, count: size), to: channel.pointee.destination)
        return Int32(size)
    }

    private static func control(_ bio: OpaquePointer?, _ command: Int32, _ pointer: UnsafeMutableRawPointer?) -> Int {
        guard let channel = channel(bio) else { return 0 }
        switch command {
        case BIO_CTRL_FLUSH: return 1
        case BIO_CTRL_DGRAM_QUERY_MTU, BIO_CTRL_DGRAM_GET_MTU, BIO_CTRL_DGRAM_GET_FALLBACK_MTU, BIO_CTRL_DGRAM_SET_MTU:
            return channel.pointee.mtu
        case BIO_CTRL_DGRAM_GET_MTU_OVERHEAD: return headerBytes
        case BIO_CTRL_DGRAM_SET_NEXT_TIMEOUT:
            guard let pointer else { return 0 }
            channel.pointee.timerChanged(pointer.assumingMemoryBound(to: timeval.self))
            return 1
        default: return 0
        }
    }
}
