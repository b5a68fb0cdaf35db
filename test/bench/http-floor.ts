/** The reference server for REST: a minimal node:http server. It answers every request with the same gzip bytes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './worker.ts';

/**
 * Message to the minimal HTTP server. It sets the gzip body with which this server answers every request from then on.
 */
export interface HttpFloor {
  body: Uint8Array;
}

let body: Uint8Array = Buffer.alloc(0);
let headers = {};

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, headers);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1');
const listening = once(server, 'listening');

answerQuestions(async (floor: HttpFloor): Promise<string> => {
  body = floor.body;
  headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': body.length,
  };
  await listening;
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
