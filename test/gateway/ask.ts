import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { constants, gunzipSync } from 'node:zlib';
import { hearHttp } from '../system/hearing.ts';
import { hearTold } from '../system/transcript.ts';

/** An HTTP answer. `json` is the parsed body. It is an empty object if the body is empty, text, XML or an image. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body of the HTTP answer as received, perhaps compressed. */
  bytes: Buffer;
  /** The body of the HTTP answer in decompressed form. */
  text: string;
  json: Record<string, unknown>;
}

/** An HTTP request to send. The default is `GET /` without a body. */
export interface Question {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

/** Sends one request, which has only the headers Host and those in `question`. Returns the answer. */
export function ask(address: string, question: Question): Promise<Answer> {
  const [host, port] = address.split(':');
  const { method = 'GET', path = '/', headers = {}, body } = question;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, method, path, headers, agent: false }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const gzipped = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
        const text = (gzipped ? gunzipSync(bytes) : bytes).toString('utf8');
        hearHttp(response.statusCode ?? 0, response.headers, text);
        const isJson = text !== '' && !/^(?:text|image)\/|\+xml/.test(response.headers['content-type'] ?? '');
        const json = isJson ? JSON.parse(text) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, json });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Request headers with the credentials of a caller. */
export const credentials = {
  'X-API-Token': 'a-token',
  'X-API-Token-Type': 'FREE',
  'X-API-Token-Email': 'a@b.c',
};

/** Request body of a fetch of one server. */
export const oneServer = '{"servers":[{"game_id":"csgo","servers":["192.0.2.1:27015"]}]}';

/**
 * Sends a fetch of one server, with credentials. Fields in `question` replace the default method, path, headers and
 * body.
 */
export function askFetch(address: string, question: Question = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', ...credentials, ...question.headers };
  return ask(address, { method: 'POST', path: '/v1/post/fetch', body: oneServer, ...question, headers });
}

/**
 * Returns the decompressed gzip bodies in received HTTP data. The last body can be incomplete. Throws if a body is not
 * valid gzip.
 */
function gzipBodies(received: Buffer): string[] {
  const bodies: string[] = [];
  for (let at = 0; ; ) {
    const headEnd = received.indexOf('\r\n\r\n', at);
    if (headEnd < 0) return bodies;
    const head = received.toString('latin1', at, headEnd);
    const bodyStart = headEnd + 4;
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    at = length === undefined ? received.length : bodyStart + Number(length);
    const body = received.subarray(bodyStart, at);
    if (!/^content-encoding: *gzip$/im.test(head) || body.length === 0) continue;
    bodies.push(gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8'));
  }
}

/**
 * Sends bytes on a new connection, and waits until the server closes the connection. Returns the head and the body of
 * the answer.
 */
export function askRaw(address: string, bytes: string): Promise<{ head: string; body: Buffer }> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', chunk => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const all = Buffer.concat(chunks);
      const split = all.indexOf('\r\n\r\n');
      const head = all.subarray(0, split).toString();
      const body = all.subarray(split + 4);
      try {
        // Records the answer, both as received and decompressed. After the tests, the test runner searches all recorded
        // answers for secrets.
        for (const text of [all.toString('latin1'), ...gzipBodies(all)]) hearTold('answers of REST', text);
        resolve({ head, body });
      } catch (error) {
        reject(error);
      }
    });
  });
}
