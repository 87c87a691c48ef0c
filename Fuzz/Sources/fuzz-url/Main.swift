import AccessFuzzing
import FuzzDriver

@main
enum Main {
    static func main() { fuzz { AccessFuzzing.url($0) } }
}
