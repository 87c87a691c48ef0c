/// A call outlives its connections: what was counted on those that were replaced goes on counting.
extension SessionStatistics {
    /// Adds what a connection had counted that this one has replaced. Tracks that are sent again under their id count on;
    /// those that were received have ended.
    public mutating func addReplaced(_ earlier: SessionStatistics) {
        var rest = earlier
        (rest.senders, rest.receivers) = ([], [])
        add(rest)
        addEnded(earlier.receivers)
        for sender in earlier.senders {
            if let index = senders.firstIndex(where: { $0.trackID == sender.trackID }) {
                senders[index].add(earlier: sender)
            } else {
                senders.append(sender)
            }
        }
    }
}

extension SenderStatistics {
    /// Adds what the same track had counted on an earlier connection.
    public mutating func add(earlier: SenderStatistics) {
        if codec.isEmpty { codec = earlier.codec }
        packetsSent += earlier.packetsSent
        bytesSent += earlier.bytesSent
        framesSent += earlier.framesSent
        framesSkipped += earlier.framesSkipped
        packetsRetransmitted += earlier.packetsRetransmitted
        keyFrameRequests += earlier.keyFrameRequests
        lastFrameNumber = lastFrameNumber ?? earlier.lastFrameNumber
        for layer in earlier.layers {
            guard let index = layers.firstIndex(where: { $0.rid == layer.rid }) else { continue }
            layers[index].add(earlier: layer)
        }
    }
}

extension LayerStatistics {
    fileprivate mutating func add(earlier: LayerStatistics) {
        packetsSent += earlier.packetsSent
        bytesSent += earlier.bytesSent
        framesSent += earlier.framesSent
        keyFramesSent += earlier.keyFramesSent
        keyFrameRequests += earlier.keyFrameRequests
        packetsRetransmitted += earlier.packetsRetransmitted
    }
}

extension ReceiverStatistics {
    /// Adds what the same track had counted in an earlier subscription.
    public mutating func add(earlier: ReceiverStatistics) {
        if packetsReceived == 0 { codec = earlier.codec }
        packetsReceived += earlier.packetsReceived
        bytesReceived += earlier.bytesReceived
        packetsLost += earlier.packetsLost
        packetsRecovered += earlier.packetsRecovered
        nacksSent += earlier.nacksSent
        keyFrameRequestsSent += earlier.keyFrameRequestsSent
        packetsRebuilt += earlier.packetsRebuilt
        addFrames(earlier)
        concealedMilliseconds += earlier.concealedMilliseconds
        playedMilliseconds += earlier.playedMilliseconds
        firstFrameMilliseconds = earlier.firstFrameMilliseconds ?? firstFrameMilliseconds
        if width == 0 { (width, height) = (earlier.width, earlier.height) }
    }

    private mutating func addFrames(_ earlier: ReceiverStatistics) {
        framesReceived += earlier.framesReceived
        framesDecoded += earlier.framesDecoded
        framesDropped += earlier.framesDropped
        framesUndecryptable += earlier.framesUndecryptable
        framesHeld += earlier.framesHeld
        framesUndecodable += earlier.framesUndecodable
        fillersReceived += earlier.fillersReceived
        freezes += earlier.freezes
        frozenMilliseconds += earlier.frozenMilliseconds
        rendering.add(earlier.rendering)
        sound.add(earlier.sound)
        lipSync = lipSync ?? earlier.lipSync
    }
}
