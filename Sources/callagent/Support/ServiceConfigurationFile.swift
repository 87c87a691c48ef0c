import CallServer
import Dispatch
import Foundation

/// The file behind `serve --config`: read at the start, and again at every SIGHUP.
struct ServiceConfigurationFile {
    let path: String

    /// Throws an error that names the file, the setting in it and the remedy.
    func read() throws -> ServiceConfiguration {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ExitStatus.Failure(
                status: .usage, message: "the configuration \(path) can't be read; check its path")
        }
        do {
            return try ServiceConfiguration(json: data)
        } catch {
            throw ExitStatus.Failure(status: .usage, message: "the configuration \(path): \(error)")
        }
    }

    /// Hands every later version to `server`. A file that can't be used changes nothing, and is said on standard error.
    /// The watch lasts as long as the result is kept.
    func watch(_ server: CallServer) -> AnyObject {
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "callagent.configuration"))
        source.setEventHandler {
            do {
                server.reconfigure(try read())
                FileHandle.standardError.write(Data("\(path) is in force\n".utf8))
            } catch {
                FileHandle.standardError.write(Data("\(error); the configuration stays as it was\n".utf8))
            }
        }
        source.resume()
        return SignalWatch(source)
    }
}

private final class SignalWatch {
    private let source: any DispatchSourceSignal

    init(_ source: any DispatchSourceSignal) { self.source = source }

    deinit { source.cancel() }
}
