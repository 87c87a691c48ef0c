"use strict";
// WHIP and WHEP (RFC 9725, draft-ietf-wish-whep) as a page does them: one offer by POST, candidates by PATCH, the end by DELETE.

class HTTPSession {
  constructor({endpoint, token}) {
    this.endpoint = endpoint;
    this.token = token;
    this.pc = new RTCPeerConnection({bundlePolicy: "max-bundle"});
    this.received = [];
    this.statuses = {};
    this.pc.ontrack = ({receiver}) => this.received.push(new ReceivedTrack(receiver));
  }

  request(url, method, headers = {}, body) {
    return fetch(url, {method, body, headers: {Authorization: `Bearer ${this.token}`, ...headers}});
  }

  /** Resolves when media can flow. */
  async begin() {
    const connected = new Promise((resolve, reject) => {
      this.pc.onconnectionstatechange = () => {
        if (this.pc.connectionState === "connected") resolve();
        if (this.pc.connectionState === "failed") reject(Error("the media connection failed"));
      };
    });
    const candidates = [];
    this.pc.onicecandidate = ({candidate}) => candidate && candidates.push(candidate);
    await this.pc.setLocalDescription(await this.pc.createOffer());
    const answer = await this.request(this.endpoint, "POST", {"Content-Type": "application/sdp"}, this.pc.localDescription.sdp);
    this.statuses.POST = answer.status;
    if (answer.status !== 201) throw Error(`POST: ${answer.status} ${await answer.text()}`);
    this.location = new URL(answer.headers.get("Location"), this.endpoint).href;
    this.tag = answer.headers.get("ETag");
    this.link = answer.headers.get("Link");
    await this.pc.setRemoteDescription({type: "answer", sdp: await answer.text()});
    this.statuses.PATCH = (await this.trickle(this.tag, this.pc.localDescription.sdp, candidates)).status;
    await connected;
  }

  trickle(tag, sdp, candidates = []) {
    const one = name => sdp.match(new RegExp(`^a=${name}:(.*)$`, "m"))[1].trim();
    const lines = [
      `a=ice-ufrag:${one("ice-ufrag")}`, `a=ice-pwd:${one("ice-pwd")}`, "m=audio 9 UDP/TLS/RTP/SAVPF 0", `a=mid:${one("mid")}`,
      ...candidates.map(each => `a=${each.candidate}`), "a=end-of-candidates"];
    const headers = {"Content-Type": "application/trickle-ice-sdpfrag", "If-Match": tag};
    return this.request(this.location, "PATCH", headers, lines.join("\r\n") + "\r\n");
  }

  /** Begins a new ICE generation: media goes on meanwhile. */
  async restart() {
    const offer = await this.pc.createOffer({iceRestart: true});
    const answer = await this.trickle("*", offer.sdp);
    this.statuses.restart = answer.status;
    const fragment = await answer.text(), old = this.pc.remoteDescription.sdp, before = this.tag;
    this.tag = answer.headers.get("ETag");
    await this.pc.setLocalDescription(offer);
    const value = name => fragment.match(new RegExp(`^a=${name}:(.*)$`, "m"))[1].trim();
    const candidates = fragment.match(/^a=candidate:.*$/gm).join("\r\n");
    const sdp = old.replace(/^a=candidate:.*\r\n/gm, "").replace(/^a=ice-ufrag:.*$/gm, `a=ice-ufrag:${value("ice-ufrag")}`)
      .replace(/^a=ice-pwd:.*$/gm, `a=ice-pwd:${value("ice-pwd")}`).replace(/^(a=mid:.*)$/m, `$1\r\n${candidates.trim()}`);
    await this.pc.setRemoteDescription({type: "answer", sdp});
    return this.tag !== before;
  }

  async leave() {
    const answer = await this.request(this.location, "DELETE");
    this.statuses.DELETE = answer.status;
    this.pc.close();
    this.received.forEach(each => each.stop());
  }

  async report() {
    const sent = await statistics("outbound-rtp")(this.pc), pair = await statistics("candidate-pair")(this.pc);
    return {
      received: await Promise.all(this.received.map(each => each.report())), sent, statuses: this.statuses, link: this.link,
      location: this.location, pairs: pair.filter(each => each.nominated).length};
  }
}

class Publisher extends HTTPSession {
  async begin({hertz, video, simulcast}) {
    for (const track of await testMedia({hertz, video})) {
      const layers = [{rid: "q", scaleResolutionDownBy: 4}, {rid: "h", scaleResolutionDownBy: 2}, {rid: "f"}];
      const sendEncodings = simulcast && track.kind === "video" ? layers : undefined;
      this.pc.addTransceiver(track, {direction: "sendonly", ...(sendEncodings && {sendEncodings})});
    }
    await super.begin();
  }
}

class Viewer extends HTTPSession {
  async begin() {
    for (const kind of ["audio", "video"]) this.pc.addTransceiver(kind, {direction: "recvonly"});
    await super.begin();
  }
}
