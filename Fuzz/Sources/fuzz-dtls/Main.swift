import FuzzDriver
import WireFuzzing

@main
enum Main {
    static func main() { fuzz { WireFuzzing.dtls($0) } }
}
