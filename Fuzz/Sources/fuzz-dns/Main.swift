import FuzzDriver
import WireFuzzing

@main
enum Main {
    static func main() { fuzz { WireFuzzing.dns($0) } }
}
