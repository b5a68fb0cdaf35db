import type { HistoryRead } from '../../proto/generated/gsq/v1/HistoryRead.ts';
import type { ServerHistoryPart__Output } from '../../proto/generated/gsq/v1/ServerHistoryPart.ts';
import type { StoredHistory } from '../history/history-reader.ts';
import type { Figures, HistoryStore, OfflineSpan, SealedHour } from '../history/history-store.ts';
import { incidentsOf } from '../history/incident-events.ts';
import { DAY_MS } from '../history/units.ts';
import type { PeerConnections } from './ask-peer.ts';
import { eventOfMessage, figuresOfMessage, hourOfMessage, timeMessage } from './history-messages.ts';
import { mergeEvents, mergeFigures, mergeHours } from './merge-history.ts';
import { PeerHistory } from './peer-history.ts';

/** Time for which a read of the history waits for another core, ms. */
const TIMEOUT_MS = 3_000;

/** The reads of the history on the disk of one core. */
export type OwnHistory = Pick<HistoryStore, 'hours' | 'quarters' | 'days' | 'incidentEvents' | 'oldest'>;

/** Options of `ClusterHistory`. */
export interface ClusterHistoryOptions {
  /** History on the disk of this core. */
  own: OwnHistory;
  peers: PeerConnections;
  /** Time for which a read of the history waits for another core, ms. Default: TIMEOUT_MS. */
  timeoutMs?: number;
}

/**
 * Reads the history of all cores of a cluster. The history of a server is on the disks of all cores that have owned the
 * server. Each read asks this core and all other cores, and merges what they have.
 *
 * If a core does not answer or cannot read its disk, its part is missing, and the rest is returned. The known time of the
 * figures is then shorter. A read rejects with NoHistory only if all cores fail.
 */
export class ClusterHistory implements StoredHistory {
  /** A core takes up to two hours to roll up a day. The reader assumes a whole day, because a core can be behind. */
  readonly rollupDelayMs = DAY_MS;
  readonly #own: OwnHistory;
  readonly #peers: PeerConnections;
  readonly #timeoutMs: number;
  /** The histories of the other cores, keyed by the id of the core. */
  readonly #others = new Map<string, PeerHistory>();

  constructor({ own, peers, timeoutMs = TIMEOUT_MS }: ClusterHistoryOptions) {
    this.#own = own;
    this.#peers = peers;
    this.#timeoutMs = timeoutMs;
  }

  async hours(key: string, from: number, to: number): Promise<SealedHour[]> {
    const read: HistoryRead = { key, part: 'HISTORY_PART_HOURS', fromMs: from, toMs: to };
    const own = this.#own.hours(key, from, to);
    return mergeHours(await this.#readAll(own, read, ({ hours }) => hours.map(hourOfMessage)));
  }

  async quarters(key: string, from: number, to: number): Promise<Figures[]> {
    const read: HistoryRead = { key, part: 'HISTORY_PART_QUARTERS', fromMs: from, toMs: to };
    const own = this.#own.quarters(key, from, to);
    return mergeFigures(await this.#readAll(own, read, ({ figures }) => figures.map(figuresOfMessage)));
  }

  async days(key: string, from: number, to: number): Promise<Figures[]> {
    const read: HistoryRead = { key, part: 'HISTORY_PART_DAYS', fromMs: from, toMs: to };
    const own = this.#own.days(key, from, to);
    return mergeFigures(await this.#readAll(own, read, ({ figures }) => figures.map(figuresOfMessage)));
  }

  async incidents(key: string, before: number, limit: number): Promise<OfflineSpan[]> {
    const read: HistoryRead = { key, part: 'HISTORY_PART_INCIDENTS', toMs: timeMessage(before), limit };
    const own = this.#own.incidentEvents(key, before, limit);
    const parts = await this.#readAll(own, read, ({ incidents }) => incidents.map(eventOfMessage));
    return incidentsOf(mergeEvents(parts), before, limit);
  }

  oldest(kind: 'hours' | 'quarters'): number {
    const others = this.#otherHistories().map(({ oldest }) => oldest[kind]);
    return Math.min(this.#own.oldest(kind), ...others);
  }

  /**
   * Returns the parts of all cores that answer. `own`: the part of this core. `partOf`: takes the part of another core
   * from its answer. Rejects with the error of this core if all cores fail.
   */
  async #readAll<Part>(
    own: Promise<Part>,
    read: HistoryRead,
    partOf: (answer: ServerHistoryPart__Output) => Part,
  ): Promise<Part[]> {
    const reads = this.#otherHistories().map(other => other.read(read));
    const [ownPart] = await Promise.allSettled([own]);
    const others = (await Promise.all(reads)).flatMap(answer => (answer ? [partOf(answer)] : []));
    if (ownPart.status === 'fulfilled') return [ownPart.value, ...others];
    if (others.length === 0) throw ownPart.reason;
    return others;
  }

  /** Returns the histories of the other cores. Forgets the cores that left the cluster. */
  #otherHistories(): PeerHistory[] {
    const members = this.#peers.others;
    if (this.#others.size > members.length) {
      const live = new Set(members.map(({ id }) => id));
      for (const id of this.#others.keys()) if (!live.has(id)) this.#others.delete(id);
    }
    return members.map(member => {
      const other = this.#others.get(member.id) ?? new PeerHistory(this.#peers, member, this.#timeoutMs);
      this.#others.set(member.id, other);
      return other;
    });
  }
}
