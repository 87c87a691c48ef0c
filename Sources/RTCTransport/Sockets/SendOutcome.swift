import Glibc

/// How a send ended.
enum SendOutcome: Equatable {
    case sent
    /// The socket's send buffer is full; epoll tells when there is room again.
    case full
    /// The machine, or a network interface of it, has no memory for it; nobody tells when it has.
    case exhausted
    /// The kernel does not cut this send into segments; the datagrams may pass one by one.
    case unsegmentable
    /// This destination can't be reached from here; others may.
    case failed

    /// What an error number of `sendmmsg` means.
    ///
    /// A segment above the route's MTU gives EMSGSIZE (EINVAL in older kernels), an interface that computes no checksums
    /// or a route through IPsec gives EIO.
    init(errno code: CInt, isSegmented: Bool) {
        switch code {
        case EAGAIN, EWOULDBLOCK: self = .full
        case ENOBUFS, ENOMEM: self = .exhausted
        case EMSGSIZE, EINVAL, EIO, EOPNOTSUPP: self = isSegmented ? .unsegmentable : .failed
        default: self = .failed
        }
    }

    /// Whether the error was not about this send: a signal came, or the socket tells of an earlier datagram that nobody
    /// took. Once more may do.
    static func isTransient(errno code: CInt) -> Bool { code == EINTR || code == ECONNREFUSED }
}
