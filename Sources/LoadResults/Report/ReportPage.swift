/// A run as one HTML file: charts are drawings in it, there is no script, and nothing is loaded from anywhere. It is made for
/// phones, wide screens, dark ones and paper.
package enum ReportPage {
    /// The page. Every name that came from outside is escaped; what would load or run something is forbidden by the page's
    /// own policy besides.
    package static func html(_ results: LoadResults) -> String {
        let axis = TimeAxis(results)
        let title = Markup.escape(results.run.scenario ?? "Load test")
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="generator" content="\(Markup.escape("\(results.run.tool) \(results.run.toolVersion)"))">
            <meta name="color-scheme" content="light dark">
            <title>\(title) · \(UTC.text(milliseconds: results.run.timestamp))Z</title>
            <style>\(ReportStyle.css)</style>
            </head>
            <body>
            \(ReportHeader(results: results).html)
            <main>
            \(TimeCharts(results: results, axis: axis).html)\(PercentileTable(results: results).html)\
            \(ParticipantSections(results: results, axis: axis).html)\(TesterSection(results: results, axis: axis).html)\
            \(RunDetails(results: results).html)
            </main>
            <footer>\(Markup.escape("\(results.run.tool) \(results.run.toolVersion)")). \
            This file loads nothing and runs nothing.</footer>
            </body>
            </html>

            """
    }

    static func section(_ title: String, _ id: String, _ content: String) -> String {
        content.isEmpty ? "" : "<section id=\"\(id)\"><h2>\(title)</h2>\n\(content)</section>\n"
    }
}
