import type { AddressGroup } from '../../proto/codec/fetch-messages.ts';
import { OPERATOR } from '../admission/insert-guard.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { DistinctAddresses } from './distinct-addresses.ts';
import { type Candidate, Inserter, type InserterParts, isAdopted } from './inserter.ts';
import { checkAddress, type InvalidPair, type InvalidReason, unknownGame } from './pair-check.ts';
import { newPointer } from './record-codec.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import type { FragmentCache } from './server-store.ts';
import { emptyView, type ServerView, showPointer, viewOf } from './server-view.ts';

/** Addresses a request may name, all groups together (CONTRACT, POST_3). */
export const MAX_ADDRESSES = 1000;
/** What JSON writes otherwise than it is. */
const ESCAPED = /["\\\p{Cc}]/u;

/** Addresses of one game, as a caller wrote them. */
export interface ServerGroup {
  gameId: string;
  servers: readonly string[];
}

/** One pair of a request, as the caller wrote it, and what is known of it. */
export interface FetchedPair {
  gameId: string;
  server: string;
  /** Where the pair is valid. */
  record?: ServerRecord;
  /** Where it is not. */
  invalid?: InvalidPair;
  /** Whether this request inserted it. */
  inserted: boolean;
}

/** Takes the pairs of a request one by one, as they are found. */
export interface FetchSink {
  /** A tracked server. Its address lies in `text` and needs no escaping in JSON; `server` holds until this returns. */
  known(gameId: string, text: Buffer, start: number, end: number, server: ServerView): void;
  invalid(gameId: string, server: string, invalid: InvalidPair): void;
}

export interface ServerFetchParts extends InserterParts {
  catalog: { current(): CatalogSnapshot };
}

/** What is found, while a request is looked through, that is to be done for it. */
interface Findings {
  insertedBy: string;
  /** Pairs to insert. */
  candidates: Candidate[];
  /** Pairs that never answered and are to be tried again. */
  due: ServerRecord[];
}

/** Number of addresses a request names. */
export function countAddresses(groups: readonly ServerGroup[]): number {
  return groups.reduce((sum, group) => sum + group.servers.length, 0);
}

/** Number of addresses that groups in place name. */
export function countSpans(groups: readonly AddressGroup[]): number {
  let spans = 0;
  for (const group of groups) spans += group.spans.length;
  return spans / 2;
}

/** The same groups with their addresses as text. */
export function asText(groups: readonly AddressGroup[]): ServerGroup[] {
  return groups.map(({ gameId, bytes, spans }) => {
    const servers: string[] = [];
    for (let i = 0; i < spans.length; i += 2) servers.push(bytes.toString('utf8', spans[i], spans[i + 1]));
    return { gameId, servers };
  });
}

/** The one road to server data: returns what is stored and inserts the valid pairs that are unknown (SPEC, fetch rules). */
export class ServerFetch {
  readonly #parts: ServerFetchParts;
  readonly #inserter: Inserter;
  readonly #distinct = new DistinctAddresses();
  readonly #place = newPointer();
  readonly #view = emptyView();
  readonly #invalid: Record<InvalidReason, number> = {
    unknown_game: 0,
    malformed_address: 0,
    blocked_address: 0,
    unresolvable_host: 0,
    insert_quota: 0,
  };
  /** Those of the request under way, which is counted once it is known to go the fast road. */
  readonly #invalidNow: InvalidReason[] = [];
  /** Pairs of the request under way that never answered and are due for another try. */
  readonly #dueNow: ServerRecord[] = [];

  constructor(parts: ServerFetchParts) {
    this.#parts = parts;
    this.#inserter = new Inserter(parts);
  }

  /** Pairs that were answered as invalid so far, by reason. */
  get invalid(): Readonly<Record<InvalidReason, number>> {
    return this.#invalid;
  }

  /** What answers can be joined of. */
  get parts(): FragmentCache {
    return this.#parts.store.parts;
  }

  /** What plain answers can be joined of. */
  get texts(): FragmentCache {
    return this.#parts.store.texts;
  }

  /**
   * The fast road: hands the pairs over in order, without an object of any. Returns false as soon as a pair has to be
   * inserted, or an address comes a second time; then `fetch` is the road for the whole request, and what the sink
   * was given is to be forgotten.
   */
  writeKnown(groups: readonly AddressGroup[], sink: FetchSink): boolean {
    const { catalog, policy } = this.#parts;
    const games = catalog.current();
    const view = this.#view;
    this.#invalidNow.length = 0;
    this.#dueNow.length = 0;
    this.#distinct.begin();
    for (const { gameId, bytes, spans } of groups) {
      const game = games.find(gameId);
      for (let i = 0; i < spans.length; i += 2) {
        const start = spans[i] ?? 0;
        const end = spans[i + 1] ?? 0;
        if (!this.#distinct.add(bytes, start, end)) return false;
        // Most callers write addresses in canonical form, which is the key; so a hit needs no parsing.
        if (game && this.#find(game.id, bytes, start, end)) {
          sink.known(gameId, bytes, start, end, view);
          continue;
        }
        const server = bytes.toString('utf8', start, end);
        // Bytes that are no UTF-8 all read alike, so that different ones can be one key of the answer.
        if (server.includes('\ufffd')) return false;
        const address = game ? checkAddress(server, policy) : unknownGame;
        if ('reason' in address) {
          this.#invalidNow.push(address.reason);
          sink.invalid(gameId, server, address);
        } else if (!game || !this.#writeCanonical(game.id, gameId, server, address.canonical, sink))
          return false;
      }
    }
    for (const reason of this.#invalidNow) this.#invalid[reason]++;
    if (this.#dueNow.length > 0) this.#inserter.retry([...this.#dueNow]);
    return true;
  }

  /** Makes the view show the server of a canonical address; false where it is not tracked. */
  #find(id: string, text: Uint8Array, start: number, end: number): boolean {
    if (!this.#parts.store.find(id, text, start, end, this.#place)) return false;
    showPointer(this.#view, this.#place);
    return true;
  }

  /**
   * Hands over a server by its canonical address, if it is tracked but written in another form, or if it never answered
   * and was given up; false if it is neither.
   */
  #writeCanonical(id: string, gameId: string, server: string, canonical: string, sink: FetchSink): boolean {
    // What would have to be escaped in JSON is rare enough for the slower path.
    if (ESCAPED.test(server)) return false;
    const key = Buffer.from(canonical);
    let view = this.#view;
    if (!this.#find(id, key, 0, key.length)) {
      const record = this.#parts.unanswered.find(serverKey(id, canonical), this.#dueNow);
      if (!record) return false;
      view = viewOf(record);
    }
    const text = Buffer.from(server);
    sink.known(gameId, text, 0, text.length, view);
    return true;
  }

  /**
   * Distinct pairs of the request, in its order. Waits for the store to make inserts durable, for names to be looked
   * up, and up to `waitMs` for the first probe of what was inserted; never otherwise for a probe.
   */
  async fetch(groups: readonly ServerGroup[], insertedBy: string, waitMs: number): Promise<FetchedPair[]> {
    const pairs: FetchedPair[] = [];
    const findings: Findings = { insertedBy, candidates: [], due: [] };
    const seen = new Set<string>();
    const games = this.#parts.catalog.current();
    for (const group of groups) {
      const game = games.find(group.gameId);
      for (const server of group.servers) {
        // JSON, because callers may put anything into either half.
        const written = JSON.stringify([group.gameId, server]);
        if (seen.has(written)) continue;
        seen.add(written);
        const pair: FetchedPair = { gameId: group.gameId, server, inserted: false };
        pairs.push(pair);
        if (!game) pair.invalid = unknownGame;
        else this.#look(pair, game.id, findings);
      }
    }
    const { candidates, due } = findings;
    if (due.length > 0) this.#inserter.retry(due);
    if (candidates.length > 0) await this.#inserter.insert(candidates, insertedBy, waitMs);
    for (const { invalid } of pairs) if (invalid) this.#invalid[invalid.reason]++;
    if (candidates.length === 0) return pairs;
    // What was known has gone on while the others were looked up and inserted.
    for (const pair of pairs) {
      if (pair.record) pair.record = this.#get(pair.record.key) ?? pair.record;
    }
    return pairs;
  }

  /** Fills in what is known of a pair, or what is wrong with it, or makes it a candidate for insertion. */
  #look(pair: FetchedPair, gameId: string, { insertedBy, candidates, due }: Findings): void {
    // Most callers write addresses in canonical form, which is the key; so a hit needs no parsing.
    const known = this.#get(serverKey(gameId, pair.server));
    if (known && !isAdopted(known, insertedBy)) {
      pair.record = known;
      return;
    }
    const address = checkAddress(pair.server, this.#parts.policy);
    if ('reason' in address) {
      pair.invalid = address;
      return;
    }
    const key = serverKey(gameId, address.canonical);
    const record =
      this.#get(key) ?? (insertedBy === OPERATOR ? undefined : this.#parts.unanswered.find(key, due));
    if (record && !isAdopted(record, insertedBy)) pair.record = record;
    else {
      const candidate = { pair, gameId, address: address.canonical };
      candidates.push(address.kind === 'name' ? { ...candidate, name: address.host } : candidate);
    }
  }

  #get(key: string): ServerRecord | undefined {
    return this.#parts.store.getMany([key])[0];
  }
}
