import CoreFuzzing
import FuzzDriver
import FuzzRandom
import Glibc
import RTCCore

/// The state is the input's choice, or for all inputs that of FUZZ_STATE, a number.
@main
enum Main {
    nonisolated(unsafe) private static var fuzzing: HandshakeStateFuzzing?

    static func main() {
        RepeatableRandom.install()
        guard let client = try? DTLSCertificate.generate(), let server = try? DTLSCertificate.generate() else {
            preconditionFailure("no certificates")
        }
        let forced = getenv("FUZZ_STATE").flatMap { Int(String(cString: $0)) }
        let fuzzing = HandshakeStateFuzzing((client, server), forced: forced)
        self.fuzzing = fuzzing
        atexit { print(Main.fuzzing?.summary ?? "") }
        fuzz { input in
            RepeatableRandom.restart()
            fuzzing.run(input)
        }
    }
}
