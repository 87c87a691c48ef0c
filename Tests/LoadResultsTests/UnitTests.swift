import Testing

@testable import LoadResults

@Suite struct UnitTests {
    @Test(arguments: [
        (MetricUnit.milliseconds, "250us", 0.25), (.milliseconds, "1.5s", 1_500), (.milliseconds, "2min", 120_000),
        (.seconds, "250ms", 0.25), (.ratio, "1%", 0.01), (.ratio, "0.5", 0.5), (.perSecond, "120/min", 2),
        (.bitsPerSecond, "2.5Mbit/s", 2_500_000), (.bitsPerSecond, "600 kbps", 600_000), (.bytes, "60MiB", 62_914_560),
        (.bytes, "2kB", 2_000), (.cores, "150%", 1.5), (.count, " 12 ", 12), (.count, "-3", -3),
    ])
    func values(unit: MetricUnit, text: String, value: Double) { #expect(unit.value(text[...]) == value) }

    @Test(arguments: [
        (MetricUnit.milliseconds, "5 apples"), (.milliseconds, ""), (.milliseconds, "ms"), (.count, "3ms"),
        (.ratio, "nan"), (.ratio, "inf"), (.bytes, "1e999"), (.perSecond, "--3"), (.cores, "1,5"),
    ])
    func noValues(unit: MetricUnit, text: String) { #expect(unit.value(text[...]) == nil) }

    @Test(arguments: [
        (MetricUnit.milliseconds, 0.02, "0.020 ms"), (.milliseconds, 9_999, "9,999 ms"),
        (.milliseconds, 60_000, "60.0 s"),
        (.seconds, 1.25, "1.25 s"), (.ratio, 0.001, "0.10 %"), (.ratio, 1, "100.0 %"), (.perSecond, 50, "50.0 /s"),
        (.bitsPerSecond, 12, "12 bit/s"), (.bitsPerSecond, 3e12, "3.00 Tbit/s"), (.bytes, 512, "512 B"),
        (.cores, 0.634, "0.63 cores"), (.count, 1_234_567, "1,234,567"),
    ])
    func words(unit: MetricUnit, value: Double, text: String) { #expect(unit.text(value) == text) }

    @Test(arguments: [
        (MetricUnit.ratio, 0.025, 0.1, "2.5 %"), (.cores, 1.5, 2, "1.5"), (.count, 2_500, 10_000, "2.5 k"),
        (.count, 40, 100, "40"), (.milliseconds, 2_500, 10_000, "2.5 s"), (.milliseconds, 2_500, 4_000, "2,500 ms"),
        (.milliseconds, 0, 10, "0"), (.bitsPerSecond, 2_500_000, 5e6, "2.5 Mbit/s"), (.bytes, 1_048_576, 4e6, "1 MiB"),
    ])
    func labelsOfAScale(unit: MetricUnit, value: Double, top: Double, text: String) {
        #expect(unit.tick(value, top: top) == text)
    }

    @Test(arguments: MetricUnit.allOfThem)
    func whatIsWrittenIsReadAgain(unit: MetricUnit) throws {
        for value in [0.0, 0.25, 7, 42, 250] {
            let text = unit.text(value).filter { $0 != "," }
            let read = try #require(unit.value(text[...]), "\(text)")
            #expect(abs(read - value) <= max(0.5, value * 0.01), "\(text)")
        }
    }

    @Test func possibleUnitsAreNamed() {
        #expect(MetricUnit.count.possible == "it has no unit")
        #expect(MetricUnit.milliseconds.possible == "possible are min, ms, s, us")
    }

    @Test(arguments: [
        (0, "0:00"), (59, "0:59"), (65, "1:05"), (3_599, "59:59"), (3_600, "1:00:00"), (36_061, "10:01:01"),
    ])
    func moments(second: Int, text: String) { #expect(TimeAxis.label(second) == text) }

    @Test(arguments: [
        ("<b>", "&lt;b&gt;"), ("\"a\" & 'b'", "&quot;a&quot; &amp; &#39;b&#39;"), ("a\nb\tc", "a b c"),
        ("\u{7}", "\u{FFFD}"), ("\u{2066}x", "\u{FFFD}x"), ("\u{FFFE}", "\u{FFFD}"),
        ("gr\u{FC}n \u{1F600}", "gr\u{FC}n \u{1F600}"),
    ])
    func markup(text: String, escaped: String) { #expect(Markup.escape(text) == escaped) }
}

extension MetricUnit {
    fileprivate static let allOfThem: [MetricUnit] = [
        .milliseconds, .seconds, .ratio, .perSecond, .bitsPerSecond, .bytes, .cores, .count,
    ]
}
