import Glibc
import RTCWire

/// What sends datagrams without a buffer of its own.
protocol DatagramSending: AnyObject {
    var isIPv4: Bool { get }

    /// Sends `parts` as one message; with a `segmentSize` the kernel cuts it into datagrams of that size (UDP_SEGMENT,
    /// udp(7)).
    ///
    /// - Parameter source: the address to send from; nil leaves it to the kernel.
    func send(
        _ parts: UnsafeMutableBufferPointer<iovec>, to destination: RawSocketAddress, from source: TransportAddress?,
        segmentSize: Int?
    ) -> SendOutcome

    /// Sends messages, from `first` on.
    ///
    /// - Returns: how many have left, in order; more may follow at once. Where none has, why the first one did not.
    func send(_ messages: SendVector, from first: Int) -> (sent: Int, outcome: SendOutcome)
}
