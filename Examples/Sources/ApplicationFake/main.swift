import Application
import ProviderFake

await Application.run(providers: [.fake(try FakeWorld(pace: .realTime))])
