/// Why a text names no network.
package enum NetworkProfileError: Error, Hashable, CustomStringConvertible {
    case noPair(String)
    case noProfile(String)
    case unknown(String)
    case repeated(String)
    case invalid(String, String, range: String)
    case burstWithoutLoss
    case tooLong
    /// A trace file that can't be read: its name, and why.
    case file(String, String)
    /// A file that is no trace.
    case trace(String, NetworkTraceError)

    package var description: String {
        switch self {
        case .noPair(let text):
            "\"\(text)\" is no name=value pair; write for example loss=5,delay=20,jitter=5,seed=1"
        case .noProfile(let text):
            "\"\(text)\" is no profile; use \(NetworkProfile.presets.map(\.name).joined(separator: ", ")), or pairs as "
                + "loss=5,delay=20"
        case .unknown(let name):
            "\"\(name)\" is unknown; use \(NetworkProfile.names.joined(separator: ", ")), with up. or down. before it for "
                + "one direction"
        case .repeated(let name): "\(name) is given twice; give it once"
        case .invalid(let name, let text, let range): "\(name)=\(text) is not possible; use \(range)"
        case .burstWithoutLoss: "burst needs loss, the average share that is lost; add for example loss=5"
        case .tooLong: "the text is too long; use at most 4096 characters, and trace=FILE for more"
        case .file(let name, let reason): "trace=\(name): \(reason); name a file that can be read"
        case .trace(let name, let error): "\(name):\(error)"
        }
    }
}
