/// Why a message can't be read.
package struct CoBrowsingWireError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
