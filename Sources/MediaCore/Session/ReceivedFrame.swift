import RTCWire

/// A frame as its sender encoded it, for who records without decoding.
package struct ReceivedFrame: Sendable, Hashable {
    package var codec: MediaCodec
    /// Without RTP payload descriptor, decrypted.
    package var payload: [UInt8]
    /// As on the wire, in ticks of the codec's clock.
    package var timestamp: UInt32
    /// Whether it decodes without any earlier one; always for sound.
    package var isKeyFrame: Bool
    /// When its first packet came.
    package var arrival: Instant
    /// Where the sender's own clock stands by its time stamps, once it has told.
    package var clock: SenderClock?

    package init(
        codec: MediaCodec, payload: [UInt8], timestamp: UInt32, isKeyFrame: Bool, arrival: Instant,
        clock: SenderClock? = nil
    ) {
        self.codec = codec
        self.payload = payload
        self.timestamp = timestamp
        self.isKeyFrame = isKeyFrame
        self.arrival = arrival
        self.clock = clock
    }
}

/// What a sender report says of a stream's time (RFC 3550 section 6.4.1): two names of one moment.
package struct SenderClock: Sendable, Hashable {
    /// NTP time, seconds in the upper 32 bits.
    package var ntp: UInt64
    package var timestamp: UInt32

    package init(ntp: UInt64, timestamp: UInt32) {
        self.ntp = ntp
        self.timestamp = timestamp
    }
}

/// Takes the frames of a track as they come: pictures whole and in order, sound by packet. Sound may come out of order,
/// and twice, where packets were repaired.
package protocol ReceivedFrameSink: AnyObject, Sendable {
    /// Called from one place at a time. Must not block.
    func receive(_ frame: ReceivedFrame)
}

/// Counts the frames of a track as they come, without keeping them.
package protocol ReceivedFrameCounter: AnyObject, Sendable {
    /// Called from one place at a time, with a frame as its sender encoded it: valid during the call. Must not block.
    ///
    /// - Parameter packets: that it came in.
    func count(_ frame: UnsafeRawBufferPointer, packets: Int, isKeyFrame: Bool)
}

extension RemoteTrack {
    /// Gives `sink` every frame as it was received from now on, and asks the sender of pictures for a key frame.
    package func record(to sink: any ReceivedFrameSink) {
        recording.sinks.withLock { $0.append(sink) }
        recording.isActive.store(true, ordering: .relaxed)
        requestKeyFrame()
    }

    /// Has `counter` count every frame as it was received from now on. Nobody is asked for a key frame.
    package func count(by counter: any ReceivedFrameCounter) {
        recording.counter.withLock { $0 = counter }
        recording.isActive.store(true, ordering: .relaxed)
    }

    /// Gives `sink` nothing more.
    package func stopRecording(to sink: any ReceivedFrameSink) {
        recording.sinks.withLock {
            $0.removeAll { $0 === sink }
            let isCounted = recording.counter.withLock { $0 != nil }
            recording.isActive.store(!$0.isEmpty || isCounted, ordering: .relaxed)
        }
    }

    /// Asks the sender of pictures for a key frame, with the next packet of it.
    package func requestKeyFrame() { recording.wantsKeyFrame.store(true, ordering: .relaxed) }
}
