/// Why a data channel could not be opened or used; always the caller's side of things.
package enum DataChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The channel is not open yet: `.dataChannelOpened` has not come.
    case notOpen
    /// The channel is closing or closed, or never was.
    case closed
    /// The message has more bytes than the other side takes.
    case messageTooLarge(limit: Int)
    /// The message does not fit into what may wait to be sent; wait for `.bufferedAmountLow`.
    case bufferFull(limit: Int)
    /// A label or protocol name has more bytes than this.
    case nameTooLong(limit: Int)
    /// The agreed stream is in use or out of range.
    case streamUnavailable(UInt16)
    /// As many channels are open as may be.
    case tooManyChannels(limit: Int)

    package var description: String {
        switch self {
        case .notOpen: "the data channel is not open yet; wait until it has opened"
        case .closed: "the data channel is closed"
        case .messageTooLarge(let limit): "the message is larger than the \(limit) bytes that the other side takes"
        case .bufferFull(let limit):
            "more than \(limit) bytes would wait to be sent; wait until the channel's buffered amount has fallen"
        case .nameTooLong(let limit): "a data channel's label and protocol may have at most \(limit) bytes each"
        case .streamUnavailable(let stream): "stream \(stream) is in use or not among 0...1023"
        case .tooManyChannels(let limit): "no more than \(limit) data channels may be open on one connection"
        }
    }
}
