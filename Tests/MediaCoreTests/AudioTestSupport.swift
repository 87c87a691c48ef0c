import Glibc
import MediaCore
import Testing

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A sine of `count` samples.
func sine(_ frequency: Double, count: Int, amplitude: Double = 8_000, rate: Double = 48_000) -> [Int16] {
    (0..<count).map { Int16(amplitude * sin(2 * Double.pi * frequency * Double($0) / rate)) }
}

/// Reads `count` samples per channel, or fewer at the end of the source.
func read(_ source: any AudioSource, _ count: Int, step: Int = 960) -> [Int16] {
    var all: [Int16] = []
    var left = count
    while left > 0 {
        var part = [Int16](repeating: 0x5555, count: min(step, left) * source.channels)
        let got = part.withUnsafeMutableBufferPointer { source.read(into: $0) }
        all += part[..<(got * source.channels)]
        left -= got
        if got < part.count / source.channels { break }
    }
    return all
}

/// The strongest frequency of mono samples at 48 kHz.
func dominantFrequency(_ samples: [Int16]) -> Double? {
    var spectrum = Spectrum(size: 8_192)
    spectrum.analyze(Array(samples.prefix(8_192)))
    return spectrum.dominantFrequency()
}

/// Power of the wanted signal over the power of the difference, in dB.
func signalToNoise(_ wanted: [Int16], _ got: [Int16]) -> Double {
    var signal = 0.0
    var noise = 0.0
    for (a, b) in zip(wanted, got) {
        signal += Double(a) * Double(a)
        noise += (Double(a) - Double(b)) * (Double(a) - Double(b))
    }
    return 10 * log10(signal / max(noise, 1e-9))
}

/// Calls `body` with the path of a directory that is gone afterwards.
func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("/tmp/callbridge-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
        throw MediaError(.environment, "/tmp", "no directory can be made there", remedy: "free space")
    }
    let path = String(cString: made)
    defer {
        for name in fileNames(in: path) { unlink(path + "/" + name) }
        rmdir(path)
    }
    return try body(path)
}

private func fileNames(in directory: String) -> [String] {
    guard let handle = opendir(directory) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// The bytes of a file; empty where there is none.
func fileBytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
}

/// Calls `body` with the path of a device on which nothing fits, as Linux has it at 1:7: of our own where we may make one, so
/// that no other program can have put a file in its place.
func withFullDevice(_ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { directory in
        let own = directory + "/full"
        // Some file systems take the node and refuse to open it.
        let isMade = mknod(own, S_IFCHR | 0o600, makedev(1, 7)) == 0 && access(own, W_OK) == 0 && canOpen(own)
        let path = isMade ? own : "/dev/full"
        var status = stat()
        let isDevice = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == makedev(1, 7)
        try #require(
            isDevice, "\(path) is not the full device 1:7 of Linux; put it back with: mknod -m 666 /dev/full c 1 7")
        try body(path)
    }
}

private func makedev(_ major: UInt, _ minor: UInt) -> dev_t { dev_t(major << 8 | minor) }

private func canOpen(_ path: String) -> Bool {
    let descriptor = open(path, O_WRONLY)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
}
