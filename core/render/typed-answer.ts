import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { FetchSink } from '../servers/fetch-request.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { InvalidPair } from '../servers/pair-check.ts';
import type { Label, Status } from '../servers/server-record.ts';
import { DataScanner, UnexpectedDataError } from './data-scanner.ts';
import { fallbackMessages } from './fallback-message.ts';
import { intervalMinutes, type ServerView } from './payload.ts';
import { payloadMessage } from './server-results.ts';

const statusNumbers: Record<Status, number> = { pending: 1, online: 2, offline: 3 };
const INVALID_STATUS = 4;
const labelNumbers: Record<Label, number> = {
  none: 1,
  rate_limited: 2,
  challenge_only: 3,
  filtered: 4,
  cached: 5,
};

/**
 * Writes a FetchServersResponse (gsq/v1/server.proto) as servers are found. The same answer as `fetchResponse` makes
 * of objects, which costs five times as much.
 */
export class TypedAnswer implements FetchSink {
  readonly #out: ByteWriter;
  readonly #now: number;
  readonly #rules: FreshnessRules;
  readonly #invalid: { gameId: string; server: string; invalid: InvalidPair }[] = [];

  constructor(out: ByteWriter, now: number, rules: FreshnessRules) {
    this.#out = out;
    this.#now = now;
    this.#rules = rules;
  }

  known(gameId: string, text: Buffer, start: number, end: number, server: ServerView): void {
    const out = this.#out;
    const stale = showAt(server, this.#now, this.#rules);
    const result = out.open(1);
    out.textField(1, gameId);
    out.bytesField(2, text, start, end);
    const updater = out.open(3);
    out.uintField(1, statusNumbers[server.status]);
    out.uintField(2, intervalMinutes(server.intervalMs));
    out.uintField(3, labelNumbers[server.label]);
    writeTimestamp(out, 4, server.nextProbeAt);
    writeTimestamp(out, 5, server.lastProbeAt);
    writeTimestamp(out, 6, server.lastOnlineAt);
    if (server.status !== 'online') out.textField(7, server.reason);
    out.close(updater);
    if (server.dataEnd > server.dataStart) writePayload(out, server);
    if (stale) {
      const staleStart = out.open(5);
      out.textField(1, stale.reason);
      out.uintField(2, stale.ageSeconds);
      out.uintField(3, stale.thresholdSeconds);
      writeTimestamp(out, 4, stale.lastSuccessAt);
      out.close(staleStart);
    }
    if (server.dataEnd === server.dataStart) out.textField(6, fallbackMessages[server.reason]);
    out.close(result);
  }

  invalid(gameId: string, server: string, invalid: InvalidPair): void {
    const out = this.#out;
    this.#invalid.push({ gameId, server, invalid });
    const result = out.open(1);
    out.textField(1, gameId);
    out.textField(2, server);
    const updater = out.open(3);
    out.uintField(1, INVALID_STATUS);
    out.uintField(3, labelNumbers.none);
    out.close(updater);
    out.textField(6, invalid.message);
    out.close(result);
  }

  /** Ends the answer with its report: nothing was inserted. */
  end(): void {
    const out = this.#out;
    const meta = out.open(2);
    for (const { gameId, server, invalid } of this.#invalid) {
      const start = out.open(3);
      out.textField(1, gameId);
      out.textField(2, server);
      out.textField(3, invalid.reason);
      out.textField(4, invalid.message);
      out.close(start);
    }
    out.close(meta);
  }
}

/** A google.protobuf.Timestamp; absent where it has not happened yet. */
function writeTimestamp(out: ByteWriter, field: number, ms: number): void {
  if (ms === 0) return;
  const seconds = Math.floor(ms / 1000);
  const start = out.open(field);
  out.uintField(1, seconds);
  out.uintField(2, (Math.floor(ms) - seconds * 1000) * 1_000_000);
  out.close(start);
}

/** Writes the field `payload`: in one walk over the data, or by way of objects where another release wrote it. */
function writePayload(out: ByteWriter, server: ServerView): void {
  const before = out.length;
  try {
    scanPayload(out, server);
  } catch (error) {
    if (!(error instanceof UnexpectedDataError)) throw error;
    out.length = before;
    const data = server.bytes.subarray(server.dataStart, server.dataEnd);
    out.bytesField(4, gsqV1.ServerPayload.serialize(payloadMessage(data, server.lastOnlineAt)));
  }
}

const literal = (text: string): Uint8Array => Buffer.from(text);

const NAME = literal('{"name":"');
const MAP = literal(',"map":"');
const PLAYERS = literal(',"players":');
const MAX_PLAYERS = literal(',"maxplayers":');
const NUM_PLAYERS = literal(',"numplayers":');
const NUM_BOTS = literal(',"numbots":');
const NO_PASSWORD = literal(',"password":false,"version":"');
const PASSWORD = literal(',"password":true,"version":"');
const PING = literal(',"ping":');
const CONNECT = literal(',"connect":"');
const UPDATED = literal(',"updated":"');
const RAW = literal(',"raw":{"numbots":');
const PLAYER_LIST = literal(',"players":[');
const PLAYER = literal('{"name":"');
const SCORE = literal(',"score":');
const TIME = literal(',"time":');
const CLOSE = literal('}');
const COMMA = literal(',');
const END = literal(']}');

/** Transcodes what `renderData` wrote. Throws UnexpectedDataError. */
function scanPayload(out: ByteWriter, server: ServerView): void {
  const data = new DataScanner(server.bytes, server.dataStart, server.dataEnd);
  const payload = out.open(4);
  data.expect(NAME);
  data.text(out, 1);
  data.expect(MAP);
  data.text(out, 2);
  if (data.skip(PLAYERS)) out.optionalUintField(3, data.integer());
  if (data.skip(MAX_PLAYERS)) out.optionalUintField(4, data.integer());
  if (data.skip(NUM_PLAYERS)) data.integer();
  data.expect(NUM_BOTS);
  out.uintField(5, data.integer());
  const password = data.skip(PASSWORD);
  if (!password) data.expect(NO_PASSWORD);
  out.uintField(6, password ? 1 : 0);
  data.text(out, 7);
  data.expect(PING);
  out.uintField(8, data.integer());
  data.expect(CONNECT);
  data.text(out, 9);
  data.expect(UPDATED);
  data.pass();
  writeTimestamp(out, 10, server.lastOnlineAt);
  data.expect(RAW);
  data.integer();
  data.expect(PLAYER_LIST);
  if (!data.skip(END)) {
    do {
      const player = out.open(11);
      data.expect(PLAYER);
      data.text(out, 1);
      data.expect(SCORE);
      out.intField(2, data.integer());
      data.expect(TIME);
      out.uintField(3, data.integer());
      data.expect(CLOSE);
      out.close(player);
    } while (data.skip(COMMA));
    data.expect(END);
  }
  out.close(payload);
}
