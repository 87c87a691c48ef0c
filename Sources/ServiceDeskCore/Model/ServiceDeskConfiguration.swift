/// How a chat presents itself. Everything has a default.
public struct ServiceDeskConfiguration: Sendable, Hashable, Codable {
    /// Parts of a colour, 0...1.
    public struct Color: Sendable, Hashable, Codable {
        /// Red.
        public var red: Double
        /// Green.
        public var green: Double
        /// Blue.
        public var blue: Double

        /// A colour from its parts.
        public init(red: Double, green: Double, blue: Double) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// What holds where neither the chat nor the application has a colour.
        public static let fallback = Color(red: 0, green: 0.4784313725, blue: 1)
    }

    /// Whom the support sees.
    public var userName = "Guest"
    /// The title of the chat.
    public var chatTitle = "Support"
    /// Shown before the first comment; nil for none.
    public var welcomeMessage: String?
    /// Nil takes the application's tint, and without one `Color.fallback`.
    public var themeColor: Color?
    /// A picture file's bytes for authors of the support without a picture of their own; nil for none.
    public var avatarForSupport: [UInt8]?

    /// The defaults.
    public init() {}

    /// Reads what is there; what is left out has its default.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        userName = try fields.decodeIfPresent(String.self, forKey: .userName) ?? userName
        chatTitle = try fields.decodeIfPresent(String.self, forKey: .chatTitle) ?? chatTitle
        welcomeMessage = try fields.decodeIfPresent(String.self, forKey: .welcomeMessage)
        themeColor = try fields.decodeIfPresent(Color.self, forKey: .themeColor)
        avatarForSupport = try fields.decodeIfPresent([UInt8].self, forKey: .avatarForSupport)
    }

    /// The colour to use.
    ///
    /// - Parameter tint: the application's own, where it has one.
    public func color(tint: Color? = nil) -> Color { themeColor ?? tint ?? .fallback }

    /// Throws `invalidConfiguration` that names the first field that can't be used.
    public func validate() throws(DeskError) {
        for (field, text) in [("userName", userName), ("chatTitle", chatTitle)]
        where !(1...DeskBounds.nameBytes).contains(text.utf8.count) {
            throw DeskError(.invalidConfiguration, "\(field): use 1 to \(DeskBounds.nameBytes) bytes of UTF-8")
        }
        if let welcomeMessage, welcomeMessage.utf8.count > DeskBounds.bodyBytes {
            throw DeskError(.invalidConfiguration, "welcomeMessage: use at most \(DeskBounds.bodyBytes) bytes")
        }
        if let color = themeColor, ![color.red, color.green, color.blue].allSatisfy({ (0...1).contains($0) }) {
            throw DeskError(.invalidConfiguration, "themeColor: each part is 0 to 1")
        }
    }
}
