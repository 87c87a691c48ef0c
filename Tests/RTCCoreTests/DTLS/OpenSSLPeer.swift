import Foundation
import RTCCore

/// A running `openssl s_server` or `s_client` that speaks DTLS 1.2 and prints what it gets.
final class OpenSSLPeer {
    enum Certificate: String { case ecdsa, ecdsaP384, rsa }

    private static let command = "/usr/bin/openssl"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: command) }

    let fingerprint: DTLSFingerprint
    /// Where a server listens.
    let port: UInt16
    private let process = Process()
    private let input = Pipe()
    private let outputPipe = Pipe()
    private let folder: URL
    private var collected: [UInt8] = []

    /// - Parameters:
    ///   - role: of the command.
    ///   - port: of ours, which a client connects to.
    init(_ certificate: Certificate, _ options: [String], role: DTLSRole, port ours: UInt16) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("dtls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (key, file) = (folder.appendingPathComponent("key").path, folder.appendingPathComponent("certificate").path)
        let kind =
            switch certificate {
            case .ecdsa: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .ecdsaP384: ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .rsa: ["rsa:2048"]
            }
        _ = try Self.run(
            ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=peer", "-keyout", key, "-out", file, "-newkey"]
                + kind)
        let printed = try Self.run(["x509", "-in", file, "-noout", "-fingerprint", "-sha256"])
        let digest = printed.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
        guard let fingerprint = DTLSFingerprint(parsing: "sha-256 \(digest)") else { throw Failure(words: printed) }
        self.fingerprint = fingerprint
        port = try LoopbackSocket.freePort()
        let length = options.contains("SRTP_AES128_CM_SHA1_80") ? "60" : "56"
        var arguments = role == .server ? ["s_server", "-port", "\(port)", "-Verify", "1"] : ["s_client"]
        if role == .client { arguments += ["-connect", "127.0.0.1:\(ours)"] }
        arguments += ["-dtls1_2", "-cert", file, "-key", key]
        arguments += ["-keymatexport", "EXTRACTOR-dtls_srtp", "-keymatexportlen", length]
        if !options.contains("-use_srtp") {
            arguments += ["-use_srtp", "SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80"]
        }
        process.executableURL = URL(fileURLWithPath: Self.command)
        process.arguments = arguments + options
        process.standardInput = input
        process.standardOutput = outputPipe
        process.standardError = outputPipe
        _ = fcntl(outputPipe.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK)
        try process.run()
    }

    /// All that it has printed so far.
    var output: String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(outputPipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            collected += buffer[..<count]
        }
        return String(decoding: collected, as: UTF8.self)
    }

    func write(_ line: String) { input.fileHandleForWriting.write(Data(line.utf8)) }

    /// A client says close_notify and ends.
    func quit() { write("Q\n") }

    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    struct Failure: Error { var words: String }
}
