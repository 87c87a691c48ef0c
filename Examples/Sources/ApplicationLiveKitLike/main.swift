import Application
import ProviderLiveKitLike

await Application.run(providers: [.liveKitLike])
