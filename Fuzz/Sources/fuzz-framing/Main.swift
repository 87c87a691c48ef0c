import FuzzDriver
import WireFuzzing

@main
enum Main {
    static func main() { fuzz { WireFuzzing.framing($0) } }
}
