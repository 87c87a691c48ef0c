import FuzzDriver
import ServiceFuzzing

@main
enum Main {
    static func main() { fuzz { ServiceFuzzing.configuration($0) } }
}
