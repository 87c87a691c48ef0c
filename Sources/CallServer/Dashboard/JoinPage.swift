/// A page with which a browser joins a room: by WHIP and WHEP, or by LiveKit's own client where the user supplies it.
enum JoinPage: WatchPage {
    static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Join a room</title>
        <link rel="stylesheet" href="/join/page.css">
        <script src="/join/page.js" defer></script>
        </head>
        <body>
        <header>
        <p class="kicker">callagent serve</p>
        <h1>Join a room</h1>
        <p class="soft" id="state">Not in a room</p>
        </header>
        <main>
        <form id="join">
        <label><span>Token of the room</span><input id="token" type="password" autocomplete="off" spellcheck="false"
        placeholder="callagent token mint --room r --identity me" required></label>
        <label><span>Send</span><select id="source">
        <option value="test">a test picture and a tone</option>
        <option value="camera">camera and microphone</option>
        <option value="none">nothing, only watch</option>
        </select></label>
        <label><span>By</span><select id="way">
        <option value="whip">WHIP and WHEP</option>
        <option value="livekit" disabled>LiveKit's client (serve --livekit-client)</option>
        </select></label>
        <button id="go">Join</button>
        </form>
        <p class="notice" id="notice" role="status" hidden></p>
        <div id="inside" hidden>
        <div class="videos" id="videos"></div>
        <p class="soft" id="nobody">Nobody else sends anything yet.</p>
        <p><button class="quiet" id="leave" type="button">Leave</button></p>
        </div>
        </main>
        <footer>This page loads nothing from elsewhere. The token stays in this tab.</footer>
        </body>
        </html>

        """

    static let script = EventScript.text + TestMediaScript.text + HTTPSessionScript.text + JoinScript.text
}
