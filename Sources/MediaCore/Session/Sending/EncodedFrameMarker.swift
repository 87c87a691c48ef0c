/// Adds to the frames of a track, after their encoder and before they are encrypted, bytes that decoders pass over: for who
/// wants to know of each frame at the other end which one it was.
package protocol EncodedFrameMarker: AnyObject, Sendable {
    /// Called from one place at a time, with each frame that is to be sent. Must not block.
    ///
    /// - Parameters:
    ///   - stream: of a simulcast, 0 for the largest.
    ///   - time: when it was handed to the encoder.
    /// - Returns: false where the frame is not to be sent.
    func mark(_ frame: inout [UInt8], stream: Int, isKeyFrame: Bool, at time: MediaTime) -> Bool
}
