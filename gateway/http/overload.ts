import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { ServiceError } from '../../proto/service-error.ts';
import { errorReply } from './error-reply.ts';
import type { Exchange, Reply } from './exchange.ts';
import { deflateFragment, GzipMember } from './gzip-member.ts';

/**
 * CORE_1 where more is in progress than the service takes. Throwing this one asks the listener to let the connection
 * rest; it is one for all, since making an Error takes 6 µs, as long as the rest of the refusal.
 */
export const overloaded = new ServiceError(
  'CORE_1',
  'The service has too many requests in progress; try again.',
  { retryAfterSeconds: 1 },
);

// The body is the same for all but for its last value.
const { body: sample, ...RESPONSE } = errorReply(overloaded, '');
const TAIL = '"}';
const HEAD = Buffer.from(sample ?? '').subarray(0, -TAIL.length);
const HEAD_DEFLATED = deflateFragment(HEAD);
const HEAD_CRC = crc32(HEAD);

/** What `errorReply` makes of `overloaded`, and its compressed form, in 3 µs instead of 12. */
export function overloadReply(requestId: string): Reply {
  // A sane request id is ASCII without anything JSON escapes.
  const tail = Buffer.from(requestId + TAIL, 'latin1');
  return {
    ...RESPONSE,
    logged: true,
    body: Buffer.concat([HEAD, tail]),
    gzipped: () => {
      const member = new GzipMember(2, HEAD_DEFLATED.length + tail.length);
      member.addFragment(HEAD_DEFLATED, 0, HEAD_DEFLATED.length);
      member.addStored(tail, 0, tail.length);
      return member.end(crc32(tail, HEAD_CRC), HEAD.length + tail.length);
    },
  };
}

/** Calls `tick` every `ms` milliseconds until the function it returns is called. */
export type Every = (ms: number, tick: () => void) => () => void;

const TICK_MS = 100;
const TICKS = 10;

/**
 * Leaves connections unread for the second their callers were told to wait, so that those who come back at once do not
 * take the time of those being served. One timer for all, which runs while any connection rests.
 */
export class RestingConnections {
  readonly #every: Every;
  /** A ring; each holds what the tick that reaches it wakes. */
  readonly #slots: Socket[][] = Array.from({ length: TICKS }, () => []);
  #slot = 0;
  #resting = 0;
  #stop: (() => void) | undefined;

  constructor(every: Every = everyInterval) {
    this.#every = every;
  }

  /** Lets the connection of an answer rest, unless the answer closes it: at most a second, and not past its end. */
  rest({ request, headers }: Exchange, response: ServerResponse): void {
    const { socket } = request;
    // What was paused before rests already, or waits for its caller to read.
    if (!response.shouldKeepAlive || headers.Connection === 'close' || socket.isPaused()) return;
    socket.pause();
    this.#slots[this.#slot]?.push(socket);
    this.#resting++;
    this.#stop ??= this.#every(TICK_MS, () => this.#tick());
  }

  #tick(): void {
    this.#slot = (this.#slot + 1) % TICKS;
    const due = this.#slots[this.#slot] ?? [];
    this.#slots[this.#slot] = [];
    this.#resting -= due.length;
    for (const socket of due) if (!socket.destroyed) socket.resume();
    if (this.#resting > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}

function everyInterval(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
}
