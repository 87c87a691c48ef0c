import CallServer
import Foundation

/// The file behind `serve --config`: read at the start, and again at every SIGHUP.
struct ServiceConfigurationFile {
    let path: String

    /// Throws an error that names the file, the setting in it and the remedy.
    func read() throws -> ServiceConfiguration {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ExitStatus.Failure(
                status: .usage,
                message: "the configuration \(path) can't be read: \(FileFault.words(error)); check its path")
        }
        do {
            return try ServiceConfiguration(json: data)
        } catch {
            throw ExitStatus.Failure(status: .usage, message: "the configuration \(path): \(error)")
        }
    }

    /// From now on SIGHUP hands what the file then says to `server`. A file that can't be used changes nothing, and is said
    /// on standard error.
    func watch(_ server: CallServer) {
        Interruption.onHangUp {
            do {
                server.reconfigure(try read())
                StandardError.line("\(path) is in force")
            } catch {
                StandardError.line("\(error); the configuration stays as it was")
            }
        }
    }
}
