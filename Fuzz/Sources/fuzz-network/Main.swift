import FuzzDriver
import SimFuzzing

@main
enum Main {
    static func main() { fuzz { SimFuzzing.network($0) } }
}
