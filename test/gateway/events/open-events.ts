import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** A client of an event stream. */
export interface EventsClient {
  response: IncomingMessage;
  /**
   * Resolves to the received text as soon as it matches the pattern. Rejects if the response ends before the text
   * matches.
   */
  until(pattern: RegExp): Promise<string>;
  /** Resolves to the received text when the response has ended. Rejects if the connection broke before the end. */
  ended: Promise<string>;
  /** Closes the connection of the client that reads the event stream. */
  close(): void;
}

/** Opens an event stream. Resolves when the head of the answer has arrived. */
export function openEvents(
  address: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventsClient> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request({ host, port, path, headers, agent: false }, response => {
      let text = '';
      const waits = new Set<() => void>();
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (const wait of waits) wait();
      });
      const ended = new Promise<string>((done, failed) => {
        response.on('end', () => done(text)).on('error', failed);
      });
      ended.catch(() => {});
      const until = (pattern: RegExp): Promise<string> =>
        new Promise((done, failed) => {
          const check = (): void => {
            if (!pattern.test(text)) return;
            waits.delete(check);
            done(text);
          };
          waits.add(check);
          ended.then(() => failed(new Error(`the stream ended without ${pattern}: ${text}`)), failed);
          check();
        });
      resolve({ response, until, ended, close: () => outgoing.destroy() });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** A client that closes the sending half of its connection right after its request, as `nc -N` does. */
export interface HalfClosedClient {
  /** Resolves when the gateway, which runs in this process, knows that the client has closed its sending half. */
  isEndReceived: Promise<void>;
  /** Resolves to all received bytes when the gateway has ended the connection. */
  text: Promise<string>;
}

/** Requests an event stream over a new connection, and then closes the sending half of this connection. */
export function halfClosed(address: string, path: string): HalfClosedClient {
  const [host = '', port = ''] = address.split(':');
  const isEndReceived = new Promise<void>(resolve => {
    const onAccepted = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      if (socket.localPort !== Number(port)) return;
      unsubscribe('net.server.socket', onAccepted);
      socket.once('end', resolve);
    };
    subscribe('net.server.socket', onAccepted);
  });
  const client = connect({ host, port: Number(port), allowHalfOpen: true });
  client.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const text = new Promise<string>((resolve, reject) => {
    let received = '';
    client.setEncoding('latin1').on('data', chunk => {
      received += String(chunk);
    });
    client.on('end', () => resolve(received)).on('error', reject);
  });
  return { isEndReceived, text };
}
