/// Hands over to libFuzzer, which reads the options from the command line and calls `body` with every input.
///
/// Never returns but to end the process with libFuzzer's own status.
package func fuzz(_ body: @escaping (UnsafeRawBufferPointer) -> Void) {
    run = body
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    let status = runDriver(&count, &arguments) { bytes, length in
        run(UnsafeRawBufferPointer(start: bytes, count: length))
        return 0
    }
    precondition(status == 0, "libFuzzer ended with status \(status)")
}

/// Set once before the driver runs on this same thread.
nonisolated(unsafe) private var run: (UnsafeRawBufferPointer) -> Void = { _ in }

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
