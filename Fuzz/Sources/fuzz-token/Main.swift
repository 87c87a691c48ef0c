import FuzzDriver
import SignallingFuzzing

@main
enum Main {
    static func main() { fuzz { SignallingFuzzing.token($0) } }
}
