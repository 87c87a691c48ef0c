import Foundation
import RTCCore

/// Which release of a library this process really runs with: what the dynamic linker found, not what is installed.
enum LibraryChecks {
    static func openSSL() -> DoctorCheck {
        check(
            release: OpenSSLLibrary.release, version: OpenSSLLibrary.version, tested: OpenSSLLibrary.testedReleases,
            maps: memoryMap)
    }

    /// What proc(5) says of this process. The kernel gives it in pieces, each read short of what was asked for.
    private static var memoryMap: String {
        guard let file = fopen("/proc/self/maps", "r") else { return "" }
        defer { fclose(file) }
        var text = ""
        var line = [CChar](repeating: 0, count: 8192)
        while fgets(&line, Int32(line.count), file) != nil {
            text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return text
    }

    /// - Parameters:
    ///   - version: the library's own words.
    ///   - tested: releases that the DTLS tests pass with.
    ///   - maps: the process's memory map, as proc(5) writes it.
    static func check(release: String, version: String, tested: [String], maps: String) -> DoctorCheck {
        let (ssl, crypto) = (path(of: "libssl.so", in: maps), path(of: "libcrypto.so", in: maps))
        let isTested = tested.contains(release)
        let isPair = ssl.map(folder) == crypto.map(folder)
        var advice: [String] = []
        if !isTested {
            advice.append(
                "Calls need libcrypto alone, 3.0 or later. `--dtls libssl` has been tested with "
                    + "\(tested.joined(separator: ", ")): leave it out, use one of them, or run Scripts/test-libssl."
            )
        }
        if !isPair { advice.append("libcrypto is another one, \(crypto ?? "?"); both must come from one package.") }
        return DoctorCheck(
            name: "libssl", state: isTested && isPair ? .good : .limited,
            found: "\(version)\(ssl.map { ", \($0)" } ?? ""), \(isTested ? "tested" : "not tested")",
            advice: advice.joined(separator: " "),
            library: .init(release: release, path: ssl, isTested: isTested, testedReleases: tested))
    }

    /// The file that a library's name begins, in the last column of the map.
    private static func path(of library: String, in maps: String) -> String? {
        for line in maps.split(separator: "\n") {
            guard let slash = line.firstIndex(of: "/") else { continue }
            let path = String(line[slash...])
            if URL(fileURLWithPath: path).lastPathComponent.hasPrefix(library) { return path }
        }
        return nil
    }

    private static func folder(_ path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }
}
