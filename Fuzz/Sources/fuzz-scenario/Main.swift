import FuzzDriver
import ScenarioFuzzing

@main
enum Main {
    static func main() { fuzz { ScenarioFuzzing.scenario($0) } }
}
