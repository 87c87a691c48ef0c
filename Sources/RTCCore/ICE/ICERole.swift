/// Which side decides what pair is used, RFC 8445 section 6.1.1. The offerer begins as the controlling one; a full
/// agent against a lite one always controls.
package enum ICERole: UInt8, Sendable, Hashable {
    case controlling
    case controlled

    /// The other role.
    package var opposite: ICERole { self == .controlling ? .controlled : .controlling }
}
