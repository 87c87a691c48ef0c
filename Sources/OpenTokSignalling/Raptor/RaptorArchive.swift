/// An archive, as clients hear of it.
package struct RaptorArchive: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case started, paused, stopped, failed, available, uploaded, expired
    }

    package var id: String
    package var name: String
    package var status: Status

    package init(id: String, name: String = "", status: Status) {
        self.id = id
        self.name = name
        self.status = status
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        id = try fields.identifier("id")
        name = try fields.optionalText("name", limit: 1024) ?? ""
        status = try fields.word("status")
    }

    var json: JSON { ["id": .string(id), "name": .string(name), "status": .string(status.rawValue)] }
}
