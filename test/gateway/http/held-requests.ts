import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The requests that node:http has read, in their order. The test answers them. */
export class HeldRequests {
  readonly all: { request: IncomingMessage; response: ServerResponse }[] = [];
  readonly #events = new EventEmitter();

  readonly listener: RequestListener = (request, response) => {
    this.all.push({ request, response });
    this.#events.emit('request');
  };

  /** Waits until `count` HTTP requests have arrived at the server. */
  async until(count: number): Promise<void> {
    while (this.all.length < count) await once(this.#events, 'request');
  }

  /** Answers one of the received HTTP requests with `text`. `index`: 0 for the first request that arrived. */
  answer(index: number, text: string): void {
    const { response } = this.all[index] ?? {};
    response?.writeHead(200, { 'Content-Length': String(text.length) }).end(text);
  }
}
