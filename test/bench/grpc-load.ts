/**
 * A gRPC load generator that sends and receives raw bytes. It runs in a process of its own. The parent process sends it
 * a `GrpcLoad` and receives a `GrpcLoadResult`.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { answerQuestions } from './worker.ts';

export interface GrpcLoad {
  /** `host:port` of the gRPC server. */
  address: string;
  /** Path of the gRPC method, such as `/gsq.v1.ServerService/FetchServers`. */
  path: string;
  /**
   * Encoded request messages. The load generator sends them one after another, and begins again after the last message.
   */
  requests: readonly Uint8Array[];
  metadata: Readonly<Record<string, string>>;
  /** Number of parallel streams of the load generator. If 0, it makes unary calls. */
  streams: number;
  /** Number of concurrent calls, summed over all streams. */
  inFlight: number;
  /** How long the load generator makes calls, in seconds. If 0, it sends each request message once. */
  seconds: number;
}

export interface GrpcLoadResult {
  seconds: number;
  /** Number of answered calls. */
  calls: number;
  /** Total size of all response messages, in bytes. */
  bytes: number;
  /** The last response message that the load generator received. */
  response: Uint8Array;
  /** CPU time of the load generator, in microseconds. */
  cpu: number;
}

const asIs = (bytes: Buffer): Buffer => bytes;
const LENGTH_BITS = 7;
const MORE = 0x80;

/**
 * Returns the number of replies in an encoded FetchStreamResponse: each occurrence of field 1 is one reply. Throws if
 * the message contains another field.
 */
function repliesIn(message: Buffer): number {
  let replies = 0;
  for (let at = 0; at < message.length; replies++) {
    if (message[at] !== 0x0a) throw new Error('an answer is no FetchStreamResponse');
    let length = 0;
    let shift = 0;
    for (let more = true; more; shift += LENGTH_BITS) {
      const byte = message[++at] ?? 0;
      length |= (byte & (MORE - 1)) << shift;
      more = byte >= MORE;
    }
    at += 1 + length;
  }
  return replies;
}

async function run(load: GrpcLoad): Promise<GrpcLoadResult> {
  const { path, streams, inFlight, seconds } = load;
  const requests = load.requests.map(bytes => Buffer.from(bytes));
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(load.metadata)) metadata.set(key, value);
  const client = new Client(load.address, credentials.createInsecure());
  let sent = 0;
  let calls = 0;
  let bytes = 0;
  let response: Uint8Array = Buffer.alloc(0);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const next = (): Buffer | undefined => {
    const more = seconds === 0 ? sent < requests.length : performance.now() < endsAt;
    return more ? requests[sent++ % requests.length] : undefined;
  };

  const unary = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const ask = (): void => {
        const request = next();
        if (!request) {
          resolve();
          return;
        }
        client.makeUnaryRequest(path, asIs, asIs, request, metadata, (error, answer) => {
          if (error || !answer) {
            reject(error ?? new Error('no answer'));
            return;
          }
          calls++;
          bytes += answer.length;
          response = answer;
          ask();
        });
      };
      ask();
    });

  const stream = (window: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const call = client.makeBidiStreamRequest(path, asIs, asIs, metadata);
      let open = 0;
      const ask = (): void => {
        const request = next();
        if (request) {
          open++;
          call.write(request);
        } else if (open === 0) {
          call.end();
        }
      };
      call.on('data', (answer: Buffer) => {
        const replies = repliesIn(answer);
        calls += replies;
        open -= replies;
        bytes += answer.length;
        response = answer;
        for (let i = 0; i < replies; i++) ask();
      });
      call.on('error', reject);
      call.on('end', resolve);
      for (let i = 0; i < window; i++) ask();
    });

  try {
    const loops =
      streams === 0
        ? Array.from({ length: inFlight }, unary)
        : Array.from({ length: streams }, () => stream(Math.ceil(inFlight / streams)));
    await Promise.all(loops);
  } finally {
    client.close();
  }
  const cpu = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - startedAt) / 1000,
    calls,
    bytes,
    response,
    cpu: cpu.user + cpu.system,
  };
}

answerQuestions(run);
