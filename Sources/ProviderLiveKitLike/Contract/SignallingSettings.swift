import CallBridge
import MediaCore

/// What a session is to be like, from its beginning to its end.
struct SignallingSettings: Sendable {
    var timeouts = SessionTimeouts()
    var policy = ReconnectPolicy()
    /// Remote tracks are subscribed as they appear.
    var subscribesAutomatically = true
    /// How media follows what is looked at.
    var streaming = StreamingOptions()
    /// Participants who publish nothing are known, too.
    var knowsListeners = true
    /// End-to-end encryption of media and data; nil for none.
    var encryption: FrameEncryption?
}
