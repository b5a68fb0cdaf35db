import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { normalise } from '../../prober/answers/normalise.ts';
import type { RawStatus } from '../../prober/answers/raw-status.ts';
import type { ExchangeContext, Protocol } from '../../prober/protocols/protocol.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import type { FleetServer, Responder } from '../fleet/responder.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { type Conversation, converse } from './conversation.ts';
import { insertRun, mutateRepliesAtRandom, type Random } from './mutations.ts';

export interface FuzzOptions {
  name: string;
  protocol: Protocol;
  responder: Responder;
  random: Random;
  /** Minimum number of mutated replies that the fuzz run sends to the parser. */
  replies: number;
}

export interface FuzzResult {
  replies: number;
  online: number;
  malformed: number;
  /** Number of queries without a result: after the last reply, the parser still waited for data. */
  waiting: number;
  slowestMs: number;
  /** Seed of the random numbers for the slowest query. The query can be repeated with this seed. */
  slowest: number;
}

const PORT = 27_015;
/** Longest time that a parser is allowed to take for one reply, in milliseconds. */
export const MOST_MS = 50;

function contextOf(random: Random): ExchangeContext {
  const nonce = (BigInt(random(2 ** 31)) << 32n) | BigInt(random(2 ** 31));
  return { host: 'play.example', address: '192.0.2.1', port: PORT, joinPort: PORT, nonce };
}

/** Throws if a parsed status is invalid, or if the payload made from it is invalid. */
function check(protocol: Protocol, status: RawStatus): void {
  for (const number of [status.players, status.maxplayers])
    assert.ok(number === undefined || Number.isInteger(number), String(number));
  const payload = normalise(status, { host: 'h', joinPort: 1, colours: protocol.colours, ping: 1 });
  assert.notEqual(payload.name, '');
  for (const count of [payload.players, payload.maxplayers]) assert.ok(count === undefined || count >= 0);
  for (const text of [payload.name, payload.map, payload.version]) assert.equal(text, text.toWellFormed());
}

function add(result: FuzzResult, { end, replies, slowestMs }: Conversation, seed: number): void {
  result.replies += replies;
  if (end?.kind === 'done') result.online++;
  else if (end) result.malformed++;
  else result.waiting++;
  if (slowestMs > result.slowestMs) {
    result.slowestMs = slowestMs;
    result.slowest = seed;
  }
}

/**
 * Repeats a slow query up to three times, and keeps the shortest time. A pause of the machine can slow down one run,
 * but hardly all of them.
 */
function fastestOf(conversation: Conversation, again: () => Conversation): Conversation {
  let { slowestMs } = conversation;
  for (let i = 0; i < 3 && slowestMs > MOST_MS; i++) slowestMs = Math.min(slowestMs, again().slowestMs);
  return { ...conversation, slowestMs };
}

/**
 * Protocols whose replies contain one line for each player, but no player count. If a reply is truncated between two
 * lines, the parser cannot detect the missing lines and counts too few players.
 */
const COUNTED_BY_LINES = new Set(['hexen2', 'quake1', 'quake2', 'quake3']);

/**
 * Compares a parsed status with the properties of the fake server. Returns true if no property differs. Optional
 * properties may be missing, because a packet can be lost or truncated.
 */
function isTrue(name: string, { playerList, ...facts }: RawStatus, truth: RawStatus): boolean {
  const first = truth.playerList?.slice(0, playerList?.length);
  if (playerList && (!first || playerList.length > first.length)) return false;
  if (playerList && COUNTED_BY_LINES.has(name)) {
    const { players, numbots: _, ...others } = facts;
    return players === playerList.length && isDeepStrictEqual({ ...truth, ...others }, truth);
  }
  return isDeepStrictEqual({ ...truth, ...facts }, truth);
}

/**
 * Queries fake servers whose replies are mutated. Throws if the parser throws, sends too many packets or returns an
 * invalid status.
 */
export function fuzzProtocol({ name, protocol, responder, random, replies }: FuzzOptions): FuzzResult {
  const result = { replies: 0, online: 0, malformed: 0, waiting: 0, slowestMs: 0, slowest: 0 };
  while (result.replies < replies) {
    const seed = random(2 ** 31);
    const again = (): Conversation => {
      const numbers = randomNumbers(seed);
      const server = fleetServer(numbers, PORT, numbers(20) === 0 ? 100 : 12);
      return converse(protocol, responder, server, contextOf(numbers), mutateRepliesAtRandom(numbers));
    };
    try {
      const conversation = again();
      if (conversation.status) check(protocol, conversation.status);
      add(result, fastestOf(conversation, again), seed);
    } catch (error) {
      throw new Error(`${name}, seed ${seed}`, { cause: error });
    }
  }
  return result;
}

/** Returns fake servers with extreme properties: a huge player count, very long names, or invalid text. */
function extremeServers(server: FleetServer): FleetServer[] {
  const player = { name: 'x', score: 1, time: 1 };
  const all = String.fromCharCode(...Array.from({ length: 0x2100 }, (_, i) => i));
  return [
    { ...server, players: Array.from({ length: 100_000 }, (_, i) => ({ ...player, name: `p${i}` })) },
    { ...server, players: Array.from({ length: 300 }, () => ({ ...player, name: 'n'.repeat(10_000) })) },
    { ...server, name: 'n'.repeat(2 ** 20), map: 'm'.repeat(2 ** 20) },
    { ...server, name: all, map: all, version: all, players: [{ ...player, name: all }] },
    { ...server, name: '"'.repeat(50_000), map: '\\'.repeat(50_000), version: '['.repeat(50_000) },
    { ...server, maxplayers: 2 ** 31, players: [] },
  ];
}

/**
 * Queries fake servers with extreme properties: huge player counts, very long names, invalid text. Throws if the parser
 * throws or returns an invalid status.
 */
export function fuzzExtremeServers({
  name,
  protocol,
  responder,
  random,
}: Omit<FuzzOptions, 'replies'>): FuzzResult {
  const result = { replies: 0, online: 0, malformed: 0, waiting: 0, slowestMs: 0, slowest: 0 };
  for (const [which, server] of extremeServers(fleetServer(random, PORT)).entries()) {
    const again = (): Conversation => converse(protocol, responder, server, contextOf(random));
    try {
      const conversation = again();
      if (conversation.status) check(protocol, conversation.status);
      add(result, fastestOf(conversation, again), which);
    } catch (error) {
      // The fake server throws a RangeError if the protocol cannot encode its properties. The test skips such a server.
      if (error instanceof RangeError && /respond/.test(error.stack ?? '')) continue;
      throw new Error(`${name}, extreme server ${which}`, { cause: error });
    }
  }
  return result;
}

/**
 * Number of queries whose replies contain long runs of repeated bytes. It is large enough to find a parser that is slow
 * for only one reply in a hundred.
 */
const CONVERSATIONS_WITH_RUNS = 500;

/**
 * Queries fake servers whose replies contain a long run of the same few bytes. Throws if the parser throws or returns
 * an invalid status.
 */
export function fuzzRuns({ name, protocol, responder, random }: Omit<FuzzOptions, 'replies'>): FuzzResult {
  const result = { replies: 0, online: 0, malformed: 0, waiting: 0, slowestMs: 0, slowest: 0 };
  for (let i = 0; i < CONVERSATIONS_WITH_RUNS && result.slowestMs <= MOST_MS; i++) {
    const seed = random(2 ** 31);
    const again = (): Conversation => {
      const numbers = randomNumbers(seed);
      const server = fleetServer(numbers, PORT);
      return converse(protocol, responder, server, contextOf(numbers), replies =>
        replies.map(reply => (numbers(2) === 0 ? insertRun(reply, numbers) : reply)),
      );
    };
    try {
      const conversation = again();
      if (conversation.status) check(protocol, conversation.status);
      add(result, fastestOf(conversation, again), seed);
    } catch (error) {
      throw new Error(`${name}, run of seed ${seed}`, { cause: error });
    }
  }
  return result;
}

/**
 * Tests the parser with truncated replies: shortens each reply of a fake server to every smaller length. Throws if the
 * parser returns a status with values that the server does not have.
 */
export function fuzzCuts({ name, protocol, responder, random }: Omit<FuzzOptions, 'replies'>): FuzzResult {
  const result = { replies: 0, online: 0, malformed: 0, waiting: 0, slowestMs: 0, slowest: 0 };
  const server: FleetServer = fleetServer(random, PORT);
  const context = contextOf(random);
  const whole: Buffer[] = [];
  const truth = converse(protocol, responder, server, context, replies => {
    whole.push(...replies);
    return replies;
  }).status;
  assert.ok(truth, `${name}: the made-up server was not understood`);
  for (let which = 0; which < whole.length; which++) {
    for (let length = 0; length < (whole[which]?.length ?? 0); length++) {
      let seen = 0;
      const cut = converse(protocol, responder, server, context, replies =>
        replies.map(reply => (seen++ === which ? reply.subarray(0, length) : reply)),
      );
      add(result, cut, which);
      if (!cut.status) continue;
      assert.ok(
        isTrue(name, cut.status, truth),
        `${name}: reply ${which} cut after ${length} bytes became ${JSON.stringify(cut.status)}`,
      );
    }
  }
  return result;
}
