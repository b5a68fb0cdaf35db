import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import type { RenderedServers } from '../../proto/streams/render-service.ts';
import type { FetchSink } from '../servers/fetch-request.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { InvalidPair } from '../servers/pair-check.ts';
import type { Label, Status } from '../servers/server-record.ts';
import type { ServerView } from '../servers/server-view.ts';
import { fallbackMessages } from './fallback-message.ts';
import { intervalMinutes } from './payload.ts';

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
 * Writes a FetchServersResponse (gsq/v1/server.proto) as bytes, server by server. `fetchResponse` returns the same
 * content, but creates an object for each server, which costs far more.
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
    const result = out.openField(1);
    out.textField(1, gameId);
    out.bytesField(2, text, start, end);
    writeServerResult(out, server, this.#now, this.#rules);
    out.closeField(result);
  }

  rendered(
    gameId: string,
    text: Buffer,
    start: number,
    end: number,
    rendered: RenderedServers,
    index: number,
  ): void {
    const out = this.#out;
    const result = out.openField(1);
    out.textField(1, gameId);
    out.bytesField(2, text, start, end);
    out.copyRange(rendered.bytes, rendered.spans[2 * index] ?? 0, rendered.spans[2 * index + 1] ?? 0);
    out.closeField(result);
  }

  invalid(gameId: string, server: string, invalid: InvalidPair): void {
    const out = this.#out;
    this.#invalid.push({ gameId, server, invalid });
    const result = out.openField(1);
    out.textField(1, gameId);
    out.textField(2, server);
    const updater = out.openField(3);
    out.uintField(1, INVALID_STATUS);
    out.uintField(3, labelNumbers.none);
    out.closeField(updater);
    out.textField(6, invalid.message);
    out.closeField(result);
  }

  /**
   * Writes the field `meta`, the end of a FetchServersResponse. Its list of inserted servers stays empty, because
   * `TypedAnswer` only answers fetches that insert no servers.
   */
  end(): void {
    const out = this.#out;
    const meta = out.openField(2);
    for (const { gameId, server, invalid } of this.#invalid) {
      const start = out.openField(3);
      out.textField(1, gameId);
      out.textField(2, server);
      out.textField(3, invalid.reason);
      out.textField(4, invalid.message);
      out.closeField(start);
    }
    out.closeField(meta);
  }
}

/** Encodes a ServerResult for an answer at the time `now` (Unix ms). Leaves out the fields `game_id` and `server`. */
export function writeServerResult(
  out: ByteWriter,
  server: ServerView,
  now: number,
  rules: FreshnessRules,
): void {
  const stale = showAt(server, now, rules);
  const updater = out.openField(3);
  out.uintField(1, statusNumbers[server.status]);
  out.uintField(2, intervalMinutes(server.intervalMs));
  out.uintField(3, labelNumbers[server.label]);
  writeTimestamp(out, 4, server.nextProbeAt);
  writeTimestamp(out, 5, server.lastProbeAt);
  writeTimestamp(out, 6, server.lastOnlineAt);
  if (server.status !== 'online') out.textField(7, server.reason);
  out.closeField(updater);
  if (server.lastOnlineAt !== 0) writePayload(out, server);
  if (stale) {
    const staleStart = out.openField(5);
    out.textField(1, stale.reason);
    out.uintField(2, stale.ageSeconds);
    out.uintField(3, stale.thresholdSeconds);
    writeTimestamp(out, 4, stale.lastSuccessAt);
    out.closeField(staleStart);
  }
  if (server.lastOnlineAt === 0) out.textField(6, fallbackMessages[server.reason]);
}

/** Writes a google.protobuf.Timestamp. Writes nothing for 0, the time of an event that has not happened yet. */
function writeTimestamp(out: ByteWriter, field: number, ms: number): void {
  if (ms === 0) return;
  const seconds = Math.floor(ms / 1000);
  const start = out.openField(field);
  out.uintField(1, seconds);
  out.uintField(2, (Math.floor(ms) - seconds * 1000) * 1_000_000);
  out.closeField(start);
}

const payload = new PayloadReader();

/**
 * Writes the field `payload`. It contains the stored payload and the field `updated`, the time of the last valid reply.
 * If the stored payload has no `connect`, adds the address of the server as `connect`.
 */
function writePayload(out: ByteWriter, server: ServerView): void {
  const { bytes, dataStart, dataEnd } = server;
  payload.read(bytes, dataStart, dataEnd);
  const start = out.openField(4);
  // Protobuf fields are written in ascending order of their numbers. `connect` (9) and `updated` (10) have smaller
  // numbers than the player list, so they are written before it.
  out.copyRange(bytes, dataStart, payload.playerListStart);
  if (payload.connectStart === payload.connectEnd)
    out.bytesField(9, server.addressBytes, server.addressStart, server.addressEnd);
  writeTimestamp(out, 10, server.lastOnlineAt);
  out.copyRange(bytes, payload.playerListStart, dataEnd);
  out.closeField(start);
}
