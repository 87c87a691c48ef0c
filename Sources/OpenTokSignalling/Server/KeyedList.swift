/// Values by id, in the order in which they came.
struct KeyedList<Value: Sendable>: Sendable {
    private(set) var ids: [String] = []
    private var values: [String: Value] = [:]

    var count: Int { ids.count }
    var isEmpty: Bool { ids.isEmpty }
    var all: [Value] { ids.compactMap { values[$0] } }

    /// nil takes a value out.
    subscript(id: String) -> Value? {
        get { values[id] }
        set {
            let old = values[id]
            values[id] = newValue
            if old == nil, newValue != nil { ids.append(id) }
            if old != nil, newValue == nil { ids.removeAll { $0 == id } }
        }
    }
}
