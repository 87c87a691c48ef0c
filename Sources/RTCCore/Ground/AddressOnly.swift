/// A field that makes its struct one that is lent by address.
///
/// A struct of plain fields is handed to each method that doesn't change it as a copy on the stack: 5 KB of a peer for
/// the question when it wants to be advanced. One that holds a value of an opaque type is only ever pointed at, and so
/// is all that it is a part of. Takes 32 bytes; nobody reads them.
package struct AddressOnly: Sendable {
    private let opaque: (any Sendable)? = nil

    package init() {}
}
