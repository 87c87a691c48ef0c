import Foundation
import Synchronization
import Testing

@testable import ClientStorage

/// A folder that is gone with its test.
private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "preferences-\(UUID().uuidString)"

    init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

private struct Stop: Error {}

@Suite(.timeLimit(.minutes(10))) struct FilePreferenceStoreTests {
    @Test func valuesStay() throws {
        let folder = Folder()
        let store = try FilePreferenceStore(directory: folder.path + "/p")
        #expect(try store.value("device") == nil)
        try store.set([1, 2, 3], "device")
        #expect(try FilePreferenceStore(directory: folder.path + "/p").value("device") == [1, 2, 3])
        let count = try store.update("device") { value in
            value?.append(4)
            return value?.count
        }
        #expect(count == 4)
        try store.set(nil, "device")
        #expect(try store.value("device") == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/p")[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test(arguments: ["", ".lock", "..", "a/b", "a\0b", "ä", String(repeating: "x", count: 65)])
    func namesLeadNowhere(name: String) throws {
        let folder = Folder()
        let store = try FilePreferenceStore(directory: folder.path)
        let fault = #expect(throws: PreferenceFault.self) { try store.set([1], name) }
        #expect(fault?.kind == .name)
        #expect(folder.names == [".lock"])
    }

    /// A kill at any step: the old value or the new one, never a part.
    @Test(arguments: FilePreferenceStore.Step.allCases) func aKillAtAnyStep(step: FilePreferenceStore.Step) throws {
        let folder = Folder()
        try FilePreferenceStore(directory: folder.path).set([1, 1, 1], "value")
        let killed = try FilePreferenceStore(directory: folder.path) { if $0 == step { throw Stop() } }
        #expect(throws: Stop.self) { try killed.set([2, 2], "value") }
        let after = try FilePreferenceStore(directory: folder.path)
        #expect(try after.value("value") == (step == .renamed ? [2, 2] : [1, 1, 1]))
        #expect(folder.names == [".lock", "value"])
    }

    @Test func whatAKilledProcessLeft() throws {
        let folder = Folder()
        try Data([9]).write(to: URL(fileURLWithPath: folder.path + "/.new-value"))
        let store = try FilePreferenceStore(directory: folder.path)
        #expect(folder.names == [".lock"])
        #expect(try store.value("value") == nil)
    }

    @Test func symbolicLinksAreNotFollowed() throws {
        let folder = Folder()
        let store = try FilePreferenceStore(directory: folder.path)
        let outside = folder.path + "-outside"
        try Data([7]).write(to: URL(fileURLWithPath: outside))
        defer { try? FileManager.default.removeItem(atPath: outside) }
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/value", withDestinationPath: outside)
        #expect(throws: PreferenceFault.self) { try store.value("value") }
        #expect(throws: PreferenceFault.self) { try store.set([1], "value") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: outside)) == Data([7]))
    }

    /// A reader of a pipe would wait for somebody who writes.
    @Test func pipesAreNotWaitedFor() throws {
        let folder = Folder()
        let store = try FilePreferenceStore(directory: folder.path)
        #expect(mkfifo(folder.path + "/value", 0o600) == 0)
        #expect(throws: PreferenceFault.self) { try store.value("value") }
        #expect(throws: PreferenceFault.self) { try store.set([1], "value") }
        #expect(throws: PreferenceFault.self) { try PreferenceKey.file(folder.path + "/value") }
    }

    @Test func bounds() throws {
        let folder = Folder()
        let store = try FilePreferenceStore(directory: folder.path)
        let longest = [UInt8](repeating: 5, count: FilePreferenceStore.longest)
        try store.set(longest, "value")
        #expect(try store.value("value") == longest)
        let fault = #expect(throws: PreferenceFault.self) { try store.set(longest + [5], "value") }
        #expect(fault?.kind == .tooLong)
        #expect(throws: PreferenceFault.self) { try FilePreferenceStore(directory: folder.path + "/no/such") }
    }

    /// Each of eight threads adds 50: with a lock for each process none is lost.
    @Test func changesWaitForOneAnother() async throws {
        let folder = Folder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let store = try FilePreferenceStore(directory: folder.path)
                    for _ in 0..<50 {
                        try store.update("count") { value in
                            value = Array("\((Int(String(decoding: value ?? [48], as: UTF8.self)) ?? 0) + 1)".utf8)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let value = try FilePreferenceStore(directory: folder.path).value("count")
        #expect(value.map { String(decoding: $0, as: UTF8.self) } == "400")
    }

    /// Another process holds the lock: a change waits until that process is gone, a reader does not.
    @Test func anotherProcess() async throws {
        let folder = Folder()
        let store = try FilePreferenceStore(directory: folder.path)
        try store.set([1], "value")
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        other.arguments = [folder.path + "/.lock", "sh", "-c", "echo locked; cat > /dev/null"]
        let (output, input) = (Pipe(), Pipe())
        other.standardOutput = output
        other.standardInput = input
        try other.run()
        #expect(output.fileHandleForReading.readData(ofLength: 7) == Data("locked\n".utf8))
        let hasChanged = Mutex(false)
        let change = Task.detached {
            try store.set([2], "value")
            hasChanged.withLock { $0 = true }
        }
        #expect(try store.value("value") == [1])
        #expect(!hasChanged.withLock { $0 })
        kill(other.processIdentifier, SIGKILL)
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
        try await change.value
        #expect(try store.value("value") == [2])
    }
}

@Suite struct EncryptedPreferenceStoreTests {
    private static let key = [UInt8](repeating: 3, count: 32)

    @Test func nothingCanBeRead() throws {
        let folder = Folder()
        let files = try FilePreferenceStore(directory: folder.path)
        let store = try EncryptedPreferenceStore(files, key: Self.key)
        let secret = Array("the device's secret".utf8)
        try store.set(secret, "device")
        #expect(try store.value("device") == secret)
        let kept = try #require(try files.value("device"))
        #expect(!String(decoding: kept, as: UTF8.self).contains("secret"))
        #expect(try store.update("device") { $0?.count } == secret.count)
        #expect(try files.value("device") == kept, "nothing has changed")
        try store.set(nil, "device")
        #expect(try store.value("device") == nil)
    }

    @Test func whatWasChanged() throws {
        let folder = Folder()
        let files = try FilePreferenceStore(directory: folder.path)
        let store = try EncryptedPreferenceStore(files, key: Self.key)
        try store.set([1, 2, 3], "a")
        let kept = try #require(try files.value("a"))
        for index in kept.indices {
            var changed = kept
            changed[index] ^= 1
            try files.set(changed, "a")
            let fault = #expect(throws: PreferenceFault.self, "byte \(index)") { try store.value("a") }
            #expect(fault?.kind == .notAuthentic)
        }
        for length in 0..<kept.count {
            try files.set(Array(kept.prefix(length)), "a")
            #expect(throws: PreferenceFault.self, "cut at \(length)") { try store.value("a") }
        }
        try files.set(kept, "b")
        #expect(throws: PreferenceFault.self, "another name's") { try store.value("b") }
        let other = try EncryptedPreferenceStore(files, key: [UInt8](repeating: 4, count: 32))
        try files.set(kept, "a")
        #expect(throws: PreferenceFault.self, "another key") { try other.value("a") }
        #expect(throws: PreferenceFault.self) { try EncryptedPreferenceStore(files, key: [1]) }
    }

    @Test func keysOfFiles() throws {
        let folder = Folder()
        let path = folder.path + "/key"
        let key = try PreferenceKey.file(path)
        #expect(key.count == 32 && key != [UInt8](repeating: 0, count: 32))
        #expect(try PreferenceKey.file(path) == key)
        #expect(folder.names == ["key"])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: PreferenceFault.self) { try PreferenceKey.file(path) }
        #expect(throws: PreferenceFault.self) { try PreferenceKey.file(folder.path) }
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/short"))
        #expect(throws: PreferenceFault.self) { try PreferenceKey.file(folder.path + "/short") }
    }
}
