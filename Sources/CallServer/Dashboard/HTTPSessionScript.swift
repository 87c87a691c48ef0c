/// WHIP and WHEP in a page: an offer by POST, candidates by PATCH, the end by DELETE (RFC 9725).
enum HTTPSessionScript {
    static let text = #"""

        class HTTPSession {
          constructor(endpoint, token) {
            this.endpoint = endpoint;
            this.token = token;
          }

          request(url, method, headers, body) {
            return fetch(url, {method, body, keepalive: method === "DELETE", headers: {Authorization: `Bearer ${this.token}`, ...headers}});
          }

          /** `prepare` adds what the session sends or receives. Resolves when the offer is answered. */
          async begin(prepare) {
            const pc = this.pc = new RTCPeerConnection({bundlePolicy: "max-bundle"}), waiting = [];
            pc.onicecandidate = ({candidate}) => this.tag ? this.trickle(candidate ? [candidate] : []) : candidate && waiting.push(candidate);
            pc.onconnectionstatechange = () => this.onstate?.(pc.connectionState);
            prepare(pc);
            await pc.setLocalDescription(await pc.createOffer());
            const answer = await this.request(this.endpoint, "POST", {"Content-Type": "application/sdp"}, pc.localDescription.sdp);
            const text = await answer.text();
            if (answer.status !== 201) throw Object.assign(Error(text.trim()), {status: answer.status});
            this.location = new URL(answer.headers.get("Location"), location.href).href;
            pc.setConfiguration({...pc.getConfiguration(), iceServers: iceServers(answer.headers.get("Link"))});
            await pc.setRemoteDescription({type: "answer", sdp: text});
            this.tag = answer.headers.get("ETag");
            if (waiting.length) this.trickle(waiting);
          }

          trickle(candidates) {
            const one = name => new RegExp(`^a=${name}:(.*)$`, "m").exec(this.pc.localDescription.sdp)?.[1].trim();
            const lines = [
              `a=ice-ufrag:${one("ice-ufrag")}`, `a=ice-pwd:${one("ice-pwd")}`, "m=audio 9 UDP/TLS/RTP/SAVPF 0", `a=mid:${one("mid")}`,
              ...candidates.map(each => `a=${each.candidate}`), ...(candidates.length ? [] : ["a=end-of-candidates"]), ""];
            const headers = {"Content-Type": "application/trickle-ice-sdpfrag", "If-Match": this.tag};
            // What is lost with one is not missed: the server finds us by our checks.
            this.request(this.location, "PATCH", headers, lines.join("\r\n")).catch(() => {});
          }

          end() {
            this.pc?.close();
            if (this.location) this.request(this.location, "DELETE", {}).catch(() => {});
            this.location = undefined;
          }
        }

        /** The servers of `Link` fields. */
        function iceServers(link) {
          return [...(link ?? "").matchAll(/<([^>]*)>((?:;\s*[\w-]+="(?:[^"\\]|\\.)*")*)/g)].map(([, urls, rest]) => {
            const value = name => new RegExp(`${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(rest)?.[1].replace(/\\(.)/g, "$1");
            return {urls, username: value("; username"), credential: value("; credential")};
          }).map(({urls, username, credential}) => username ? {urls, username, credential} : {urls});
        }

        """#
}
