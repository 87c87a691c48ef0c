import NIOCore
import RTCTransport
import SFUCore

/// One event loop of the server: its UDP port, the rooms that live on it, its counters.
// Every member but the constants is touched on `eventLoop` only; other threads hold the reference and hop.
final class ServerLoop: @unchecked Sendable {
    let mux: UDPMux
    /// Where media is taken over TCP; nil where it is not.
    let tcpPort: Int?
    let settings: MediaSettings
    /// What rooms have forwarded that are gone.
    private var forwardedBefore = ForwardingStatistics()
    /// Reliable data messages that did not reach a participant who reads too slowly.
    var droppedData = 0
    private var rooms: [ObjectIdentifier: Room] = [:]

    /// Knows what has held this loop or another of the server's for long.
    let meter: StallMeter

    init(mux: UDPMux, settings: MediaSettings, meter: StallMeter) {
        self.mux = mux
        tcpPort = mux.streamPort.map(Int.init)
        self.settings = settings
        self.meter = meter
        mux.meter = meter
    }

    var eventLoop: any EventLoop { mux.eventLoop }

    func add(_ room: Room) {
        eventLoop.preconditionInEventLoop()
        rooms[ObjectIdentifier(room)] = room
    }

    func remove(_ room: Room) {
        eventLoop.preconditionInEventLoop()
        if rooms.removeValue(forKey: ObjectIdentifier(room)) != nil { forwardedBefore += room.media.statistics }
    }

    /// Ends all rooms and closes the port.
    func close() -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            let now = MonotonicClock.now()
            for room in rooms.values { room.end(.serverStopped, now: now) }
            rooms = [:]
            return mux.close()
        }
    }

    /// Ends the thread; when it returns, nothing of it runs any more. After `close`.
    func end() async { try? await mux.loop.shutdownGracefully() }

    func statistics() -> EventLoopFuture<CallServerStatistics> {
        eventLoop.flatSubmit { [self] in
            mux.refreshKernelDrops().flatMapError { [eventLoop] _ in eventLoop.makeSucceededVoidFuture() }
        }.map { [self] in counted }
    }

    private var counted: CallServerStatistics {
        var result = CallServerStatistics()
        let forwarding = rooms.values.reduce(into: forwardedBefore) { $0 += $1.media.statistics }
        result.rooms = rooms.count
        result.participants = rooms.values.reduce(0) { $0 + $1.members.count }
        result.datagrams = CallServerStatistics.Datagrams(mux.statistics)
        result.packetsReceived = forwarding.packetsReceived
        result.packetsForwarded = forwarding.packetsForwarded
        result.packetsDropped = forwarding.dropped
        result.retransmissions = forwarding.retransmissions
        result.retransmissionMisses = forwarding.retransmissionMisses
        result.retransmissionsRefused = forwarding.retransmissionsRefused
        result.keyFrameRequests = forwarding.keyFrameRequests
        result.dataMessagesDropped = droppedData
        return result
    }
}

extension CallServerStatistics.Datagrams {
    init(_ counted: UDPMuxStatistics) {
        received = counted.datagramsReceived
        bytesReceived = counted.bytesReceived
        sent = counted.datagramsSent
        bytesSent = counted.bytesSent
        receiveBufferDrops = counted.receiveBufferDrops
        sendQueueDrops = counted.sendQueueDrops
        unknown = counted.unknownSource
    }
}
