import CoreFuzzing
import FuzzDriver
import FuzzRandom
import RTCCore

@main
enum Main {
    static func main() {
        RepeatableRandom.install()
        guard let client = try? DTLSCertificate.generate(), let server = try? DTLSCertificate.generate() else {
            preconditionFailure("no certificates")
        }
        fuzz { input in
            RepeatableRandom.restart()
            HandshakeFuzzing.run(input, (client, server))
        }
    }
}
