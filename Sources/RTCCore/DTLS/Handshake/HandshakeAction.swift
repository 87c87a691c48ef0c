/// What a handshake message leads to.
enum HandshakeAction {
    /// More of the peer's flight is to come.
    case none
    /// Our next flight.
    case send(Flight)
    /// Our last flight once more: its answer was none that is believed at first sight.
    case sendAgain
    /// Our first flight, changed as the peer asks; an answer to the unchanged one is still taken.
    case sendChanged(Flight)
    /// The peer has proved who it is: what it seals can be opened from now on.
    case use(RecordKeys)
    /// The same, and our next flight uses them.
    case useAndSend(RecordKeys, Flight)
    /// The peer's Finished holds; a server's own goes out.
    case finish(HandshakeResult, Flight?)
}

/// What a finished handshake leaves.
struct HandshakeResult {
    var srtpKeys: SRTPKeyingMaterial?
    var peer: PeerCertificate
}
