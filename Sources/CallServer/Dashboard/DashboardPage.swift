/// The rooms, live, for whoever has an administrator's token.
enum DashboardPage: WatchPage {
    static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Rooms</title>
        <link rel="stylesheet" href="/dashboard/page.css">
        <script src="/dashboard/page.js" defer></script>
        </head>
        <body>
        <header>
        <p class="kicker">callagent serve</p>
        <h1>Rooms</h1>
        <p class="soft" id="state">Not connected</p>
        </header>
        <main>
        <form id="login">
        <label><span>Administrator's token</span><input id="token" type="password" autocomplete="off" spellcheck="false"
        placeholder="callagent token mint --admin" required></label>
        <button>Watch</button>
        </form>
        <p class="notice" id="notice" role="status" hidden></p>
        <div id="live" hidden>
        <div class="tiles" id="tiles"></div>
        <div id="rooms"></div>
        <h2>Journal</h2>
        <section class="card"><ol id="journal"><li class="soft">Nothing has happened yet.</li></ol></section>
        <p><button class="quiet" id="leave" type="button">Forget the token</button></p>
        </div>
        </main>
        <footer>This page loads nothing from elsewhere. The token stays in this tab.</footer>
        </body>
        </html>

        """

    static let script = EventScript.text + DashboardScript.text
}
