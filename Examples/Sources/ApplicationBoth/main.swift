import Application
import ProviderFake
import ProviderLiveKitLike

await Application.run(providers: [.liveKitLike, .fake(try FakeWorld(pace: .realTime))])
