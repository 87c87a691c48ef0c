import RTCTransport
import RTCWire
import Testing

@testable import MediaCore

/// When a session leaves its address, and where it goes, as values.
@Suite struct SessionAddressTests {
    private static let wifi = TransportAddress(ipv4: 0x0a00_0002, port: 4000)
    private static let cable = TransportAddress(ipv4: 0x0a01_0002, port: 0)
    private static let wifi6 = TransportAddress(high: 0x2001_0db8_0000_0000, low: 2, port: 4000)
    private static let loopback = TransportAddress(ipv4: 0x7f00_0001, port: 0)
    private static let server = TransportAddress(ipv4: 0x0a02_0001, port: 7881)
    private static let server6 = TransportAddress(high: 0x2001_0db8_0000_0000, low: 1, port: 7881)

    private func address(_ bound: String? = nil) -> SessionAddress {
        var configuration = MediaSessionConfiguration()
        configuration.bindAddress = bound
        return SessionAddress(configuration)
    }

    /// Who names an address doesn't want to be seen under another one; who names all of them names none.
    @Test func anAddressThatWasGivenIsKept() {
        #expect(address().mayMove && address("::").mayMove && address("0.0.0.0").mayMove)
        #expect(!address("10.0.0.2").mayMove && !address("::1").mayMove)
        var emulated = MediaSessionConfiguration()
        emulated.remoteAddressMap = { $0 }
        #expect(!SessionAddress(emulated).mayMove)
    }

    @Test func whatIsLostAndWhatComesBackIsToldOnce() {
        var address = address()
        let bases = [Self.wifi, Self.wifi6]
        let steps: [([TransportAddress], [TransportAddress], [TransportAddress])] = [
            (bases, [], []), ([Self.wifi6], [Self.wifi], []), ([Self.wifi6], [], []), ([], [Self.wifi6], []),
            ([Self.wifi], [], [Self.wifi]), (bases, [], [Self.wifi6]),
        ]
        for (present, lost, returned) in steps {
            let change = address.note(bases, InterfaceAddresses(present))
            #expect(change == SessionAddress.Change(lost: lost, returned: returned))
            #expect(address.gone.count == 2 - present.count)
        }
    }

    @Test func itLooksWhereSendsFailOrTheOtherSideIsSilent() {
        var address = address()
        func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }
        #expect(address.wantsLook(failures: 0, isSilent: false, now: at(1000)) == false)
        #expect(address.wantsLook(failures: 3, isSilent: false, now: at(1000)) == true)
        #expect(address.wantsLook(failures: 3, isSilent: false, now: at(1600)) == false, "no more have failed")
        #expect(address.wantsLook(failures: 3, isSilent: true, now: at(1600)) == true)
        #expect(address.wantsLook(failures: 9, isSilent: true, now: at(2000)) == false, "not again so soon")
        #expect(address.wantsLook(failures: 9, isSilent: true, now: at(2100)) == true)
        var given = self.address("10.0.0.2")
        #expect(given.wantsLook(failures: 1, isSilent: true, now: at(9000)) == false)
    }

    @Test func theWayToTheOtherSideIsTaken() {
        let present = InterfaceAddresses([Self.loopback, Self.wifi, Self.cable])
        let there = SessionDestination(remotes: [Self.server], present: present) { _ in Self.cable }
        #expect(there?.host == "10.1.0.2" && there?.addresses == [] && there?.isRouted == true)
        // No route, or one from an address that is gone: any but loopback.
        for source in [nil, TransportAddress(ipv4: 0x0a09_0009, port: 0)] {
            let any = SessionDestination(remotes: [Self.server], present: present) { _ in source }
            #expect(any?.host == "10.0.0.2" && any?.isRouted == false)
        }
        let alone = SessionDestination(remotes: [], present: InterfaceAddresses([Self.loopback]))
        #expect(alone?.host == "127.0.0.1")
        #expect(SessionDestination(remotes: [Self.server], present: InterfaceAddresses([])) == nil)
    }

    /// Where no route led to the other side, a silent one has the session go on to where one does; and nowhere else.
    @Test func anAddressWithoutARouteIsLeft() throws {
        var address = address()
        let bases = [Self.wifi]
        func destination(_ source: TransportAddress?) throws -> SessionDestination {
            let present = InterfaceAddresses([Self.wifi, Self.cable])
            return try #require(SessionDestination(remotes: [Self.server], present: present) { _ in source })
        }
        #expect(!address.isLost(bases, isSilent: true) && !address.isLost([], isSilent: true))
        _ = address.note(bases, InterfaceAddresses([]))
        #expect(address.isLost(bases, isSilent: false))
        #expect(try address.takes(destination(nil), from: bases))
        address.moved(to: try destination(nil), now: .zero)
        #expect(address.wantsLook(failures: 0, isSilent: true, now: .zero + .milliseconds(999)) == false, "just moved")
        #expect(address.wantsLook(failures: 0, isSilent: true, now: .zero + .seconds(1)) == true)
        #expect(!address.isLost(bases, isSilent: false) && address.isLost(bases, isSilent: true))
        #expect(try !address.takes(destination(nil), from: bases), "no better one")
        #expect(try !address.takes(destination(Self.wifi), from: bases), "the same")
        #expect(try address.takes(destination(Self.cable), from: bases))
        address.moved(to: try destination(Self.cable), now: .zero)
        #expect(!address.isLost([Self.cable], isSilent: true))
    }

    @Test func bothFamiliesAreServedWhereBothLeadThere() {
        let present = InterfaceAddresses([Self.cable, Self.wifi6])
        let both = SessionDestination(remotes: [Self.server, Self.server6], present: present) {
            $0.isIPv4 ? Self.cable : Self.wifi6
        }
        #expect(both?.host == "::" && both?.addresses == [Self.cable, Self.wifi6])
    }
}
