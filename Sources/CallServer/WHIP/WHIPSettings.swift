extension CallServerConfiguration {
    /// What the server offers to plain WebRTC and to whoever watches it.
    public struct Watching: Sendable, Hashable {
        /// Rooms can be entered by WHIP and WHEP.
        public var whip = true
        /// Sessions of one identity in a room that only watch, at a time; a further one is answered with 429.
        public var viewersPerParticipant = 8
        /// WHIP and WHEP sessions of one address at a time; a further one is answered with 429.
        public var sessionsPerAddress = 256
        /// Serves the dashboard and the join page.
        public var dashboard = false
        /// Who may watch the dashboard at a time; a further one is answered with 503.
        public var dashboardWatchers = 16
        /// A file of LiveKit's browser client (`livekit-client.umd.js`) that the join page may use; nil leaves it to WHIP and WHEP.
        public var liveKitClient: String?

        /// WHIP and WHEP, and no pages.
        public init() {}
    }
}
