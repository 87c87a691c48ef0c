import Testing

@testable import RTCCore

@Suite struct HiddenHostNameTests {
    @Test(arguments: [
        "0a1b2c3d-4e5f-4678-9abc-def012345678.local", "0A1B2C3D-4E5F-4678-BABC-DEF012345678.LOCAL",
        "00000000-0000-4000-8000-000000000000.local",
    ])
    func aRandomUUIDUnderLocal(host: String) {
        #expect(HiddenHostName(host)?.text == host.lowercased())
    }

    @Test(arguments: [
        // Another version, another variant, no UUID, other domains, more labels, an end of its own.
        "0a1b2c3d-4e5f-1678-9abc-def012345678.local", "0a1b2c3d-4e5f-4678-7abc-def012345678.local",
        "printer.local", "0a1b2c3d.local", "0a1b2c3d4e5f46789abcdef012345678.local", "local", ".local", "",
        "0a1b2c3d-4e5f-4678-9abc-def01234567g.local", "0a1b2c3d-4e5f-4678-9abc-def012345678.lan",
        "x.0a1b2c3d-4e5f-4678-9abc-def012345678.local", "0a1b2c3d-4e5f-4678-9abc-def012345678.local.",
        "0a1b2c3d-4e5f-4678-9abc-def012345678", "192.0.2.1", "0a1b2c3d-4e5f-4678-9abc-def0123456789.local",
    ])
    func nothingElse(host: String) {
        #expect(HiddenHostName(host) == nil)
    }
}
