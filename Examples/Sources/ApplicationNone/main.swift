import Application

await Application.run(providers: [])
