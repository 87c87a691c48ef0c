import Testing

@testable import ClientModel

/// A machine whose actions are kept, to be answered by hand.
private struct Bench {
    var machine = ClientMachine(startTimeout: 30_000, seed: 1)
    var actions: [ClientMachine.Action] = []

    mutating func put(_ input: ClientMachine.Input) {
        actions = []
        machine.handle(input, into: &actions)
    }

    var fetch: Int? { actions.firstResult { if case .fetchToken(let ticket) = $0 { ticket } else { nil } } }
    var connect: (token: String, attempt: Int)? {
        actions.firstResult { if case .connect(let token, let attempt) = $0 { (token.value, attempt) } else { nil } }
    }
    var disconnect: Int? { actions.firstResult { if case .disconnect(let attempt) = $0 { attempt } else { nil } } }
    func timer(_ timer: ClientTimer) -> (number: Int, milliseconds: Int)? {
        actions.firstResult {
            if case .setTimer(timer, let number, let wait) = $0 { (number, wait) } else { nil }
        }
    }
    /// Waiter to nil for success, or to the error's code.
    var answers: [Int: ClientError.Code?] {
        var result: [Int: ClientError.Code?] = [:]
        for case .answer(let waiter, let answer) in actions {
            switch answer {
            case .success: result.updateValue(nil, forKey: waiter)
            case .failure(let error): result.updateValue(error.code, forKey: waiter)
            }
        }
        return result
    }
    var reports: [ClientMachine.Report] {
        actions.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }
    var errors: [ClientError.Code] {
        reports.compactMap { if case .error(let error) = $0 { error.code } else { nil } }
    }
    var endsCalls: Bool { actions.contains { if case .endCalls = $0 { true } else { false } } }

    /// Started, with a token and a connection; gives the connection's attempt.
    mutating func ready(validFor: Int? = nil) throws -> Int {
        put(.start(waiter: 1))
        put(.token(.success(ClientToken("t1", validFor: validFor)), ticket: try #require(fetch)))
        let attempt = try #require(connect).attempt
        put(.connected(attempt: attempt))
        return attempt
    }
}

extension Array {
    fileprivate func firstResult<Result>(_ find: (Element) -> Result?) -> Result? {
        for element in self { if let result = find(element) { return result } }
        return nil
    }
}

@Suite struct ClientMachineTests {
    @Test func startFetchesATokenThenConnects() throws {
        var bench = Bench()
        bench.put(.start(waiter: 1))
        #expect(bench.machine.phase == .starting)
        #expect(bench.reports == [.phase(.starting)])
        #expect(bench.timer(.start)?.milliseconds == 30_000)
        bench.put(.token(.success(ClientToken("abc")), ticket: try #require(bench.fetch)))
        #expect(bench.connect?.token == "abc")
        bench.put(.connected(attempt: try #require(bench.connect).attempt))
        #expect(bench.answers == [1: nil])
        #expect(bench.reports == [.phase(.ready), .initialized, .link(isOnline: true)])
        #expect(bench.machine.isOnline)
    }

    @Test func severalStartsAreOneStart() throws {
        var bench = Bench()
        bench.put(.start(waiter: 1))
        let ticket = try #require(bench.fetch)
        bench.put(.start(waiter: 2))
        #expect(bench.actions.isEmpty)
        bench.put(.token(.success(ClientToken("t")), ticket: ticket))
        bench.put(.connected(attempt: try #require(bench.connect).attempt))
        #expect(bench.answers == [1: nil, 2: nil])
        bench.put(.start(waiter: 3))
        #expect(bench.answers == [3: nil])
    }

    @Test func stopDuringAStartEndsIt() throws {
        var bench = Bench()
        bench.put(.start(waiter: 1))
        let ticket = try #require(bench.fetch)
        bench.put(.stop(waiter: 2))
        #expect(bench.answers == [1: .stopped, 2: nil])
        #expect(bench.machine.phase == .stopped)
        bench.put(.token(.success(ClientToken("late")), ticket: ticket))
        #expect(bench.actions.isEmpty)
    }

    @Test func stopReleasesTheConnectionBeforeItIsAnswered() throws {
        var bench = Bench()
        let attempt = try bench.ready()
        bench.put(.stop(waiter: 2))
        #expect(bench.disconnect == attempt)
        #expect(bench.answers.isEmpty && bench.endsCalls)
        bench.put(.start(waiter: 3))
        #expect(bench.actions.isEmpty)
        bench.put(.released(attempt: attempt))
        #expect(bench.answers == [2: nil])
        #expect(bench.reports == [.phase(.stopped), .deinitialized, .phase(.starting)])
        #expect(bench.fetch != nil)
    }

    @Test func aStopTakesBackTheStartThatWaitsForIt() throws {
        var bench = Bench()
        let attempt = try bench.ready()
        bench.put(.stop(waiter: 2))
        bench.put(.start(waiter: 3))
        bench.put(.stop(waiter: 4))
        #expect(bench.answers == [3: .stopped])
        bench.put(.released(attempt: attempt))
        #expect(bench.answers == [2: nil, 4: nil])
        #expect(bench.machine.phase == .stopped)
    }

    @Test func aRefusedTokenAtStartUpStopsTheClient() throws {
        var bench = Bench()
        bench.put(.setToken(ClientToken("bad")))
        bench.put(.start(waiter: 1))
        let attempt = try #require(bench.connect).attempt
        bench.put(.connectFailed(.unauthorized("HTTP 401"), attempt: attempt))
        #expect(bench.answers == [1: .authorization])
        #expect(bench.machine.phase == .stopped)
        #expect(bench.errors.isEmpty, "the start's answer says it")
        bench.put(.setToken(ClientToken("good")))
        bench.put(.start(waiter: 2))
        #expect(bench.connect?.token == "good")
    }

    @Test func aRefusedTokenAtRunTimeKeepsCallsAndConnection() throws {
        var bench = Bench()
        let attempt = try bench.ready()
        bench.put(.unauthorized(attempt: attempt))
        #expect(bench.errors == [.authorization])
        #expect(!bench.endsCalls && bench.disconnect == nil)
        let ticket = try #require(bench.fetch)
        bench.put(.unauthorized(attempt: attempt))
        #expect(bench.actions.isEmpty, "one event for a burst")
        bench.put(.token(.success(ClientToken("t2")), ticket: ticket))
        #expect(
            bench.actions.contains { if case .useToken(ClientToken("t2")) = $0 { true } else { false } })
        #expect(bench.machine.isOnline)
    }

    @Test func withoutAnotherTokenTheApplicationSetsOne() throws {
        var bench = Bench()
        let attempt = try bench.ready()
        bench.put(.lost(attempt: attempt))
        bench.put(.timer(.retry, number: try #require(bench.timer(.retry)).number))
        bench.put(.connectFailed(.unauthorized("expired"), attempt: try #require(bench.connect).attempt))
        let refused = ClientError(.authorization, "the file is gone")
        bench.put(.token(.failure(refused), ticket: try #require(bench.fetch)))
        #expect(bench.errors == [.authorization])
        #expect(bench.machine.phase == .ready && !bench.endsCalls)
        bench.put(.setToken(ClientToken("t2")))
        #expect(bench.connect?.token == "t2")
    }

    @Test func aTokenIsRenewedBeforeItIsUsedUp() throws {
        var bench = Bench()
        _ = try bench.ready(validFor: 600_000)
        let timer = try #require(bench.timer(.renewal))
        #expect(timer.milliseconds == 540_000)
        bench.put(.timer(.renewal, number: timer.number))
        #expect(bench.errors.isEmpty && bench.fetch != nil)
    }

    @Test func aLostConnectionIsNoError() throws {
        var bench = Bench()
        let attempt = try bench.ready()
        bench.put(.lost(attempt: attempt))
        #expect(bench.reports == [.link(isOnline: false)])
        #expect(bench.machine.phase == .ready)
        var waits: [Int] = []
        for _ in 0..<8 {
            let timer = try #require(bench.timer(.retry))
            waits.append(timer.milliseconds)
            bench.put(.timer(.retry, number: timer.number))
            bench.put(.connectFailed(.unreachable("refused"), attempt: try #require(bench.connect).attempt))
            #expect(bench.errors.isEmpty)
        }
        #expect(
            zip(waits, [300, 600, 1_200, 2_400, 4_800, 7_000, 7_000, 7_000]).allSatisfy { $1..<($1 + 1_000) ~= $0 })
        bench.put(.timer(.retry, number: try #require(bench.timer(.retry)).number))
        bench.put(.connected(attempt: try #require(bench.connect).attempt))
        #expect(bench.reports == [.link(isOnline: true)])
    }

    @Test func aStartGivesUpInTime() throws {
        var bench = Bench()
        bench.put(.setToken(ClientToken("t")))
        bench.put(.start(waiter: 1))
        let start = try #require(bench.timer(.start)).number
        bench.put(.connectFailed(.unreachable("nothing listens there"), attempt: try #require(bench.connect).attempt))
        bench.put(.timer(.start, number: start))
        guard case .answer(1, .failure(let error)) = bench.actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(error.code == .unreachable && error.message.contains("nothing listens there") && !error.isFatal)
        #expect(bench.machine.phase == .stopped)
    }

    @Test func anOldTimerDoesNothing() throws {
        var bench = Bench()
        bench.put(.start(waiter: 1))
        let old = try #require(bench.timer(.start)).number
        bench.put(.stop(waiter: 2))
        bench.put(.start(waiter: 3))
        bench.put(.timer(.start, number: old))
        #expect(bench.actions.isEmpty && bench.machine.phase == .starting)
    }

    @Test func aFatalErrorIsFinal() throws {
        var bench = Bench()
        let attempt = try bench.ready()
        bench.put(.fatal(ClientError(.internalError, "broken")))
        #expect(bench.errors == [.internalError] && bench.endsCalls && bench.disconnect == attempt)
        bench.put(.start(waiter: 5))
        #expect(bench.answers == [5: .internalError])
        bench.put(.released(attempt: attempt))
        #expect(bench.reports == [.phase(.failed), .deinitialized])
        bench.put(.start(waiter: 6))
        bench.put(.setToken(ClientToken("t")))
        #expect(bench.machine.phase == .failed && bench.actions.isEmpty)
        bench.put(.stop(waiter: 7))
        #expect(bench.answers == [7: nil])
    }

    @Test func aServerOfAnotherLanguageIsFatal() throws {
        var bench = Bench()
        bench.put(.setToken(ClientToken("t")))
        bench.put(.start(waiter: 1))
        bench.put(.connectFailed(.incompatible("it speaks FTP"), attempt: try #require(bench.connect).attempt))
        #expect(bench.answers == [1: .incompatibleServer])
        #expect(bench.machine.phase == .failed)
    }
}
