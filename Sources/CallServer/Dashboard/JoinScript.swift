/// Joins, and shows everybody who sends something.
enum JoinScript {
    static let text = tiles + ways + session

    private static let tiles = #"""

        const people = new Map();  // identity: what shows them

        function addTile(identity, name, stream, isOwn) {
          const video = make("video", {autoplay: true, playsInline: true, muted: isOwn, srcObject: stream});
          const note = make("span", {className: "soft"}, isOwn ? "you" : "connecting");
          const card = make("article", {className: "card"}, video, make("div", {className: "head"}, make("h3", {}, name || identity), note));
          card.dataset.identity = identity;
          $("videos").append(card);
          return {card, note, video};
        }

        function showCount() { $("nobody").hidden = people.size > 0; }

        function fail(error) {
          $("notice").hidden = false;
          $("notice").className = "notice fail";
          $("notice").textContent = error.message ?? String(error);
        }

        """#

    private static let ways = #"""
        /** By WHIP and WHEP: one session that publishes, and one for each of the others. */
        class PlainCall {
          constructor(claims, token) {
            this.room = encodeURIComponent(claims.video?.room ?? "");
            this.identity = claims.sub;
            this.token = token;
          }

          async begin(media) {
            if (media) {
              this.publisher = new HTTPSession(`/whip/${this.room}`, this.token);
              this.publisher.onstate = state => { if (state === "failed") fail(Error("the connection to the server is lost; join again")); };
              await this.publisher.begin(pc => media.stream.getTracks().forEach(track =>
                pc.addTransceiver(track, {direction: "sendonly", streams: [media.stream]})));
            }
            this.watching = new AbortController();
            const refused = text => fail(Error(text));
            keepWatching("/join/events", this.token, {snapshot: list => this.update(list.publishers), refused}, this.watching.signal);
          }

          update(publishers) {
            const present = new Set(publishers.map(each => each.identity));
            for (const [identity, person] of people) if (!present.has(identity)) this.forget(identity, person);
            for (const each of publishers) if (each.identity !== this.identity && !people.has(each.identity)) this.show(each);
            showCount();
          }

          show({identity, name}) {
            const stream = new MediaStream(), tile = addTile(identity, name, stream, false);
            const session = new HTTPSession(`/whep/${this.room}/${encodeURIComponent(identity)}`, this.token);
            people.set(identity, {tile, session});
            session.onstate = state => {
              tile.note.textContent = state === "connected" ? "" : state;
              if (state === "failed") this.forget(identity, {tile, session});
            };
            session.begin(pc => {
              pc.ontrack = ({track}) => stream.addTrack(track);
              for (const kind of ["audio", "video"]) pc.addTransceiver(kind, {direction: "recvonly"});
            }).catch(error => { tile.note.textContent = error.message; });
          }

          forget(identity, {tile, session}) {
            session.end();
            tile.card.remove();
            people.delete(identity);
          }

          end() {
            this.watching?.abort();
            this.publisher?.end();
            for (const [identity, person] of people) this.forget(identity, person);
          }
        }

        /** By LiveKit's browser client, which the server has been given. */
        class LiveKitCall {
          constructor(claims, token) { this.token = token; }

          async begin(media) {
            const {Room, RoomEvent} = LivekitClient, room = this.room = new Room();
            const tileOf = ({identity, name}) => {
              if (!people.has(identity)) people.set(identity, {tile: addTile(identity, name, new MediaStream(), false)});
              return people.get(identity).tile;
            };
            room.on(RoomEvent.TrackSubscribed, (track, _, participant) => {
              const tile = tileOf(participant);
              tile.video.srcObject.addTrack(track.mediaStreamTrack);
              tile.note.textContent = "";
              showCount();
            });
            room.on(RoomEvent.ParticipantDisconnected, ({identity}) => {
              people.get(identity)?.tile.card.remove();
              people.delete(identity);
              showCount();
            });
            room.on(RoomEvent.Disconnected, () => { $("state").textContent = "Not in a room any more"; });
            await room.connect(location.origin.replace(/^http/, "ws"), this.token);
            for (const track of media?.stream.getTracks() ?? []) await room.localParticipant.publishTrack(track);
          }

          end() {
            this.room?.disconnect();
            for (const {tile} of people.values()) tile.card.remove();
            people.clear();
          }
        }

        """#

    private static let session = #"""
        let call, media, ownTile;

        /** What a token says; only the server can tell whether it holds. */
        function read(token) {
          try {
            const bytes = Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
            return JSON.parse(new TextDecoder().decode(bytes));
          } catch { throw Error("this is no access token; callagent token mint makes one"); }
        }

        async function join() {
          $("go").disabled = true;
          $("notice").hidden = true;
          try {
            const token = $("token").value.trim(), claims = read(token);
            sessionStorage.setItem("join-token", token);
            media = await ownMedia($("source").value);
            call = $("way").value === "livekit" ? new LiveKitCall(claims, token) : new PlainCall(claims, token);
            await call.begin(media);
            if (media) ownTile = addTile(claims.sub, claims.name, media.stream, true);
            $("join").hidden = true;
            $("inside").hidden = false;
            $("state").textContent = `In room ${claims.video?.room} as ${claims.name || claims.sub}`;
            showCount();
          } catch (error) {
            leave();
            fail(error);
          } finally { $("go").disabled = false; }
        }

        function leave() {
          call?.end();
          media?.stop();
          ownTile?.card.remove();
          call = media = ownTile = undefined;
          $("join").hidden = false;
          $("inside").hidden = true;
          $("state").textContent = "Not in a room";
        }

        $("join").addEventListener("submit", event => { event.preventDefault(); join(); });
        $("leave").addEventListener("click", leave);
        addEventListener("pagehide", () => call?.end());
        $("token").value = sessionStorage.getItem("join-token") ?? "";
        // The client is there where the user has supplied it.
        document.head.append(make("script", {
          src: "/join/livekit-client.js",
          onload() {
            const option = document.querySelector("option[value=livekit]");
            option.disabled = false;
            option.textContent = "LiveKit's client";
          }}));

        """#
}
