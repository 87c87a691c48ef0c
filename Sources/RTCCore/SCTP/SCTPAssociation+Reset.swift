import RTCWire

/// Stream reset, RFC 6525 section 5.
extension SCTPAssociation {
    /// Begins a stream of ours anew once everything on it has been sent. The caller sends nothing more on it before
    /// `.outgoingReset` or `.resetRefused`.
    package mutating func resetStream(_ stream: UInt16, now: Instant, into output: inout SCTPOutput) {
        guard closure == nil, transfer != nil else { return }
        guard transfer?.capabilities.contains(.reconfig) == true else {
            // A peer that can't be asked: for it the stream simply falls silent.
            return output.events.append(.resetRefused([stream]))
        }
        transfer?.reset.want(stream)
        flush(now, &output)
    }

    private static let requestHeaderLength = 28

    /// Puts a request on its way where one is wanted and none is.
    mutating func beginReset(_ now: Instant) {
        guard let transfer, !transfer.reset.wanted.isEmpty, !transfer.reset.isWaiting, state == .established else {
            return
        }
        let queue = self.queue
        let lastTSN = (transfer.outstanding.nextTSN - 1).serial32
        let limit = (configuration.maximumPacket - 2 * SCTPAssociation.requestHeaderLength) / 2
        guard let request = self.transfer?.reset.begin(lastTSN: lastTSN, limit: limit, isDrained: queue.isDrained)
        else { return }
        send(request, now)
    }

    private mutating func send(_ request: OutgoingResetRequest, _ now: Instant) {
        controls.append(.reconfig(ReconfigChunk(parameters: [.outgoingReset(request)])))
        timers.start(.reset, at: now + (transfer?.timeout.current ?? configuration.initialRTO))
    }

    mutating func resetExpired(_ now: Instant, _ output: inout SCTPOutput) {
        transfer?.errors += 1
        guard mayTryAgain(transfer?.errors ?? 0) else { return finish(.unreachable, &output) }
        guard let request = transfer?.reset.retry() else { return }
        send(request, now)
    }

    mutating func handleReconfig(_ chunk: ReconfigChunk, _ now: Instant, _ output: inout SCTPOutput) {
        guard transfer != nil, transfer?.capabilities.contains(.reconfig) == true else { return }
        if case .cookieEchoed = state { return }
        for parameter in chunk.parameters {
            switch parameter {
            case .outgoingReset(let request): handle(request, &output)
            case .incomingReset(let request): handle(request)
            case .response(let response): handle(response, now, &output)
            case .other(_, let sequence):
                guard let (answer, _) = transfer?.reset.answer(sequence, .denied) else { break }
                reply(.reconfig(ReconfigChunk(parameters: [.response(answer)])))
            }
        }
    }

    private mutating func handle(_ request: OutgoingResetRequest, _ output: inout SCTPOutput) {
        guard let tracker = transfer?.tracker,
            let (response, streams) = transfer?.reset.handle(request, tracker: tracker)
        else { return }
        reply(.reconfig(ReconfigChunk(parameters: [.response(response)])))
        if let streams { reset(streams, &output) }
    }

    /// The other side wants streams of ours to begin anew.
    private mutating func handle(_ request: IncomingResetRequest) {
        guard let (response, isNew) = transfer?.reset.answer(request.requestSequence, .performed) else { return }
        reply(.reconfig(ReconfigChunk(parameters: [.response(response)])))
        guard isNew, let count = transfer?.outboundStreams else { return }
        for stream in request.streams where stream < count { transfer?.reset.want(stream) }
    }

    private mutating func handle(_ response: ReconfigResponse, _ now: Instant, _ output: inout SCTPOutput) {
        switch transfer?.reset.answered(response) {
        case .done(let streams):
            timers.stop(.reset)
            transfer?.errors = 0
            for stream in streams { queue.reset(stream) }
            output.events.append(.outgoingReset(streams))
        case .refused(let streams):
            timers.stop(.reset)
            output.events.append(.resetRefused(streams))
        case .deferred:
            timers.start(.reset, at: now + (transfer?.timeout.current ?? configuration.initialRTO))
        case .unknown, .none: break
        }
    }

    /// Data that a reset of the other side waited for has come.
    mutating func resetArrived(_ output: inout SCTPOutput) {
        guard let cumulative = transfer?.tracker.cumulative, let streams = transfer?.reset.arrived(cumulative) else {
            return
        }
        reset(streams, &output)
    }

    private mutating func reset(_ streams: [UInt16], _ output: inout SCTPOutput) {
        transfer?.reassembly.reset(streams)
        output.events.append(.incomingReset(streams))
    }
}
