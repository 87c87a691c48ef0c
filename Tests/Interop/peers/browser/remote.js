"use strict";
// Does what the test says: it is asked for commands, one after the other, and told what came of each.

const participants = new Map(), faults = [];
const fault = error => faults.push(String(error?.stack ?? error));
onerror = (_, __, ___, ____, error) => fault(error);
onunhandledrejection = ({reason}) => fault(reason);

let sound;

/** A sine in place of a microphone. */
async function tone(hertz) {
  sound ??= new AudioContext();
  await sound.resume();
  const oscillator = new OscillatorNode(sound, {frequency: hertz}), volume = new GainNode(sound, {gain: 0.3});
  const out = new MediaStreamAudioDestinationNode(sound, {channelCount: 1});
  oscillator.connect(volume).connect(out);
  oscillator.start();
  return out.stream.getAudioTracks()[0];
}

/** The browser's camera, here one that makes its pictures up. */
async function camera({width, height, fps = 30}) {
  const video = {width: {exact: width}, height: {exact: height}, frameRate: fps};
  return (await navigator.mediaDevices.getUserMedia({video})).getVideoTracks()[0];
}

async function testMedia({hertz, video}) {
  return [...(hertz ? [await tone(hertz)] : []), ...(video ? [await camera(video)] : [])];
}

/** A session by HTTP alone. */
async function beginSession(session, options) {
  participants.set(options.name, session);
  await session.begin(options);
}

const commands = {
  whip: options => beginSession(new Publisher(options), options),
  whep: options => beginSession(new Viewer(options), options),
  restart: ({name}) => participants.get(name).restart(),
  async join(options) {
    const participant = new Participant(options);
    participants.set(options.name, participant);
    await participant.join();
  },
  async publish({name, hertz, video, simulcast = false, bitrate = 1700000}) {
    const participant = participants.get(name);
    if (hertz) await participant.publish(await tone(hertz), {});
    if (video) await participant.publish(await camera(video), {simulcast, bitrate});
  },
  say: ({name, payload, topic}) => participants.get(name).say(payload, topic),
  report: async ({name}) => ({...await participants.get(name).report(), faults}),
  async leave({name}) {
    await participants.get(name).leave();
    participants.delete(name);
  },
};

(async () => {
  for (;;) {
    const command = await (await fetch("/command")).json();
    if (command.call) {
      Promise.resolve().then(() => commands[command.call](command)).then(
        value => ({value: value ?? null}), error => ({error: String(error?.stack ?? error), faults})
      ).then(result => fetch("/result", {method: "POST", body: JSON.stringify({id: command.id, ...result})}));
    }
  }
})();
