import OpenTokSignalling
import RTCWire

/// What a client's session is to be like, from its beginning to its end.
package struct ClientSettings: Hashable, Sendable {
    /// What the server said of the session.
    package var info: SessionInfo
    /// Shown with the request to join.
    package var token: String
    /// Our connection id, chosen by us and used by nobody else.
    package var connection: String
    /// Streams are subscribed to as they appear.
    package var subscribesAutomatically = true
    package var userAgent = "CallBridge"
    package var limits = Limits()
    /// When the message transport does what.
    package var timing = RumorChannel.Timing()

    /// How long things may take while the message transport works; time without it does not count.
    package struct Limits: Hashable, Sendable {
        /// From a request to its answer; longer than a loss goes unnoticed, behind which the request is sent again.
        package var request = Interval.seconds(15)
        /// From the request to publish, or to subscribe, to media that is connected.
        package var media = Interval.seconds(20)
        /// A lost path of a subscriber may be mended by the other side for so long before we ask anew.
        package var repair = Interval.seconds(5)
        /// So many attempts in a row to get a path back.
        package var attempts = 3
        /// Connections of one publisher: what a server makes it open.
        package var peersPerStream = 64

        package init() {}
    }

    package init(info: SessionInfo, token: String, connection: String) {
        self.info = info
        self.token = token
        self.connection = connection
        timing.reconnects = info.hasReconnection
    }

    /// Between clients, without the media router.
    package var isRelayed: Bool { info.session.mediaMode == .relayed }
}
