import Foundation
import ServiceDesk
import ServiceDeskCore
import Testing

@Suite struct AttachmentTests {
    private struct Scripted: AttachmentChooser {
        let label: String
        let choice: AttachmentChoice

        func choose() async throws -> AttachmentChoice { choice }
    }

    @Test func theApplicationAddsOneEntry() async throws {
        var menu = AttachmentMenu([Scripted(label: "Photo", choice: .cancelled)])
        #expect(menu.labels == ["Photo"])
        menu.register(Scripted(label: "Scanner", choice: .chosen(bytes: [1], url: "file:///tmp/scan.pdf")))
        menu.register(Scripted(label: "Cloud", choice: .chosen(bytes: [1, 2], url: "https://cloud/a/scan.pdf")))
        #expect(menu.labels == ["Photo", "Cloud"])
        let file = try #require(try await menu.choose("Cloud"))
        #expect(file.name == "scan.pdf" && file.bytes == [1, 2])
        #expect(try await menu.choose("Photo") == nil)
        menu.register(nil)
        #expect(menu.labels == ["Photo"])
        await #expect(throws: DeskError.self) { try await menu.choose("Cloud") }
    }

    @Test func whatCannotBeSent() async throws {
        var menu = AttachmentMenu()
        menu.register(Scripted(label: "Empty", choice: .chosen(bytes: [], url: "x")))
        do { _ = try await menu.choose("Empty") } catch { #expect((error as? DeskError)?.code == .emptyAttachment) }
        #expect(throws: DeskError.self) { try DeskFile(name: "x", bytes: []) }
        let largest = [UInt8](repeating: 0, count: 16 * 1024 * 1024)
        #expect(try DeskFile(name: "x", bytes: largest).bytes.count == largest.count)
        #expect(throws: DeskError.self) { try DeskFile(name: "x", bytes: largest + [0]) }
    }

    @Test func filesOfTheDisk() async throws {
        let path = NSTemporaryDirectory() + "desk-\(UUID().uuidString).txt"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let chooser = FileAttachmentChooser(path: path)
        await #expect(throws: DeskError.self) { try await chooser.choose() }
        try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try await chooser.choose() == .chosen(bytes: Array("hello".utf8), url: path))
        await #expect(throws: DeskError.self) { try await FileAttachmentChooser(path: "/tmp").choose() }
    }

    @Test func generatedOnesAreTheSame() async throws {
        let first = try await GeneratedAttachmentChooser(size: 100, seed: 3).choose()
        #expect(try await GeneratedAttachmentChooser(size: 100, seed: 3).choose() == first)
        #expect(try await GeneratedAttachmentChooser(size: 100, seed: 4).choose() != first)
    }

    @Test func aStoreOutlivesTheProcess() throws {
        let path = NSTemporaryDirectory() + "desk-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = LocalStoreFile(path: path)
        #expect(try file.read() == nil)
        let store = DeskLocalStore()
        try file.write(store)
        try file.write(store)
        #expect(try file.read() == store)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DeskError.self) { try file.read() }
        #expect(throws: DeskError.self) { try LocalStoreFile(path: "/nowhere/at/all/x").write(store) }
        let left = try FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())
        #expect(!left.contains { $0.hasPrefix((path as NSString).lastPathComponent + ".") })
    }
}
