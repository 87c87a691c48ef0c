import Foundation
import LoadResults

extension RunHeader.Machine {
    /// This one.
    static var present: RunHeader.Machine {
        var name = utsname()
        uname(&name)
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let model = ProcessFiles.text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        return RunHeader.Machine(
            hostname: text(name.nodename), kernel: "\(text(name.sysname)) \(text(name.release))",
            cpuModel: model.flatMap { $0.split(separator: ":").last }.map {
                $0.trimmingCharacters(in: .whitespaces)
            } ?? "", cpuCount: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: Int64(clamping: ProcessInfo.processInfo.physicalMemory))
    }
}

/// A command line as it may be shown.
enum ArgumentList {
    private static let secret: Set = ["--secret", "--token", "--key", "--e2ee-key"]

    /// Without the program's name and the values of secrets.
    static func withoutSecrets(_ arguments: [String]) -> [String] {
        var result: [String] = []
        for argument in arguments.dropFirst() {
            if let last = result.last, secret.contains(last) {
                result.append("...")
            } else if let name = secret.first(where: { argument.hasPrefix($0 + "=") }) {
                result.append(name + "=...")
            } else {
                result.append(Secrets.cut(from: argument))
            }
        }
        return result
    }
}
