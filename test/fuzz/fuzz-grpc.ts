import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { status } from '@grpc/grpc-js';
import { googleRpc, gsqV1 } from '../../proto/descriptors.ts';
import { isReasonCode, reasons } from '../../proto/reasons.ts';
import { type GrpcCase, grpcCase } from './grpc-calls.ts';
import { rawBytes, rawConnection } from './grpc-frames.ts';
import { HANG_MS, loopbackAddress } from './http-connection.ts';
import type { Random } from './mutations.ts';

export interface GrpcFuzzOptions {
  /** `host:port` of the public port. */
  address: string;
  /** `host:port` of the internal port, which wants a secret that these calls do not have. */
  internal: string;
  random: Random;
  calls: number;
}

export interface GrpcFuzzResult {
  calls: number;
  /** By name of the status; `reset` and `closed` where the connection was all that answered. */
  answers: Record<string, number>;
  sessions: number;
  slowestMs: number;
}

const SESSIONS = 4;
const CALLS_A_SESSION = 4;
/** Every so many calls, a connection that is no HTTP/2, or hardly. */
const RAW_EVERY = 40;
/** Streams that have no end of their own are ended after so long. */
const SILENCE_MS = 40;
/** Node's client does not bear it when a stream is reset in the turn it is opened in. */
const RESET_MS = 2;

/** What grpc-js says by itself, and docs/grpc.md tells of. */
const OWN_WORDS: Partial<Record<keyof typeof status, RegExp>> = {
  INTERNAL: /^(Error deserializing request|Invalid grpc-timeout value|Failed to decompress message)/,
  UNIMPLEMENTED:
    /^(The server does not implement|Received (a second|no) request|Requests are taken uncomp|Received message compressed)/,
  RESOURCE_EXHAUSTED: /^Received message (larger|that decompresses)/,
  DEADLINE_EXCEEDED: /^(Deadline exceeded|The request did not arrive)/,
  NOT_FOUND: /^There is no such service here/,
};

interface Answer {
  /** `:status`; undefined where there was no answer at all. */
  http: number | undefined;
  fields: IncomingHttpHeaders;
  body: Buffer;
  resetCode: number;
}

function call(session: ClientHttp2Session, { headers, body, leave }: GrpcCase): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: false });
    const answer: Answer = { http: undefined, fields: {}, body: Buffer.alloc(0), resetCode: 0 };
    const chunks: Buffer[] = [];
    const limit = setTimeout(() => {
      reject(new Error(`neither answered nor closed within ${HANG_MS} ms`));
      session.destroy();
    }, HANG_MS);
    let silence: NodeJS.Timeout | undefined;
    const take = (fields: IncomingHttpHeaders): void => {
      answer.http ??= Number(fields[':status']);
      Object.assign(answer.fields, fields);
      // What watches says something, and then nothing more until something changes.
      if (answer.fields['grpc-status'] === undefined)
        silence ??= setTimeout(() => stream.destroy(), SILENCE_MS);
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.on('data', chunk => chunks.push(chunk));
    stream.on('error', () => {});
    stream.on('close', () => {
      clearTimeout(limit);
      clearTimeout(silence);
      answer.body = Buffer.concat(chunks);
      answer.resetCode = stream.rstCode ?? 0;
      resolve(answer);
    });
    stream.write(body);
    if (leave === 'end') stream.end();
    else silence = setTimeout(() => stream.destroy(), leave === 'reset' ? RESET_MS : SILENCE_MS);
  });
}

/** The code of docs/errors.md in `grpc-status-details-bin`; undefined where there is none. */
function reasonOf(fields: IncomingHttpHeaders): string | undefined {
  const bytes = fields['grpc-status-details-bin'];
  if (typeof bytes !== 'string') return undefined;
  const { details } = googleRpc.Status.deserialize(Buffer.from(bytes, 'base64'));
  const info = details.find(({ type_url: url }) => url === 'type.googleapis.com/google.rpc.ErrorInfo');
  return info && googleRpc.ErrorInfo.deserialize(info.value).reason;
}

/** grpc-js gives a path that it does not know back as it came. */
function unescaped(message: string): string {
  try {
    return decodeURI(message);
  } catch {
    return message;
  }
}

/** The name an answer is counted under. Fails where the documentation does not tell of it. */
function checked({ http, fields, body, resetCode }: Answer, asked: GrpcCase, internal: boolean): string {
  if (http === undefined) return resetCode === 0 ? 'closed' : 'reset';
  if (http === 415) return '415';
  assert.equal(http, 200);
  const code = fields['grpc-status'];
  // Reset by this side, or a stream that goes on.
  if (code === undefined) return 'going on';
  const name = status[Number(code)] as keyof typeof status;
  const message = unescaped(String(fields['grpc-message'] ?? ''));
  const reason = reasonOf(fields);
  if (name === 'OK') {
    assert.ok(!internal, 'answered without the secret');
    if (asked.results !== undefined) {
      const { results } = gsqV1.ServerService.service.FetchServers.responseDeserialize(body.subarray(5));
      assert.equal(results.length, asked.results);
    }
    return name;
  }
  if (asked.results !== undefined) assert.fail(`a right call failed: ${name} ${message}`);
  if (reason !== undefined) {
    assert.ok(isReasonCode(reason), reason);
    assert.notEqual(reason, 'INTERNAL_1', message);
    assert.equal(Number(code), reasons[reason].grpc);
    if (internal) assert.equal(reason, 'AUTH_5');
    return reason;
  }
  assert.match(message, OWN_WORDS[name] ?? /^$/, `${name}: ${message}`);
  return name;
}

/**
 * Makes calls of which most are wrong. Rejects where an answer is none of those that are documented, where the internal
 * port answers to callers without its secret, and where neither an answer nor the end of the connection comes.
 */
export async function fuzzGrpc(options: GrpcFuzzOptions): Promise<GrpcFuzzResult> {
  const { random, calls } = options;
  const result: GrpcFuzzResult = { calls: 0, answers: {}, sessions: 0, slowestMs: 0 };
  const count = (name: string): void => {
    result.answers[name] = (result.answers[name] ?? 0) + 1;
  };

  async function open(internal: boolean): Promise<ClientHttp2Session> {
    const [host, port] = (internal ? options.internal : options.address).split(':');
    const localAddress = loopbackAddress();
    const session = connect('http://x', {
      createConnection: () => connectTcp({ host, port: Number(port), localAddress }),
    });
    result.sessions++;
    session.on('error', () => {});
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve());
      session.once('close', () => reject(new Error('the core refused a connection')));
    });
    return session;
  }

  // All that is drawn is drawn here, so that the calls are the same whichever session takes them.
  const next = () => {
    const number = ++result.calls;
    const internal = number % 4 === 3;
    const raw = number % RAW_EVERY === 0 ? rawBytes(random) : undefined;
    return { number, internal, raw, asked: grpcCase(random, internal) };
  };

  async function work(): Promise<void> {
    const sessions = [await open(false), await open(true)];
    const one = async (): Promise<void> => {
      const { number, internal, raw, asked } = next();
      const which = internal ? 1 : 0;
      const began = performance.now();
      try {
        if (raw) {
          count(await rawConnection(internal ? options.internal : options.address, raw));
        } else {
          let session = sessions[which];
          if (!session || session.closed || session.destroyed) {
            session = await open(internal);
            sessions[which] = session;
          }
          count(checked(await call(session, asked), asked, internal));
        }
      } catch (error) {
        const bytes = (raw ?? asked.body).subarray(0, 200).toString('hex');
        const name = raw ? 'a raw connection' : asked.name;
        throw new Error(`call ${number}${internal ? ', internal' : ''}, ${name}: ${bytes}`, { cause: error });
      }
      result.slowestMs = Math.max(result.slowestMs, performance.now() - began);
    };
    const lane = async (): Promise<void> => {
      while (result.calls < calls) await one();
    };
    try {
      await Promise.all(Array.from({ length: CALLS_A_SESSION }, lane));
    } finally {
      for (const session of sessions) session.destroy();
    }
  }

  await Promise.all(Array.from({ length: SESSIONS }, work));
  return result;
}
