import NIOCore
import NIOPosix
import RTCTransport
import TransportSecurity

/// Can the ports that a call needs be had?
enum PortChecks {
    static func all(signalling port: Int) async -> [DoctorCheck] { [await tcp(port), await udp()] }

    private static func tcp(_ port: Int) async -> DoctorCheck {
        let name = "TCP port \(port)"
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: "127.0.0.1", port: port).get()
            try await channel.close()
            return DoctorCheck(name: name, state: .good, found: "free on 127.0.0.1")
        } catch {
            return DoctorCheck(
                name: name, state: .limited, found: "can't be had on 127.0.0.1 (\(SocketFault.words(error)))",
                advice: "`serve` needs another one there: --port 0 lets the system choose.")
        }
    }

    private static func udp() async -> DoctorCheck {
        do {
            let loop = try DatagramLoop()
            // A loop that isn't shut down keeps its thread, so that the end comes before the verdict.
            let outcome = await bind(on: loop)
            try await loop.shutdownGracefully()
            return DoctorCheck(
                name: "UDP on 127.0.0.1", state: .good, found: "port \(try outcome.get()) could be bound")
        } catch {
            return DoctorCheck(
                name: "UDP on 127.0.0.1", state: .missing, found: "\(error)", advice: "No media without UDP.")
        }
    }

    /// Takes a port that the system chooses, and gives it back.
    private static func bind(on loop: DatagramLoop) async -> Result<Int, any Error> {
        do {
            let bound = UDPMux.bind(on: loop, host: "127.0.0.1", port: 0)
            let port = try await bound.map(\.localAddress.port).get()
            try await bound.flatMap { $0.close() }.get()
            return .success(Int(port))
        } catch {
            return .failure(error)
        }
    }
}
