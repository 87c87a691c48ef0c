import Foundation
import LoadResults

/// Results files, with words for people where something is wrong with one.
enum ResultsOnDisk {
    static func read(_ path: String) throws -> LoadResults {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ExitStatus.Failure(
                status: .environment,
                message: "the results \(path) can't be read: \(FileFault.words(error)); check the path")
        }
        do throws(ResultsFileError) {
            return try ResultsFile.read(data)
        } catch {
            throw ExitStatus.Failure(status: .usage, message: "\(path): \(error)")
        }
    }

    static func write(_ results: LoadResults, to path: String) throws {
        let data: Data
        do throws(ResultsFileError) {
            data = try ResultsFile.data(results)
        } catch {
            throw ExitStatus.Failure(status: .lost, message: "the results can't be written: \(error)")
        }
        try write(data, to: path)
    }

    /// The whole file or none.
    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ExitStatus.Failure(
                status: .environment,
                message: "\(path) can't be written: \(FileFault.words(error)); choose another path or free some space")
        }
    }
}
