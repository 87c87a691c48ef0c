/// Draws snapshots; rates are differences of two.
enum DashboardScript {
    static let text = meters + drawing + session

    private static let meters = #"""

        /** Differences of counters between two snapshots. */
        class Counters {
          constructor() { this.before = new Map(); this.now = new Map(); }

          begin(time) {
            this.seconds = this.time ? Math.max(0.2, (time - this.time) / 1000) : 0;
            this.time = time;
            this.before = this.now;
            this.now = new Map();
          }

          /** By how much a counter has grown; null for one that is new. */
          growth(key, value) {
            this.now.set(key, value);
            const before = this.before.get(key);
            return before === undefined || value < before || !this.seconds ? null : value - before;
          }

          bits(key, bytes) {
            const growth = this.growth(key, bytes);
            return growth === null ? null : growth * 8 / this.seconds;
          }
        }

        const counters = new Counters();
        const percent = share => share > 0 && share < 0.001 ? "<0.1 %" : `${(share * 100).toFixed(1)} %`;
        const dash = "–", orDash = (value, text) => value === null || value === undefined ? dash : text(value);
        const lossClass = share => share === null ? "" : share > 0.05 ? "bad" : share > 0.01 ? "warn" : "";
        const gradeOf = score => score >= 80 ? "good" : score >= 60 ? "warn" : "bad";

        """#

    private static let drawing = #"""
        function table(heads, rows) {
          const head = make("tr", {}, ...heads.map(text => make("th", {}, text)));
          const body = rows.map(cells => make("tr", {}, ...cells.map(cell =>
            cell instanceof Node ? cell : make("td", {title: String(cell)}, cell))));
          return make("div", {className: "scroll"}, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
        }

        /** The loss since the last snapshot, as a cell. */
        function lossOf(key, lost, packets) {
          const missing = counters.growth(`${key}/lost`, lost), came = counters.growth(`${key}/packets`, packets);
          const share = missing === null || came === null ? null : came + missing > 0 ? missing / (came + missing) : 0;
          return make("td", {className: lossClass(share)}, orDash(share, percent));
        }

        function layerRows(track) {
          const flags = [track.isMuted && "muted", track.isEncrypted && "encrypted"].filter(Boolean);
          const title = [track.source, track.codec, ...flags].filter(Boolean).join(" · ");
          if (!track.layers.length) return [[title, dash, dash, dash, dash]];
          return track.layers.map((layer, index) => {
            const name = [layer.rid, layer.width ? `${layer.width} px` : "", layer.isLive ? "" : "off"].filter(Boolean).join(" · ");
            const key = `${track.id}/${index}`;
            return [
              index ? `↳ ${name}` : name ? `${title} (${name})` : title, orDash(counters.bits(key, layer.bytes), rate),
              lossOf(key, Math.max(0, layer.lost - layer.recovered), layer.packets), `${layer.jitter} ms`,
              index ? "" : orDash(track.quality, score => make("td", {className: gradeOf(score)}, score))];
          });
        }

        function subscriptionRow(person, each) {
          const rateNow = counters.bits(`${person.id}<${each.track}`, each.bytes);
          return [
            `${each.publisher || "nobody"} · ${each.kind}`, each.isPaused ? "paused" : orDash(rateNow, rate),
            make("td", {className: lossClass(each.loss)}, percent(each.loss)), orDash(each.layer, layer => each.kind === "video" ? layer : dash)];
        }

        function personCard(person) {
          const speaks = person.level > 0;
          const head = make("div", {className: "head"},
            make("h3", {}, person.name || person.identity),
            person.name && person.name !== person.identity ? make("span", {className: "soft"}, person.identity) : null,
            make("span", {className: "chip"}, person.dialect),
            person.state === "active" ? null : make("span", {className: "chip warn"}, person.state),
            person.isHidden ? make("span", {className: "chip"}, "hidden") : null,
            make("span", {className: `chip ${gradeOf(person.quality)}`}, `quality ${person.quality}`),
            speaks ? make("meter", {min: 0, max: 1, value: person.level, title: "speaks"}) : null);
          const line = make("p", {className: "soft"}, [
            `in ${orDash(counters.bits(`${person.id}/in`, person.bytesReceived), rate)}`,
            `out ${orDash(counters.bits(`${person.id}/out`, person.bytesSent), rate)}`,
            `round trip ${orDash(person.roundTrip, ms => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`)}`].join(" · "));
          const rows = person.subscriptions.map(each => subscriptionRow(person, each));
          if (person.unlistedSubscriptions) rows.push([`and ${person.unlistedSubscriptions} more`, "", "", ""]);
          return make("article", {className: speaks ? "card speaking" : "card"}, head, line,
            person.tracks.length ? table(["Sends", "Rate", "Loss", "Jitter", "Quality"], person.tracks.flatMap(layerRows)) : null,
            rows.length ? table(["Gets", "Rate", "Loss", "Layer"], rows) : null);
        }

        function roomSection(room) {
          const count = room.participants.length + room.unlisted;
          return make("section", {},
            make("h2", {}, room.name, " ", make("span", {className: "chip"}, `${count} ${count === 1 ? "participant" : "participants"}`)),
            make("div", {className: "people"}, ...room.participants.map(personCard)),
            room.unlisted ? make("p", {className: "soft"}, `and ${room.unlisted} more, who are not listed`) : null);
        }

        const tile = (name, value) => make("div", {className: "tile"}, make("span", {}, name), make("b", {}, value));

        function draw(snapshot) {
          counters.begin(snapshot.time);
          const people = snapshot.rooms.flatMap(room => room.participants);
          const sections = snapshot.rooms.map(roomSection);
          const sum = name => people.reduce((total, each) =>
            total + Math.max(0, each[name] - (counters.before.get(`${each.id}/${name === "bytesSent" ? "out" : "in"}`) ?? each[name])), 0);
          const total = name => counters.seconds ? rate(sum(name) * 8 / counters.seconds) : dash;
          $("tiles").replaceChildren(
            tile("Rooms", snapshot.rooms.length + snapshot.unlisted),
            tile("Participants", snapshot.rooms.reduce((n, room) => n + room.participants.length + room.unlisted, 0)),
            tile("Tracks", people.reduce((n, each) => n + each.tracks.length, 0)),
            tile("Coming in", total("bytesReceived")), tile("Going out", total("bytesSent")));
          const empty = make("p", {className: "notice"}, "Nobody is here. Rooms appear as soon as somebody joins.");
          $("rooms").replaceChildren(...(sections.length ? sections : [empty]));
        }

        """#

    private static let session = #"""
        function addToJournal(lines) {
          for (const line of lines) {
            const about = [line.personId, line.leftReason ?? line.endReason].filter(Boolean).join(" · ");
            $("journal").prepend(make("li", {},
              make("time", {}, typeof line.timestamp === "number" ? new Date(line.timestamp).toLocaleTimeString() : String(line.timestamp)),
              make("b", {}, line.eventType), make("span", {className: "soft"}, [line.conversationId, about].filter(Boolean).join(" · "))));
          }
          $("journal").querySelector("li.soft")?.remove();
          while ($("journal").children.length > 100) $("journal").lastChild.remove();
        }

        let running;

        function begin(token) {
          running?.abort();
          running = new AbortController();
          sessionStorage.setItem("dashboard-token", token);
          $("login").hidden = true;
          $("notice").hidden = true;
          keepWatching("/dashboard/events", token, {
            open() { $("live").hidden = false; $("state").textContent = "Live, once a second"; $("journal").replaceChildren(); },
            snapshot: draw,
            journal: addToJournal,
            lost() { $("state").textContent = "The server does not answer; trying again"; },
            refused(text) { end(); $("notice").hidden = false; $("notice").className = "notice fail"; $("notice").textContent = text; },
          }, running.signal);
        }

        function end() {
          running?.abort();
          sessionStorage.removeItem("dashboard-token");
          $("live").hidden = true;
          $("login").hidden = false;
          $("token").value = "";
          $("state").textContent = "Not connected";
        }

        $("login").addEventListener("submit", event => { event.preventDefault(); begin($("token").value.trim()); });
        $("leave").addEventListener("click", end);
        const kept = sessionStorage.getItem("dashboard-token");
        if (kept) begin(kept);

        """#
}
