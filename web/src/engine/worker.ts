/** The script of a worker. */

import { type ToWorker, serve } from "./work.js";

serve({
  receive: (handle) => {
    addEventListener("message", (event: MessageEvent<ToWorker>) => { handle(event.data); });
  },
  // The scope of a worker, and not a window: what follows the message is transferred.
  send: (message, transfer) => { (postMessage as (message: unknown, transfer: Transferable[]) => void)(message, transfer); },
});
