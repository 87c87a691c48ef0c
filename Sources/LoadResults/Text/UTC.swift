/// Moments of the calendar, without a time zone's data.
package enum UTC {
    /// `2026-11-23T05:00:00`, of Unix time.
    package static func text(milliseconds: Int64) -> String {
        // Years 1 to 9999; what lies beyond is a broken clock.
        let seconds = min(max(milliseconds / 1_000, -62_135_596_800), 253_402_300_799)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - days * 86_400
        let (year, month, day) = date(days)
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
        return "\(String(10_000 + year).dropFirst())-\(twoDigits(month))-\(twoDigits(day))T\(time)"
    }

    private static func twoDigits(_ value: Int64) -> String { String(String(100 + value).dropFirst()) }

    /// The civil date of a day since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms").
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
