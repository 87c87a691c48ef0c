import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import CallServer

/// Documents that are refused before they do harm.
@Suite struct ConfigurationGuardTests {
    private func put(_ document: String, key: String, _ endpoint: ConfigurationEndpoint) -> HTTPResponse {
        var head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: ConfigurationEndpoint.path)
        head.headers.add(name: "Authorization", value: "Basic " + Data("\(key):s".utf8).base64EncodedString())
        var request = HTTPRequest(head)
        request.body = ByteBuffer(string: document)
        return endpoint.respond(to: request)
    }

    @Test func anAdministratorIsNotLockedOut() {
        let service = ServiceConfigurationBox(ServiceConfiguration())
        let one = ConfigurationEndpoint(keyring: APIKeyring(keys: ["a": "s"]), service: service)
        let refused = put(#"{"administrators": ["b"]}"#, key: "a", one)
        #expect(refused.status == .badRequest && String(buffer: refused.body).contains("lock itself out"))
        #expect(put(#"{"administrators": []}"#, key: "a", one).status == .badRequest)
        #expect(put(#"{"administrators": ["a", "b"]}"#, key: "a", one).status == .noContent)
        // With several keys nobody is an administrator by being the only one.
        let two = ConfigurationEndpoint(keyring: APIKeyring(keys: ["a": "s", "b": "s"]), service: service)
        #expect(put("{}", key: "a", two).status == .badRequest)
        #expect(put(#"{"administrators": ["b"]}"#, key: "a", two).status == .badRequest)
        #expect(put("{}", key: "a", one).status == .noContent)
    }

    /// The place is marked by `^`.
    @Test(
        arguments: [
            #"{"teams": {"a": ["u",^]}}"#, #"{"administrators": ["a"],^}"#, "{\n\"keys\": {^]\n}", "{} ^{}",
            "{^'a': 1}",
            #"{"a": 0^1}"#, #"{"a": "\^x"}"#, "^", #"{"a": tru^}"#, String(repeating: "[", count: 128) + "^[[[",
            "{\"a\": \"^\u{1}\"}",
        ])
    func whatIsNoJSONIsSaidWithItsPlace(marked: String) throws {
        let mark = try #require(marked.utf8.firstIndex(of: UInt8(ascii: "^")))
        let before = marked[..<mark].split(separator: "\n", omittingEmptySubsequences: false)
        let text = marked.replacing("^", with: "")
        let error = #expect(throws: ServiceConfigurationError.self) {
            try ServiceConfiguration(json: Data(text.utf8))
        }
        let place = "line \(before.count), column \((before.last?.utf8.count ?? 0) + 1)"
        #expect(error?.problem == "this is no valid JSON at \(place)")
    }

    @Test(
        arguments: [
            "{}", " [ ] ", #"{"a":[1,-0,2.5e+3,1E9,true,false,null,"\u00e9\n\"\\\/",{"b":{}}]}"#, "\"x\"", "-1",
            "{\"ü\" : \"你好\"}\n",
        ])
    func whatIsJSONPasses(text: String) { #expect(JSONGrammar.fault(in: Array(text.utf8)) == nil) }
}
