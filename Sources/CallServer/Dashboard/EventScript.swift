/// What the pages share: elements without markup of others' making, and events by a request that carries a token.
enum EventScript {
    static let text = #"""
        "use strict";
        const $ = id => document.getElementById(id);

        /** An element; whatever comes from others is text, never markup. */
        function make(name, options = {}, ...children) {
          const element = document.createElement(name);
          for (const [key, value] of Object.entries(options)) if (value !== undefined) element[key] = value;
          element.append(...children.filter(child => child !== null && child !== undefined).map(child =>
            child instanceof Node ? child : document.createTextNode(String(child))));
          return element;
        }

        /** Server-sent events of a request with a token, which no URL and so no log has. Ends where the server ends, or throws. */
        async function watch(path, token, handlers, signal) {
          const answer = await fetch(path, {headers: {Authorization: `Bearer ${token}`}, signal, cache: "no-store"});
          if (!answer.ok) throw Object.assign(Error((await answer.text()).trim() || answer.statusText), {status: answer.status});
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          handlers.open?.();
          let text = "";
          for (;;) {
            const {value, done} = await reader.read();
            if (done) return;
            text += value;
            const events = text.split("\n\n");
            text = events.pop();
            for (const event of events) {
              const name = /^event: (.*)$/m.exec(event)?.[1], data = /^data: (.*)$/m.exec(event)?.[1];
              if (name && data) handlers[name]?.(JSON.parse(data));
            }
          }
        }

        /** Watches until told otherwise: again after a moment where the connection breaks; a refusal is final. */
        async function keepWatching(path, token, handlers, signal) {
          for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 8000)) {
            try {
              await watch(path, token, {...handlers, open: () => { wait = 500; handlers.open?.(); }}, signal);
            } catch (error) {
              if (signal.aborted) return;
              if (error.status && error.status < 500) return handlers.refused(error.message);
            }
            handlers.lost?.();
            await new Promise(resolve => setTimeout(resolve, wait));
          }
        }

        const rate = bits => bits >= 1e6 ? `${(bits / 1e6).toFixed(2)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`;

        """#
}
