"use strict";
// Stands where the user's file of LiveKit's client would: notes what the join page asks of it.
window.LivekitClient = {
  RoomEvent: {TrackSubscribed: "subscribed", ParticipantDisconnected: "left", Disconnected: "ended"},
  Room: class {
    constructor() {
      window.asked = {events: [], tracks: []};
      this.localParticipant = {publishTrack: async track => { window.asked.tracks.push(track.kind); }};
    }

    on(event, handler) { window.asked.events.push(event); window.asked[event] = handler; }
    async connect(url, token) { Object.assign(window.asked, {url, token}); }
    disconnect() { window.asked.ended = true; }
  },
};
