import type { ServerRecord, Status } from '../servers/server-record.ts';
import { factsOf, type HookFacts } from './condition.ts';

/**
 * A server record, or the reason why there is none. Undefined: the server is not tracked. `unread`: the record must
 * first be read from another core.
 */
export type ReadRecord = ServerRecord | 'unread' | undefined;

/** Converts a server record to the status and the payload that a fetch of this server would return now. */
export interface ShownNow {
  /** Returns the status that a fetch of the server would show now. */
  statusOf(record: ServerRecord): Status;
  /** Returns the payload that a fetch of the server would show now, as JSON text. */
  payloadOf(record: ServerRecord): string;
}

/**
 * A server record, with the fields that webhook conditions check and the payload for deliveries (20 KB for 255
 * players). The fields and the payload are computed at most once each, even if several conditions need them.
 */
export class ServerSnapshot {
  readonly record: ServerRecord;
  readonly #shown: ShownNow;
  #facts: HookFacts | undefined;
  #payload: string | undefined;
  #summary: string | undefined;

  constructor(record: ServerRecord, shown: ShownNow) {
    this.record = record;
    this.#shown = shown;
  }

  get facts(): HookFacts {
    this.#facts ??= factsOf(this.record, this.#shown.statusOf(this.record));
    return this.#facts;
  }

  /** The payload of the server as JSON text. */
  get payload(): string {
    this.#payload ??= this.#shown.payloadOf(this.record);
    return this.#payload;
  }

  /**
   * The payload of the server as JSON text, without the key `raw` (the list of players). This text is shorter than 4
   * KB. The core keeps one such text in memory for each webhook condition with a pending delivery.
   */
  get summary(): string {
    if (this.#summary === undefined) {
      const { raw: _, ...summary } = JSON.parse(this.payload) as Record<string, unknown>;
      this.#summary = JSON.stringify(summary);
    }
    return this.#summary;
  }
}
