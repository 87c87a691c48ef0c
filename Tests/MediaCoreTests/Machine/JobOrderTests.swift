import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// What a session asks of its workers, and what it makes of answers that come late or for nobody.
@Suite struct JobOrderTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)

    /// A machine that sends one track, driven by hand: jobs stay where they are until the test runs them.
    private final class Bench {
        var machine: SessionMachine
        let out = SessionOutbox(network: Outbox(), work: SessionWork())
        let sender: MediaSession.Sender

        init(_ track: LocalTrack) throws {
            var machine = try SessionMachine(MediaSessionConfiguration(), now: JobOrderTests.start)
            var answering = MediaSessionConfiguration()
            answering.isAnswerer = true
            var other = try SessionMachine(answering, now: JobOrderTests.start)
            sender = try machine.addTrack(track, streamID: "s")
            let offer = try machine.createOffer(now: JobOrderTests.start, into: out)
            let elsewhere = SessionOutbox(network: Outbox(), work: SessionWork())
            let answer = try other.createAnswer(to: offer, now: JobOrderTests.start, into: elsewhere)
            try machine.setAnswer(answer, now: JobOrderTests.start, into: out)
            // As if the connection stood.
            machine.take(.connected(.aeadAES128GCM), in: nil, now: JobOrderTests.start, into: out)
            self.machine = machine
            out.work.events.removeAll()
        }

        func advance(_ milliseconds: Int) {
            machine.advance(to: JobOrderTests.start + .milliseconds(milliseconds), into: out)
        }

        /// Lets time go by until there is a job, and gives the time: pictures begin at a moment of the stream's own.
        func advanceToJob(_ milliseconds: Int) -> Int {
            var time = milliseconds
            while out.work.jobs.isEmpty, time < milliseconds + 200 {
                time += 1
                advance(time)
            }
            return time
        }

        func take(_ result: MediaJobResult, _ milliseconds: Int) {
            machine.take(result, now: JobOrderTests.start + .milliseconds(milliseconds), into: out)
        }

        /// Packets of media that were to be sent: there is no path for them.
        var triedPackets: Int { machine.peer.statistics.unsentPackets }

        /// Runs and removes the first job.
        func run(_ milliseconds: Int) -> MediaJobResult? {
            out.work.jobs.removeFirst().run(at: JobOrderTests.start + .milliseconds(milliseconds))
        }
    }

    private func tone() -> LocalTrack { LocalTrack(.audio(ToneSource(frequency: 440), AudioEncoding())) }

    @Test func aCoderHasOneJobAtATime() throws {
        let bench = try Bench(tone())
        #expect(bench.out.work.jobs.count == 1)
        for time in stride(from: 0, through: 60, by: 5) { bench.advance(time) }
        #expect(bench.out.work.jobs.count == 1)
        let result = try #require(bench.run(61))
        bench.take(result, 61)
        // Three more frames have come due meanwhile, and are one job.
        #expect(bench.out.work.jobs.count == 1)
        guard case .encodeSound(_, let order) = bench.out.work.jobs[0].work else {
            Issue.record("the job is \(bench.out.work.jobs[0].work)")
            return
        }
        #expect(order.firstIndex == 1 && order.count == 3)
    }

    @Test func ofALongStallTheLatestFrameIsLeft() throws {
        let bench = try Bench(tone())
        bench.take(try #require(bench.run(1)), 1)
        bench.advance(400)
        guard case .encodeSound(_, let order) = bench.out.work.jobs[0].work else {
            Issue.record("there is no job")
            return
        }
        #expect(order.count == 1 && order.firstIndex == 20)
        #expect(bench.out.work.wakes.last?.skipped == 19)
    }

    @Test func theResultOfATrackThatHasEndedIsForNobody() throws {
        let bench = try Bench(tone())
        let late = try #require(bench.run(1))
        let (sender, out) = (bench.sender, bench.out)
        try bench.machine.removeTrack(sender, now: Self.start, into: out)
        bench.take(late, 5)
        bench.advance(100)
        #expect(bench.out.work.jobs.isEmpty && bench.out.network.datagrams.isEmpty)
    }

    @Test func aPictureThatCanNotBeMadeInTimeIsLeftOut() throws {
        let source = try TestCardSource(sender: 1, width: 160, height: 90, frameRate: 25)
        let bench = try Bench(LocalTrack(.video(source, VideoEncoding(bitrate: 100_000))))
        bench.advance(40)
        #expect(bench.out.work.jobs.count == 1)
        let result = try #require(bench.run(140))
        bench.take(result, 140)
        bench.advance(140)
        bench.take(try #require(bench.run(141)), 141)
        let counted = try #require(bench.machine.statistics(now: Self.start).senders.first)
        #expect(counted.framesSkipped >= 1)
    }

    @Test func aWishForAKeyFrameOutlivesAPictureThatFailed() throws {
        // The source has ended: no picture comes of the job.
        let empty = EndedSource()
        let bench = try Bench(LocalTrack(.video(empty, VideoEncoding(bitrate: 100_000))))
        var time = bench.advanceToJob(0)
        #expect(isForced(bench.out.work.jobs.first) == false)
        bench.machine.setActiveLayers([], of: bench.sender)
        bench.machine.setActiveLayers([""], of: bench.sender)
        for _ in 0..<2 {
            bench.take(try #require(bench.run(time)), time)
            time = bench.advanceToJob(time)
            #expect(isForced(bench.out.work.jobs.first) == true)
        }
    }

    /// What is being made when a stream begins anew is built on pictures that will not come.
    @Test func aPictureOfTheTimeBeforeIsNotSent() throws {
        let source = try TestCardSource(sender: 1, width: 160, height: 90, frameRate: 25)
        let bench = try Bench(LocalTrack(.video(source, VideoEncoding(bitrate: 100_000))))
        var time = bench.advanceToJob(0)
        bench.take(try #require(bench.run(time)), time)
        let before = bench.triedPackets
        #expect(before > 0)
        time = bench.advanceToJob(time)
        #expect(isForced(bench.out.work.jobs.first) == false)
        let late = try #require(bench.run(time))
        bench.machine.sent.beginAnew(now: Self.start + .milliseconds(time))
        bench.take(late, time)
        #expect(bench.triedPackets == before)
        time = bench.advanceToJob(time)
        #expect(isForced(bench.out.work.jobs.first) == true)
        bench.take(try #require(bench.run(time)), time)
        #expect(bench.triedPackets > before)
    }

    private func isForced(_ job: MediaJob?) -> Bool? {
        guard case .encodePicture(_, let order) = job?.work else { return nil }
        return order.layers.first?.isKeyFrame
    }

    private final class EndedSource: VideoSource {
        let width = 160
        let height = 90
        let frameRate = 25.0

        func nextFrame(at time: MediaTime) -> VideoFrame? { nil }
    }
}
