import RTCWire

/// Remote address to flow, and to the ready-made socket address: one probe per datagram, no hashing of structures.
///
/// Open addressing with linear probing over a power of two. Only addresses that an authenticated ICE check vouched for
/// are entered, so nobody outside can make it grow.
struct AddressTable {
    struct Entry {
        var address: TransportAddress
        var socketAddress: RawSocketAddress
        var flow: PeerFlow?
    }

    private let isIPv4: Bool
    private(set) var entries: [Entry] = []
    private var slots: [Int32] = [Int32](repeating: -1, count: 64)

    /// - Parameter isIPv4: the family of the socket that sends to these addresses.
    init(isIPv4: Bool) { self.isIPv4 = isIPv4 }

    /// The position of `address` among `entries`, or -1.
    func find(_ address: TransportAddress) -> Int {
        let mask = slots.count - 1
        var slot = AddressTable.hash(address) & mask
        while true {
            let entry = Int(slots[slot])
            if entry < 0 { return -1 }
            if entries[entry].address == address { return entry }
            slot = (slot + 1) & mask
        }
    }

    /// Binds `address` to `flow`, replacing an earlier owner.
    mutating func insert(_ address: TransportAddress, flow: PeerFlow) {
        let found = find(address)
        if found >= 0 {
            guard entries[found].flow !== flow else { return }
            entries[found].flow?.boundAddresses -= 1
            entries[found].flow = flow
            flow.boundAddresses += 1
            return
        }
        flow.boundAddresses += 1
        entries.append(Entry(address: address, socketAddress: RawSocketAddress(address, forIPv4: isIPv4), flow: flow))
        if entries.count * 2 > slots.count { rebuild(slotCount: slots.count * 2) } else { place(entries.count - 1) }
    }

    /// An address as the kernel takes it: the ready-made one where it is bound.
    func socketAddress(of address: TransportAddress) -> RawSocketAddress {
        let found = find(address)
        return found >= 0 ? entries[found].socketAddress : RawSocketAddress(address, forIPv4: isIPv4)
    }

    /// How many addresses are bound to `flow`.
    func count(of flow: PeerFlow) -> Int { flow.boundAddresses }

    /// Forgets every address of `flow`.
    mutating func remove(_ flow: PeerFlow) { remove { $0.flow === flow } }

    /// Forgets addresses.
    mutating func remove(where isObsolete: (Entry) -> Bool) {
        entries.removeAll { entry in
            guard isObsolete(entry) else { return false }
            entry.flow?.boundAddresses -= 1
            return true
        }
        rebuild(slotCount: slots.count)
    }

    private mutating func rebuild(slotCount: Int) {
        slots = [Int32](repeating: -1, count: slotCount)
        for index in entries.indices { place(index) }
    }

    private mutating func place(_ index: Int) {
        let mask = slots.count - 1
        var slot = AddressTable.hash(entries[index].address) & mask
        while slots[slot] >= 0 { slot = (slot + 1) & mask }
        slots[slot] = Int32(index)
    }

    static func hash(_ address: TransportAddress) -> Int {
        var value =
            address.low ^ (address.high &* 0x9e37_79b9_7f4a_7c15) ^ (UInt64(address.port) &* 0xff51_afd7_ed55_8ccd)
        value ^= value >> 32
        value = value &* 0xc4ce_b9fe_1a85_ec53
        return Int(truncatingIfNeeded: value >> 33)
    }
}
