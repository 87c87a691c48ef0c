internal import ClientNotifications
import Foundation
import GRDB

/// Devices, tokens and keys in SQLite.
enum PushTable {
    static func directory(_ db: Database) throws -> PushDirectory {
        var directory = PushDirectory()
        for row in try Row.fetchAll(db, sql: "SELECT * FROM pushDevice") {
            guard let keys = keys(row) else { continue }
            directory.set(keys, of: PushDevice(person: row["person"], device: row["device"]))
        }
        for row in try Row.fetchAll(db, sql: "SELECT * FROM pushToken ORDER BY registeredAt") {
            guard let target = target(row) else { continue }
            directory.add(target)
        }
        return directory
    }

    private static func keys(_ row: Row) -> PushKeys? {
        guard let current = NotificationKey(id: row["keyId"], bytes: [UInt8](row["key"] as Data)) else { return nil }
        let former = (row["former"] as Data?).flatMap { bytes in
            (row["formerId"] as String?).flatMap { NotificationKey(id: $0, bytes: [UInt8](bytes)) }
        }
        return PushKeys(current: current, madeAt: row["keyMadeAt"], former: former)
    }

    private static func target(_ row: Row) -> PushTarget? {
        guard let channel = PushChannel(rawValue: row["channel"]), let carrier = PushCarrier(rawValue: row["carrier"]),
            let encryption = NotificationEncryption(rawValue: row["encryption"])
        else { return nil }
        return PushTarget(
            device: PushDevice(person: row["person"], device: row["device"]), channel: channel, carrier: carrier,
            token: row["token"], encryption: encryption, registeredAt: row["registeredAt"])
    }

    static func set(_ keys: PushKeys, of device: PushDevice, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO pushDevice (person, device, keyId, key, keyMadeAt, formerId, former) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (person, device) DO UPDATE SET keyId = excluded.keyId, key = excluded.key,
                keyMadeAt = excluded.keyMadeAt, formerId = excluded.formerId, former = excluded.former
                """,
            arguments: [
                device.person, device.device, keys.current.id, Data(keys.current.bytes), keys.madeAt, keys.former?.id,
                keys.former.map { Data($0.bytes) },
            ])
    }

    static func add(_ target: PushTarget, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM pushToken WHERE carrier = ? AND token = ?",
            arguments: [target.carrier.rawValue, target.token])
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO pushToken (person, device, channel, carrier, token, encryption, registeredAt)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                target.device.person, target.device.device, target.channel.rawValue, target.carrier.rawValue,
                target.token, target.encryption.rawValue, target.registeredAt,
            ])
    }

    static func remove(_ device: PushDevice, _ channel: PushChannel, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM pushToken WHERE person = ? AND device = ? AND channel = ?",
            arguments: [device.person, device.device, channel.rawValue])
    }

    static func remove(_ carrier: PushCarrier, _ token: String, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM pushToken WHERE carrier = ? AND token = ?", arguments: [carrier.rawValue, token])
    }

    static func forget(_ device: PushDevice, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM pushDevice WHERE person = ? AND device = ?", arguments: [device.person, device.device])
    }
}
