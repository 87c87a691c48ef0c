import ConversationModel
import Testing

@Suite struct FileNameTests {
    @Test(
        arguments: [
            ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
            ("/etc/shadow", "shadow"), ("C:\\Users\\x\\a.txt", "a.txt"), ("..", "file"), (".", "file"), ("", "file"),
            ("/", "file"), ("a/", "file"), (".bashrc", "bashrc"), ("...hidden", "hidden"), ("a\0b.txt", "ab.txt"),
            ("a\r\nb.txt", "ab.txt"), ("name.txt.", "name.txt"), ("name.txt ", "name.txt"), ("  x", "x"),
            ("CON", "_CON"), ("con.txt", "_con.txt"), ("lpt1.log", "_lpt1.log"), ("contract.txt", "contract.txt"),
            ("\u{202E}gpj.exe", "gpj.exe"), ("a\u{200B}b", "ab"), ("a:b*c?d\"e<f>g|h", "abcdefgh"),
            ("Übersicht 2026.pdf", "Übersicht 2026.pdf"), ("日本語.png", "日本語.png"), ("\u{1B}[31mred", "[31mred"),
        ]) func sanitised(row: (String, String))
    {
        #expect(FileName.sanitised(row.0) == row.1)
        #expect((FileName.fault(row.0) == nil) == (row.0 == row.1))
        #expect(FileName.sanitised(row.1) == row.1, "what is good stays")
    }

    @Test func longNames() {
        let long = String(repeating: "é", count: 300) + ".pdf"
        let name = FileName.sanitised(long)
        #expect(name.utf8.count <= FileName.longest && name.hasSuffix("é.pdf") && FileName.fault(long) != nil)
        #expect(FileName.sanitised(String(repeating: "x", count: 300)).utf8.count == FileName.longest)
        #expect(FileName.sanitised("a." + String(repeating: "x", count: 300)).utf8.count == FileName.longest)
        #expect(FileName.numbered("a.tar", 2) == "a (2).tar" && FileName.numbered("a", 1) == "a (1)")
        #expect(FileName.numbered(name, 12).utf8.count <= FileName.longest)
        #expect(FileName.numbered(name, 12).hasSuffix("é (12).pdf"))
    }

    /// Whatever comes in, a name goes out that is one part of a path.
    @Test func anything() {
        var random = SeededGenerator(7)
        let pool = Array("/\\..\0\n\u{202E}aä:~ CON*|\u{FEFF}é\u{301}".unicodeScalars)
        for _ in 0..<5_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text.append(pool.randomElement(using: &random) ?? "a")
            }
            let name = FileName.sanitised(String(text))
            #expect((1...FileName.longest).contains(name.utf8.count) && FileName.sanitised(name) == name, "\(text)")
            #expect(!name.contains("/") && !name.contains("\\") && name.unicodeScalars.first != ".")
        }
    }
}

@Suite struct FilePolicyTests {
    @Test func typesAndSizes() throws {
        let policy = FilePolicy(types: ["image/*", "application/pdf"], maximumBytes: 10)
        try policy.check(type: "image/png", size: 10)
        try policy.check(type: "IMAGE/PNG; q=1", size: 0)
        try policy.check(type: "application/pdf", size: 1)
        #expect(throws: FilePolicy.Refusal.size(11, maximum: 10)) { try policy.check(type: "image/png", size: 11) }
        for type in ["text/plain", "imagex/png", "application/pdfx", "image"] {
            #expect(throws: FilePolicy.Refusal.self, "\(type)") { try policy.check(type: type, size: 1) }
        }
        try FilePolicy(types: ["*/*"]).check(type: "x/y", size: 1)
        for type in ["a/b", "image/svg+xml", "text/plain; charset=utf-8"] {
            #expect(FilePolicy.isType(type), "\(type)")
        }
        for type in ["", "a", "a/", "/b", "a/b/c", "a b/c", "a/ä", "a/b\r\nX: y"] {
            #expect(!FilePolicy.isType(type), "\(type)")
        }
    }

    @Test(
        arguments: [
            ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], true),
            ("image/png", Array("<html>".utf8), false), ("image/png", Array("GIF89a".utf8), false),
            ("application/pdf", Array("%PDF-1.7".utf8), true), ("application/pdf", [0x4D, 0x5A, 0x90], false),
            ("text/plain", Array("hello\r\n".utf8), true), ("text/plain", [0x68, 0x00], false),
            ("text/plain", Array("  <ScRiPt>".utf8), false), ("text/plain", [0x7F, 0x45, 0x4C, 0x46], false),
            ("text/csv", Array("#!/bin/sh".utf8), false), ("image/x-other", Array("<svg onload=".utf8), false),
            ("audio/flac", [0x7F, 0x45, 0x4C, 0x46], false), ("audio/flac", Array("fLaC".utf8), true),
            ("application/octet-stream", [0x7F, 0x45, 0x4C, 0x46], true), ("text/html", Array("<html>".utf8), true),
            ("image/png", [], true), ("image/bmp", Array("plain words".utf8), false),
        ] as [(String, [UInt8], Bool)]) func content(row: (String, [UInt8], Bool))
    {
        let policy = FilePolicy(types: ["*/*"])
        let isTaken = (try? policy.check(type: row.0, head: row.1)) != nil
        #expect(isTaken == row.2, "\(row)")
    }

    @Test func requests() throws {
        let good = FileRequest(
            clientId: "f1", name: "a.png", type: "image/png", size: 3, sha256: String(repeating: "a", count: 64))
        try good.check()
        let bad: [(inout FileRequest) -> Void] = [
            { $0.clientId = "" }, { $0.name = "../a" }, { $0.type = "png" }, { $0.size = -1 }, { $0.sha256 = "A" },
            { $0.sha256 = String(repeating: "A", count: 64) },
        ]
        for (index, change) in bad.enumerated() {
            var request = good
            change(&request)
            #expect(throws: ConversationFault.self, "\(index)") { try request.check() }
        }
    }
}
