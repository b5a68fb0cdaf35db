import type { ServerRecord, Status } from '../servers/server-record.ts';
import { factsOf, type HookFacts } from './condition.ts';

/** What answers show of a record now. */
export interface ShownNow {
  /** Returns the status that answers show. */
  statusOf(record: ServerRecord): Status;
  /** Returns the payload as JSON text, as a fetch shows it. */
  payloadOf(record: ServerRecord): string;
}

/** A record with its facts. They are computed when they are first needed, and are shared by all conditions. */
export class ServerSnapshot {
  readonly record: ServerRecord;
  readonly #shown: ShownNow;
  #facts: HookFacts | undefined;

  constructor(record: ServerRecord, shown: ShownNow) {
    this.record = record;
    this.#shown = shown;
  }

  get facts(): HookFacts {
    this.#facts ??= factsOf(this.record, this.#shown.statusOf(this.record));
    return this.#facts;
  }
}
