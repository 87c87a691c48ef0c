import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Grouping of a batch into segmented sends.
@Suite struct BatchTests {
    private func batch(_ entries: [(port: UInt16, length: Int)]) -> [(port: UInt16, count: Int, bytes: Int)] {
        let outbox = Outbox()
        for entry in entries {
            _ = outbox.reserve(entry.length)
            outbox.commit(entry.length, to: TransportAddress(ipv4: 0x7f00_0001, port: entry.port))
        }
        var batch = DatagramBatch()
        batch.group(outbox.datagrams, in: outbox.datagrams.indices)
        var runs: [(port: UInt16, count: Int, bytes: Int)] = []
        for head in batch.heads {
            var cursor = head
            while cursor >= 0 {
                let run = batch.run(from: cursor, in: outbox.datagrams)
                runs.append((outbox.datagrams[Int(cursor)].destination.port, run.count, run.bytes))
                cursor = run.following
            }
        }
        return runs
    }

    @Test func equalSizesToOneDestinationAreOneRun() {
        let runs = batch([(1, 1000), (2, 1000), (1, 1000), (2, 1000), (1, 700), (1, 1000)])
        #expect(runs.map(\.port) == [1, 1, 2])
        #expect(runs.map(\.count) == [3, 1, 2])
        #expect(runs.map(\.bytes) == [2700, 1000, 2000])
    }

    @Test func aLongerDatagramBeginsAnotherRun() {
        #expect(batch([(1, 100), (1, 200), (1, 200)]).map(\.count) == [1, 2])
    }

    @Test func runsKeepToTheKernelsLimits() {
        #expect(batch(Array(repeating: (1, 100), count: 100)).map(\.count) == [64, 36])
        #expect(batch(Array(repeating: (1, 1200), count: 60)).map(\.count) == [50, 10])
    }

    @Test func addressTableFindsEveryAddress() throws {
        var seen = Set<Int>()
        for port in 0..<2000 {
            seen.insert(AddressTable.hash(TransportAddress(ipv4: 0x7f00_0001, port: UInt16(port))) & 0xfff)
        }
        // A hash that clusters would make look-ups slow.
        #expect(seen.count > 1200)
    }

    @Test func userNameOfACheckIsFound() {
        var bytes: [UInt8] = [0, 1, 0, 16, 0x21, 0x12, 0xa4, 0x42] + [UInt8](repeating: 7, count: 12)
        bytes += [0, 6, 0, 9] + Array("abcd:efgh".utf8) + [0, 0, 0]
        bytes.withUnsafeBytes { #expect(STUNUsername.localFragment($0) == "abcd") }
        for length in 0..<bytes.count {
            bytes.withUnsafeBytes { buffer in
                _ = STUNUsername.localFragment(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
            }
        }
    }
}
