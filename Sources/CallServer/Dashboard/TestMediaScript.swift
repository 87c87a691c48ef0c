/// A picture that moves and a tone, for machines without camera and for tests.
enum TestMediaScript {
    static let text = #"""

        /** A clock on moving bars, and a sine. */
        async function testMedia(hertz = 440) {
          const canvas = make("canvas", {width: 640, height: 360}), context = canvas.getContext("2d");
          const colors = ["#2f6bde", "#0f8a7e", "#15803d", "#d9720b", "#d02f3c", "#8446c9"];
          const draw = () => {
            const shift = performance.now() / 20 % 640;
            colors.forEach((color, index) => {
              context.fillStyle = color;
              const x = (index * 640 / colors.length + shift) % 640;
              context.fillRect(x, 0, 108, 360);
              context.fillRect(x - 640, 0, 108, 360);
            });
            context.fillStyle = "rgba(0,0,0,.6)";
            context.fillRect(170, 140, 300, 80);
            context.fillStyle = "#fff";
            context.font = "600 44px system-ui, sans-serif";
            context.textAlign = "center";
            context.fillText((new Date).toLocaleTimeString(), 320, 195);
          };
          draw();
          const drawing = setInterval(draw, 40), stream = canvas.captureStream(25);
          const sound = new AudioContext(), out = new MediaStreamAudioDestinationNode(sound, {channelCount: 1});
          const oscillator = new OscillatorNode(sound, {frequency: hertz}), volume = new GainNode(sound, {gain: 0.2});
          oscillator.connect(volume).connect(out);
          oscillator.start();
          await sound.resume();
          for (const track of out.stream.getAudioTracks()) stream.addTrack(track);
          return {stream, stop() { clearInterval(drawing); sound.close(); stream.getTracks().forEach(track => track.stop()); }};
        }

        async function ownMedia(source) {
          if (source === "none") return null;
          if (source === "test") return testMedia();
          if (!navigator.mediaDevices) throw Error("a browser gives camera and microphone to pages of https:// or localhost only");
          const stream = await navigator.mediaDevices.getUserMedia({audio: true, video: {width: {ideal: 1280}, height: {ideal: 720}}});
          return {stream, stop: () => stream.getTracks().forEach(track => track.stop())};
        }

        """#
}
