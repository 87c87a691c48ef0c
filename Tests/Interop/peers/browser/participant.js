"use strict";
// A LiveKit participant in a browser: signalling of both generations, media, data messages, end-to-end encryption.

const publisher = 0, subscriber = 1;
const base64 = bytes => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");

class Participant {
  constructor(options) {
    this.options = options;
    this.published = new Map();  // cid: what to do with the answer to add_track
    this.tracks = new Map();  // sid: identity, kind, whether encrypted
    this.received = new Map();  // sid: ReceivedTrack
    this.messages = [];
    this.senders = [];
    this.decrypted = new Set();
    if (options.key) {
      this.worker = new Worker("cryptor.js");
      this.worker.postMessage({passphrase: options.key});
    }
  }

  /** Resolves when media can flow. */
  async join() {
    const {url, token, single} = this.options;
    const client = {1: 1, 2: "2.21.0", 3: 17};  // sdk, version, protocol
    const query = single ? `/rtc/v1?join_request=${base64(encode({2: encode({1: client, 2: {1: true}})}))}`
      : "/rtc?auto_subscribe=1&sdk=js&version=2.21.0&protocol=17";
    this.socket = new WebSocket(`${url}${query}&access_token=${token}`);
    this.socket.binaryType = "arraybuffer";
    const opened = new Promise((resolve, reject) => {
      this.connected = resolve;
      this.socket.onclose = event => reject(Error(`signalling closed: ${event.code} ${event.reason}`));
    });
    // One message after the other, as their order has a meaning.
    let last = Promise.resolve();
    this.socket.onmessage = ({data}) => { last = last.then(() => this.handle(decode(new Uint8Array(data)))).catch(fault); };
    await opened;
  }

  send(message) { this.socket.send(encode(message)); }

  async handle(message) {
    const [number] = Object.keys(message), body = message[number][0];
    const fields = body instanceof Uint8Array && number !== "16" ? decode(body) : {};
    switch (Number(number)) {
      case 1: return this.begin(fields);
      case 2: return this.takeAnswer(fields);
      case 3: return this.takeOffer(fields);
      case 4: return this.takeCandidate(fields);
      case 5: return (fields[1] ?? []).forEach(each => this.note(decode(each)));
      case 6: return this.published.get(text(fields[1][0]))?.(text(decode(fields[2][0])[1][0]));
      case 25: return this.widen(fields);
    }
  }

  begin(join) {
    (join[3] ?? []).forEach(each => this.note(decode(each)));
    if (join[13] && this.worker) this.worker.postMessage({trailer: join[13][0]});
    this.connections = [this.connection(publisher), ...(this.options.single ? [] : [this.connection(subscriber)])];
    for (const label of ["_reliable", "_lossy"]) {
      const lossy = {ordered: false, maxRetransmits: 0};
      const channel = this.connections[0].createDataChannel(label, label === "_lossy" ? lossy : {});
      this.listen(channel);
      this[label] = channel;
    }
    if (this.options.single) this.widen({1: [3], 2: [3]});
    else this.negotiate();
    this.pinging = setInterval(() => this.send({16: {1: Date.now()}}), 5000);
  }

  connection(target) {
    const pc = new RTCPeerConnection({encodedInsertableStreams: !!this.worker});
    pc.pendingCandidates = [];
    pc.onicecandidate = ({candidate}) =>
      candidate && this.send({3: {1: JSON.stringify(candidate), 2: target}});
    pc.onconnectionstatechange = () => pc.connectionState === "connected" && this.connected();
    pc.ondatachannel = ({channel}) => this.listen(channel);
    if (!this.options.single) pc.ontrack = ({transceiver, streams}) => this.take(transceiver, streams[0].id.split("|")[1]);
    return pc;
  }

  /** What is known of a participant and its tracks. */
  note(info) {
    for (const each of info[4] ?? []) {
      const track = decode(each);
      this.tracks.set(text(track[1][0]), {from: text(info[2][0]), isEncrypted: (track[16]?.[0] ?? 0) !== 0});
    }
  }

  // Negotiation

  /** Adds media sections to receive in, and offers. */
  widen(fields) {
    ["audio", "video"].forEach((kind, i) => {
      for (let n = fields[i + 1]?.[0] ?? 0; n > 0; n--) this.connections[0].addTransceiver(kind, {direction: "recvonly"});
    });
    return this.negotiate();
  }

  /** One offer at a time: another one waits for the answer. */
  async negotiate() {
    const [pc] = this.connections;
    if (pc.isBusy) {
      pc.isOutdated = true;
      return;
    }
    pc.isBusy = true;
    await pc.setLocalDescription(await pc.createOffer());
    this.send({1: {1: "offer", 2: pc.localDescription.sdp, 3: pc.offers = (pc.offers ?? 0) + 1}});
  }

  async takeAnswer(answer) {
    const [pc] = this.connections;
    await this.applyRemote(pc, {type: "answer", sdp: text(answer[2][0])});
    for (const entry of (answer[4] ?? []).map(decode)) {
      const transceiver = pc.getTransceivers().find(each => each.mid === text(entry[1][0]));
      if (transceiver?.currentDirection === "recvonly") this.take(transceiver, text(entry[2][0]));
    }
    pc.isBusy = false;
    if (pc.isOutdated) {
      pc.isOutdated = false;
      await this.negotiate();
    }
  }

  async takeOffer(offer) {
    const pc = this.connections[subscriber];
    await this.applyRemote(pc, {type: "offer", sdp: text(offer[2][0])});
    await pc.setLocalDescription(await pc.createAnswer());
    this.send({2: {1: "answer", 2: pc.localDescription.sdp, 3: offer[3]?.[0] ?? 0}});
  }

  async applyRemote(pc, description) {
    await pc.setRemoteDescription(description);
    for (const candidate of pc.pendingCandidates.splice(0)) await pc.addIceCandidate(candidate);
  }

  async takeCandidate(trickle) {
    const pc = this.connections[this.options.single ? 0 : trickle[2]?.[0] ?? publisher];
    const candidate = JSON.parse(text(trickle[1]?.[0]) || "{}");
    if (!candidate.candidate) return;
    if (pc.remoteDescription) await pc.addIceCandidate(candidate);
    else pc.pendingCandidates.push(candidate);
  }

  // Media

  async publish(track, {simulcast, bitrate}) {
    const isVideo = track.kind === "video", {width = 0, height = 0} = track.getSettings();
    const announced = new Promise(resolve => this.published.set(track.id, resolve));
    const sizes = simulcast ? [["q", 4, 150000], ["h", 2, 500000], ["f", 1, bitrate]] : [[undefined, 1, bitrate]];
    const layers = sizes.map(([, scale, rate], i) => ({1: simulcast ? i : 2, 2: width / scale, 3: height / scale, 4: rate}));
    this.send({4: {
      1: track.id, 2: track.kind, 3: Number(isVideo), 8: isVideo ? 1 : 2, 14: Number(!!this.worker), 13: !!this.worker,
      ...(isVideo && {4: width, 5: height, 9: layers, 10: {1: "vp8", 2: track.id, 4: layers}})}});
    const sid = await announced;
    const [pc] = this.connections;
    const sendEncodings = !isVideo ? [] : sizes.map(([rid, scaleResolutionDownBy, maxBitrate]) =>
      ({...(rid && {rid}), scaleResolutionDownBy, maxBitrate}));
    const transceiver = pc.addTransceiver(track, {direction: "sendonly", sendEncodings});
    if (isVideo) {
      const codecs = RTCRtpSender.getCapabilities("video").codecs;
      transceiver.setCodecPreferences(codecs.filter(each => ["video/VP8", "video/rtx"].includes(each.mimeType)));
    }
    if (this.worker) this.transform(transceiver.sender, "encrypt");
    this.senders.push(transceiver.sender);
    await this.negotiate();
    return sid;
  }

  /** Encrypts or decrypts by encoded streams, as LiveKit's client does in Chromium rather than by script transforms. */
  transform(end, way) {
    const {readable, writable} = end.createEncodedStreams();
    this.worker.postMessage({way, readable, writable}, [readable, writable]);
  }

  take(transceiver, sid) {
    if (this.received.has(sid) || !sid) return;
    const {receiver} = transceiver, track = this.tracks.get(sid);
    if (track?.isEncrypted && this.worker && !this.decrypted.has(receiver)) {
      this.decrypted.add(receiver);
      // A client that does more than this one needs longer for it.
      setTimeout(() => this.transform(receiver, "decrypt"), this.options.readyAfter ?? 0);
    }
    this.received.set(sid, new ReceivedTrack(receiver, track?.from));
  }

  // Data

  listen(channel) {
    channel.binaryType = "arraybuffer";
    channel.addEventListener("message", ({data}) => {
      const packet = decode(new Uint8Array(data)), user = packet[2] && decode(packet[2][0]);
      if (user) this.messages.push({from: text(packet[4]?.[0]), topic: text(user[4]?.[0]), text: text(user[2]?.[0])});
    });
  }

  async say(payload, topic) {
    const channel = this._reliable;
    if (channel.readyState !== "open") await new Promise(resolve => { channel.onopen = resolve; });
    channel.send(encode({2: {2: payload, 4: topic}}));
  }

  // Results

  async report() {
    const cryptor = this.worker && await new Promise(resolve => {
      this.worker.onmessage = ({data}) => resolve(data);
      this.worker.postMessage({ask: true});
    });
    const received = await Promise.all([...this.received].map(([sid, track]) => track.report(sid)));
    const sent = (await Promise.all(this.senders.map(statistics("outbound-rtp")))).flat();
    const pairs = await statistics("candidate-pair")(this.connections[0]);
    // Bits per second that the browser believes it may send.
    const estimate = Math.max(0, ...pairs.map(each => each.availableOutgoingBitrate ?? 0));
    return {name: this.options.name, received, sent, estimate, messages: this.messages, cryptor};
  }

  leave() {
    clearInterval(this.pinging);
    this.socket.onclose = null;
    this.send({8: {2: 1}});
    this.socket.close();
    this.connections.forEach(each => each.close());
    this.received.forEach(each => each.stop());
    this.worker?.terminate();
  }
}

const statistics = type => async end => [...(await end.getStats()).values()].filter(each => each.type === type);

/** Notes when each picture has been decoded, and what sound there is. */
class ReceivedTrack {
  constructor(receiver, from) {
    this.receiver = receiver;
    this.from = from;
    this.begun = performance.now();
    this.pictures = [];  // milliseconds since the track came
    this.sizes = {};
    this.crossings = 0;
    this.samples = 0;
    // Chromium decodes sound only for somebody who listens.
    this.element = document.createElement(receiver.track.kind);
    this.element.srcObject = new MediaStream([receiver.track]);
    if (receiver.track.kind === "audio") this.element.play().catch(fault);
    this.reader = new MediaStreamTrackProcessor({track: receiver.track}).readable.getReader();
    this.read().catch(fault);
  }

  async read() {
    for (let next; !(next = await this.reader.read()).done; next.value.close()) {
      if (this.receiver.track.kind === "video") this.seePicture(next.value);
      else this.hearSound(next.value);
    }
  }

  seePicture({displayWidth, displayHeight}) {
    this.pictures.push(Math.round(performance.now() - this.begun));
    const size = `${displayWidth}x${displayHeight}`;
    this.sizes[size] = (this.sizes[size] ?? 0) + 1;
  }

  /** Counts upward crossings of zero, of sound that is loud enough to be meant. */
  hearSound(data) {
    const samples = new Float32Array(data.numberOfFrames);
    data.copyTo(samples, {planeIndex: 0, format: "f32-planar"});
    if (Math.max(...samples) < 0.02) return;
    for (const sample of samples) {
      if (this.last < 0 && sample >= 0) this.crossings += 1;
      this.last = sample;
    }
    this.samples += samples.length;
    this.rate = data.sampleRate;
  }

  async report(sid) {
    const [inbound] = await statistics("inbound-rtp")(this.receiver);
    return {
      sid, from: this.from, kind: this.receiver.track.kind, pictures: this.pictures, sizes: this.sizes,
      hertz: this.samples ? this.crossings * this.rate / this.samples : null, seconds: this.rate ? this.samples / this.rate : 0,
      statistics: inbound ?? null};
  }

  stop() { this.reader.cancel(); }
}
