import OpenTokSignalling

/// Signs what is no token yet, so that fuzzing reaches what is behind the signature.
enum OpenTokTestSigning {
    static func jwt(_ claims: [UInt8]) -> String {
        guard let json = try? JSON(parsing: claims) else { return "" }
        return OpenTokToken.sign(claims: json, secret: "secret")
    }

    static func plain(_ payload: String) -> String {
        OpenTokToken.sign(payload: payload, project: "12345", secret: "secret")
    }
}
