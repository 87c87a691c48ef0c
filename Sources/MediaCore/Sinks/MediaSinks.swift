/// Takes decoded audio as it is played out.
public protocol AudioSink: AnyObject, Sendable {
    /// Called once per frame, in order, from one place at a time. Must not block for long.
    func receive(_ frame: AudioFrame)
}

/// Takes decoded pictures.
public protocol VideoSink: AnyObject, Sendable {
    /// Called once per picture, in order, from one place at a time. Must not block for long.
    func receive(_ frame: VideoFrame)
}

/// Takes compressed pictures as they were received.
public protocol EncodedVideoSink: AnyObject, Sendable {
    /// Called once per picture, in order, from one place at a time. Must not block for long.
    func receive(_ frame: EncodedVideoFrame)
}
