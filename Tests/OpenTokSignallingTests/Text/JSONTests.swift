import Testing

@testable import OpenTokSignalling

@Suite struct JSONTests {
    private func read(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test func everyKindOfValue() throws {
        let json = try read(#" {"a" : [1, -2.5e1, true, false, null, "x", {}, []], "b": 9223372036854775807} "#)
        #expect(json["a"] == [1, .number(-25), true, false, .null, "x", [:], []])
        #expect(json["b"] == .integer(.max))
        #expect(json["c"] == nil)
        #expect(try read("9223372036854775808") == .number(9_223_372_036_854_775_808))
    }

    @Test func escapes() throws {
        #expect(try read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == "\"\\/\u{8}\u{c}\n\r\té😀")
        #expect(try read(#""\ud83dx\ude00\ud83d\u0041""#) == "\u{fffd}x\u{fffd}\u{fffd}A")
    }

    @Test("A document with names in order, that reads the same again")
    func roundTrip() throws {
        let json: JSON = ["z": 1, "a": ["b\n\u{1}\"\\": .number(0.5)], "ž": .null]
        #expect(json.text == #"{"a":{"b\n\u0001\"\\":0.5},"z":1,"ž":null}"#)
        #expect(try JSON(parsing: json.bytes) == json)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "01", "1.", "-", "+1", "tru", "\"", "\"\\x\"", "\"\\u12g4\"",
        "\"\u{1}\"", "1 2", "nan", "1e999", "[1 2]", "\u{feff}1",
    ])
    func noDocument(text: String) { #expect(throws: JSONFault.self) { try read(text) } }

    @Test func brokenUTF8() {
        #expect(throws: JSONFault.self) { try JSON(parsing: [0x22, 0xff, 0x22]) }
        #expect(throws: JSONFault.self) { try JSON(parsing: [0x22, 0xed, 0xa0, 0x80, 0x22]) }
    }

    @Test("Depth is bounded, so that no document uses up the stack")
    func depth() throws {
        let deep = String(repeating: "[", count: JSONReader.maximumDepth)
        #expect(throws: Never.self) { try read(deep + String(repeating: "]", count: JSONReader.maximumDepth)) }
        let fault = #expect(throws: JSONFault.self) { try read(String(repeating: "[", count: 1_000_000)) }
        #expect(fault?.offset == JSONReader.maximumDepth)
        #expect(throws: JSONFault.self) { try read(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("What is wrong is named with its place and a remedy")
    func fields() throws {
        let fields = try JSONFields(
            read(#"{"channel": [{"id": "a", "width": 1.5}], "n": null, "long": "xxxx", "w": "tree", "f": 1}"#))
        #expect(try fields.optionalText("n") == nil)
        func problem(_ body: () throws -> Void) -> String {
            #expect(throws: MessageFault.self, performing: body)?.description ?? ""
        }
        #expect(
            problem { _ = try fields.objects("channel", limit: 1)[0].integer("width", in: 0...9) }
                == "channel[0].width: no whole number from 0 to 9")
        #expect(problem { _ = try fields.text("none") } == "none: missing; this member is required")
        #expect(problem { _ = try fields.text("long", limit: 3) } == "long: 4 bytes; send at most 3")
        #expect(
            problem { _ = try fields.word("w", OpenTokVideoType.self) }
                == "w: none of its words; send one of camera, screen, custom")
        #expect(problem { _ = try fields.flag("f") } == "f: no truth value; send true or false")
        #expect(problem { _ = try fields.list("channel", limit: 0) } == "channel: 1 elements; send at most 0")
        #expect(problem { _ = try JSONFields([]) } == "no object; send {...}")
    }
}
