import type { HistoryRead } from '../../proto/generated/gsq/v1/HistoryRead.ts';
import type { ReadHistoryPartResponse__Output } from '../../proto/generated/gsq/v1/ReadHistoryPartResponse.ts';
import type { ServerHistoryPart__Output } from '../../proto/generated/gsq/v1/ServerHistoryPart.ts';
import type { Member } from '../cluster/ownership.ts';
import { askPeer, type PeerConnections } from './ask-peer.ts';

/** Maximum number of reads in one call. */
const MOST_READS = 128;

/** The part of the result of a read that another core has; undefined if the core cannot be read. */
export type PeerPart = ServerHistoryPart__Output | undefined;

interface Waiting {
  readonly read: HistoryRead;
  resolve(part: PeerPart): void;
}

/**
 * The history on the disk of another core. Reads that begin in the same turn of the event loop are sent together: the
 * trends of 100 servers then take a few calls to the other core, and not hundreds.
 */
export class PeerHistory {
  readonly #peers: PeerConnections;
  readonly #member: Member;
  readonly #timeoutMs: number;
  /** Reads of this turn of the event loop. Their number is limited, because each of them belongs to a call. */
  #waiting: Waiting[] = [];
  #oldest = { hours: 0, quarters: 0 };

  /** `timeoutMs`: time for which a read waits for the other core, ms. */
  constructor(peers: PeerConnections, member: Member, timeoutMs: number) {
    this.#peers = peers;
    this.#member = member;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Times before which the other core has no samples and no figures of quarter hours, as of its last answer, Unix ms. A
   * time is 0 if it is not known or if the core had no such data.
   */
  get oldest(): { readonly hours: number; readonly quarters: number } {
    return this.#oldest;
  }

  /** Reads a part of the history. Resolves to undefined if the other core does not answer or cannot read the part. */
  read(read: HistoryRead): Promise<PeerPart> {
    return new Promise(resolve => {
      this.#waiting.push({ read, resolve });
      if (this.#waiting.length === 1) setImmediate(() => this.#sendAll());
    });
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < waiting.length; i += MOST_READS) void this.#send(waiting.slice(i, i + MOST_READS));
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    const request = { reads: waiting.map(({ read }) => read) };
    const answer = await askPeer<ReadHistoryPartResponse__Output>(
      this.#peers,
      this.#member,
      this.#timeoutMs,
      (client, ...rest) => client.readHistoryPart(request, ...rest),
    ).catch(() => undefined);
    if (answer) this.#oldest = { hours: answer.oldestHoursMs, quarters: answer.oldestQuartersMs };
    waiting.forEach(({ resolve }, i) => {
      const part = answer?.results[i];
      resolve(part?.unreadable ? undefined : part);
    });
  }
}
