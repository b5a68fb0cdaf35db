import type { Socket } from 'node:net';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { deflatePart, GzipMember } from '../../proto/codec/gzip-member.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { errorReply } from './error-reply.ts';
import type { Exchange, Reply, Response } from './exchange.ts';

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
const HEAD_DEFLATED = deflatePart(HEAD);
const writer = new ByteWriter();

/** What `errorReply` makes of `overloaded`, with another wait, and its compressed form, in 3 µs instead of 12. */
export function overloadReply(requestId: string, retryAfterSeconds: number): Reply {
  // A sane request id is ASCII without anything JSON escapes.
  const tail = requestId + TAIL;
  return {
    ...RESPONSE,
    headers: { ...RESPONSE.headers, 'Retry-After': String(retryAfterSeconds) },
    logged: true,
    body: Buffer.concat([HEAD, Buffer.from(tail, 'latin1')]),
    gzipped: () => {
      const member = new GzipMember(writer);
      member.part(HEAD_DEFLATED, 0, HEAD_DEFLATED.length);
      writer.text(tail);
      member.end();
      return writer.take();
    },
  };
}

/** Calls `tick` every `ms` milliseconds until the function it returns is called. */
export type Every = (ms: number, tick: () => void) => () => void;

const TICK_MS = 100;
/** What the rest of one that is refused again and again grows to at most. */
const MAX_SECONDS = 8;
const TICKS = (MAX_SECONDS * 1000) / TICK_MS;
/** A refusal so soon after a rest makes the next one twice as long. */
const SOON_MS = 1000;

interface Rest {
  seconds: number;
  endsAt: number;
}

/**
 * Leaves connections unread for as long as their callers were told to wait, so that those who come back at once do not
 * take the time of those being served: a second, and twice as long each time it was not enough. One timer for all,
 * which runs while any connection rests.
 */
export class RestingConnections {
  readonly #every: Every;
  readonly #over: () => void;
  readonly #maxSeconds: number;
  /** A ring; each holds what the tick that reaches it wakes. */
  readonly #slots: Socket[][] = Array.from({ length: TICKS }, () => []);
  readonly #last = new WeakMap<Socket, Rest>();
  #slot = 0;
  #resting = 0;
  #stop: (() => void) | undefined;

  /** A rest grows to `maxSeconds`, 8 at most. `over` is told when the last of those that rested is read again. */
  constructor(maxSeconds = MAX_SECONDS, over: () => void = () => {}, every: Every = everyInterval) {
    this.#maxSeconds = maxSeconds;
    this.#over = over;
    this.#every = every;
  }

  /**
   * Lets the connection of a refusal made at `now` (milliseconds) rest, unless its answer closes it. Returns for how many
   * seconds, which is what its caller is to be told.
   */
  rest({ request, headers }: Exchange, response: Response, now: number): number {
    const { socket } = request;
    const last = this.#last.get(socket);
    // A request that was sent behind the one for which the connection rests already.
    if (last && now < last.endsAt) return last.seconds;
    const again = last && now - last.endsAt < SOON_MS;
    const seconds = again ? Math.min(last.seconds * 2, this.#maxSeconds) : 1;
    // What is paused otherwise waits for its caller to read.
    if (!response.shouldKeepAlive || headers.Connection === 'close' || socket.isPaused()) return seconds;
    this.#last.set(socket, { seconds, endsAt: now + seconds * 1000 });
    socket.pause();
    this.#slots[(this.#slot + (seconds * 1000) / TICK_MS) % TICKS]?.push(socket);
    this.#resting++;
    this.#stop ??= this.#every(TICK_MS, () => this.#tick());
    return seconds;
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
    this.#over();
  }
}

function everyInterval(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
}
