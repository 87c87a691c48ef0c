import FuzzDriver
import ServiceFuzzing

@main
enum Main {
    static func main() { fuzz { ServiceFuzzing.roomService($0) } }
}
