import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { status } from '@grpc/grpc-js';
import { googleRpc, gsqV1 } from '../../proto/descriptors.ts';
import { isReasonCode, reasons } from '../../proto/reasons.ts';
import { destroySession } from '../http2-session.ts';
import { type GrpcCase, grpcCase } from './grpc-calls.ts';
import { rawBytes, rawConnection } from './grpc-frames.ts';
import { HANG_MS, loopbackAddress } from './http-connection.ts';
import type { Random } from './mutations.ts';

export interface GrpcFuzzOptions {
  /** `host:port` of the public gRPC port of the fuzzed core. */
  address: string;
  /**
   * `host:port` of the internal gRPC port of the fuzzed core. The fuzzed calls do not contain the secret of this port.
   */
  internal: string;
  random: Random;
  calls: number;
}

export interface GrpcFuzzResult {
  calls: number;
  /**
   * Number of answers to gRPC calls, keyed by status name. `reset` and `closed` count the calls whose stream or
   * connection ended without an answer.
   */
  answers: Record<string, number>;
  sessions: number;
  slowestMs: number;
}

const SESSIONS = 4;
const CALLS_A_SESSION = 4;
/** Every 40th random gRPC call is replaced by a raw connection with invalid HTTP/2. */
const RAW_EVERY = 40;
/** Time in milliseconds after which the client ends a stream that does not end by itself. */
const SILENCE_MS = 40;
/**
 * Time from the start of a stream until the client resets it, in milliseconds. It is not 0, because the HTTP/2 client
 * of Node fails if it opens and resets a stream in the same iteration of the event loop.
 */
const RESET_MS = 2;

/**
 * Patterns for error messages that the library grpc-js itself creates, keyed by gRPC status. Such errors have no error
 * code of gsq. They are allowed only on the internal port.
 */
const GRPC_JS_MESSAGES: Partial<Record<keyof typeof status, RegExp>> = {
  INTERNAL: /^(Error deserializing request|Invalid grpc-timeout value|Failed to decompress message)/,
  UNIMPLEMENTED:
    /^(The server does not implement|Received (a second|no) request|Received message compressed)/,
  RESOURCE_EXHAUSTED: /^Received message (larger|that decompresses)/,
  DEADLINE_EXCEEDED: /^Deadline exceeded/,
};

interface Answer {
  /** The `:status` header of the answer to a gRPC call; undefined if there was no answer. */
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
      void destroySession(session);
    }, HANG_MS);
    let silence: NodeJS.Timeout | undefined;
    const addHeaders = (fields: IncomingHttpHeaders): void => {
      answer.http ??= Number(fields[':status']);
      Object.assign(answer.fields, fields);
      // Ends a stream that the server keeps open. For example, a health Watch stream sends one answer, and then nothing
      // until the health status changes.
      if (answer.fields['grpc-status'] === undefined)
        silence ??= setTimeout(() => stream.destroy(), SILENCE_MS);
    };
    stream.on('response', addHeaders);
    stream.on('trailers', addHeaders);
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

/**
 * Returns the error code in the header `grpc-status-details-bin` (see docs/errors.md). Returns undefined if the header
 * contains no error code.
 */
function reasonOf(fields: IncomingHttpHeaders): string | undefined {
  const bytes = fields['grpc-status-details-bin'];
  if (typeof bytes !== 'string') return undefined;
  const { details } = googleRpc.Status.deserialize(Buffer.from(bytes, 'base64'));
  const info = details.find(({ type_url: url }) => url === 'type.googleapis.com/google.rpc.ErrorInfo');
  return info && googleRpc.ErrorInfo.deserialize(info.value).reason;
}

/**
 * Decodes the percent-encoding in an error message. The message about an unknown path contains this path in
 * percent-encoded form.
 */
function unescaped(message: string): string {
  try {
    return decodeURI(message);
  } catch {
    return message;
  }
}

/**
 * Throws if the documentation does not allow this answer to this call. Returns the key under which the answer is
 * counted.
 */
function checked({ http, fields, body, resetCode }: Answer, sent: GrpcCase, internal: boolean): string {
  if (http === undefined) return resetCode === 0 ? 'closed' : 'reset';
  if (http === 415) return '415';
  assert.equal(http, 200);
  const code = fields['grpc-status'];
  // The answer has no gRPC status, because the client reset or closed the stream before the server ended the call.
  if (code === undefined) return 'going on';
  const name = status[Number(code)] as keyof typeof status;
  const message = unescaped(String(fields['grpc-message'] ?? ''));
  const reason = reasonOf(fields);
  if (name === 'OK') {
    assert.ok(!internal, 'answered without the secret');
    if (sent.results !== undefined) {
      const { results } = gsqV1.ServerService.service.FetchServers.responseDeserialize(body.subarray(5));
      assert.equal(results.length, sent.results);
    }
    return name;
  }
  if (sent.results !== undefined) assert.fail(`a right call failed: ${name} ${message}`);
  if (reason !== undefined) {
    assert.ok(isReasonCode(reason), reason);
    assert.notEqual(reason, 'INTERNAL_1', message);
    assert.equal(Number(code), reasons[reason].grpc);
    if (internal) assert.equal(reason, 'AUTH_5');
    return reason;
  }
  assert.ok(internal, `an error of the public port has no code: ${name} ${message}`);
  assert.match(message, GRPC_JS_MESSAGES[name] ?? /^$/, `${name}: ${message}`);
  return name;
}

/**
 * Makes random gRPC calls, most of them invalid. Rejects if an answer is undocumented, if the internal port
 * accepts a call without its secret, or if a call hangs.
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

  // Makes all random choices of a call before it is sent. So the calls depend only on the seed, and not on the order of
  // the answers.
  const next = () => {
    const number = ++result.calls;
    const internal = number % 4 === 3;
    const raw = number % RAW_EVERY === 0 ? rawBytes(random) : undefined;
    return { number, internal, raw, sent: grpcCase(random, internal) };
  };

  async function work(): Promise<void> {
    const sessions = [await open(false), await open(true)];
    const one = async (): Promise<void> => {
      const { number, internal, raw, sent } = next();
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
          count(checked(await call(session, sent), sent, internal));
        }
      } catch (error) {
        const bytes = (raw ?? sent.body).subarray(0, 200).toString('hex');
        const name = raw ? 'a raw connection' : sent.name;
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
      await Promise.all(sessions.map(destroySession));
    }
  }

  await Promise.all(Array.from({ length: SESSIONS }, work));
  return result;
}
