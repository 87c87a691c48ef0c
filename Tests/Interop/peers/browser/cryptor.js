"use strict";
// End-to-end encryption of frames as LiveKit's clients do it: AES-128-GCM, the first bytes in the clear, the IV behind the ciphertext.
// A worker: told the passphrase, then given the streams of encoded frames of each track.

const ivLength = 12, keyIndex = 0;
const counts = new Map(), statistics = {encrypted: 0, decrypted: 0, injected: 0, failed: 0};
let key, trailer = new Uint8Array(0);

async function derive(passphrase) {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase), "PBKDF2", false, ["deriveKey"]);
  const salt = new TextEncoder().encode("LKFrameEncryptionKey");
  return crypto.subtle.deriveKey(
    {name: "PBKDF2", hash: "SHA-256", salt, iterations: 100000}, material, {name: "AES-GCM", length: 128}, false,
    ["encrypt", "decrypt"]);
}

/** The bytes that stay in the clear: of VP8 those that a server reads, of audio the first. */
const clearBytes = frame => !(frame instanceof RTCEncodedVideoFrame) ? 1 : frame.type === "key" ? 10 : 3;

async function encrypt(frame, controller) {
  if (frame.data.byteLength === 0) return controller.enqueue(frame);
  const {synchronizationSource} = frame.getMetadata(), timestamp = frame.timestamp ?? frame.getMetadata().rtpTimestamp;
  const count = counts.get(synchronizationSource) ?? Math.floor(Math.random() * 0xffff);
  counts.set(synchronizationSource, count + 1);
  const iv = new Uint8Array(ivLength), view = new DataView(iv.buffer);
  view.setUint32(0, synchronizationSource);
  view.setUint32(4, timestamp);
  view.setUint32(8, timestamp - count % 0xffff);
  const clear = new Uint8Array(frame.data, 0, clearBytes(frame));
  const cipher = await crypto.subtle.encrypt(
    {name: "AES-GCM", iv, additionalData: clear}, await key, new Uint8Array(frame.data, clear.length));
  const out = new Uint8Array(clear.length + cipher.byteLength + ivLength + 2);
  out.set(clear);
  out.set(new Uint8Array(cipher), clear.length);
  out.set(iv, clear.length + cipher.byteLength);
  out.set([ivLength, keyIndex], out.length - 2);
  frame.data = out.buffer;
  statistics.encrypted += 1;
  controller.enqueue(frame);
}

async function decrypt(frame, controller) {
  const data = new Uint8Array(frame.data);
  if (data.length === 0) return controller.enqueue(frame);
  const body = data.length - trailer.length;
  if (trailer.length && body >= 0 && trailer.every((byte, i) => data[body + i] === byte)) {
    frame.data = data.slice(0, body).buffer;
    statistics.injected += 1;
    return controller.enqueue(frame);
  }
  const clear = data.subarray(0, clearBytes(frame)), length = data[data.length - 2], end = data.length - 2 - length;
  try {
    const plain = await crypto.subtle.decrypt(
      {name: "AES-GCM", iv: data.subarray(end, end + length), additionalData: clear}, await key, data.subarray(clear.length, end));
    const out = new Uint8Array(clear.length + plain.byteLength);
    out.set(clear);
    out.set(new Uint8Array(plain), clear.length);
    frame.data = out.buffer;
  } catch {
    statistics.failed += 1;
    return;
  }
  statistics.decrypted += 1;
  controller.enqueue(frame);
}

const pipe = (way, {readable, writable}) =>
  readable.pipeThrough(new TransformStream({transform: way === "encrypt" ? encrypt : decrypt})).pipeTo(writable).catch(() => {});

onmessage = ({data}) => {
  if (data.passphrase !== undefined) key = derive(data.passphrase);
  if (data.trailer) trailer = data.trailer;
  if (data.way) pipe(data.way, data);
  if (data.ask) postMessage(statistics);
};
