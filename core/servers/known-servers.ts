import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { DistinctAddresses } from './distinct-addresses.ts';
import { type FetchSink, MAX_ADDRESSES } from './fetch-request.ts';
import type { InserterDependencies } from './inserter.ts';
import { checkAddress, type InvalidPair, type InvalidReason, unknownGame } from './pair-check.ts';
import { newPointer, slotAt } from './record-pointer.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import { emptyView, showPointer, viewOf } from './server-view.ts';

/** Matches texts with characters that JSON must escape. */
const ESCAPED = /["\\\p{Cc}]/u;

/** An invalid address of a request, in the form in which the caller wrote it. */
interface InvalidAddress {
  server: string;
  fault: InvalidPair;
}

/** Dependencies of `KnownServers`. */
export interface KnownServersDependencies extends Pick<InserterDependencies, 'store' | 'givenUp' | 'policy'> {
  catalog: { current(): CatalogSnapshot };
}

/**
 * Finds the servers of a request fast: by the bytes of their addresses, without an object per server. It can serve a
 * request only if no server must be inserted and no address appears twice. An instance holds the result of one request
 * at a time. The result is valid until the store changes.
 */
export class KnownServers {
  readonly #dependencies: KnownServersDependencies;
  readonly #distinct = new DistinctAddresses();
  readonly #pointer = newPointer();
  readonly #view = emptyView();
  /**
   * For each address of the request: the index of its server in the table of tracked servers (slot). If the address
   * means no tracked server, the value is -1 - n, and the result is `#untracked[n]`.
   */
  readonly #slots = new Int32Array(MAX_ADDRESSES);
  /**
   * Results for the addresses of the request that mean no tracked server: invalid addresses, and records of servers
   * that gsq gave up.
   */
  readonly #untracked: (InvalidAddress | ServerRecord)[] = [];

  /** Number of pairs in the request. */
  count = 0;
  /** One reason for each invalid pair of game and address in the request. */
  readonly invalid: InvalidReason[] = [];
  /** Servers of the request that gsq gave up, and that it must now try again. */
  readonly due: ServerRecord[] = [];

  constructor(dependencies: KnownServersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Finds the servers of a request. Returns false if this class cannot serve the request: a server must be inserted,
   * two addresses are perhaps equal, or there are more than `MAX_ADDRESSES` addresses. `ServerFetch.fetch` must serve
   * such a request.
   */
  find(groups: readonly AddressGroup[]): boolean {
    const games = this.#dependencies.catalog.current();
    const pointer = this.#pointer;
    this.count = 0;
    // Empties the arrays only if needed. They are nearly always empty, and setting a length takes 0.1 µs.
    if (this.#untracked.length > 0) this.#untracked.length = 0;
    if (this.invalid.length > 0) this.invalid.length = 0;
    if (this.due.length > 0) this.due.length = 0;
    this.#distinct.begin();
    for (const { gameId, bytes, spans } of groups) {
      const game = games.find(gameId);
      for (let i = 0; i < spans.length; i += 2) {
        const start = spans[i] ?? 0;
        const end = spans[i + 1] ?? 0;
        if (this.count === MAX_ADDRESSES || !this.#distinct.addAddress(bytes, start, end)) return false;
        // First tries the address as the caller wrote it. Most callers use the canonical form, so the address is
        // usually found without parsing.
        const isTracked = game && this.#dependencies.store.find(game.id, bytes, start, end, pointer);
        if (isTracked) this.#slots[this.count++] = slotAt(pointer);
        else if (!this.#findText(game?.id, bytes.toString('utf8', start, end))) return false;
      }
    }
    return true;
  }

  /**
   * Passes the results of the last `find` to a sink, in the order of the request. `groups` must be the groups that
   * `find` searched.
   */
  writeTo(sink: FetchSink, groups: readonly AddressGroup[]): void {
    let n = 0;
    for (const { gameId, bytes, spans } of groups) {
      for (let i = 0; i < spans.length; i += 2) {
        const slot = this.#slots[n++] as number;
        if (slot >= 0) {
          this.#dependencies.store.locate(slot, this.#pointer);
          showPointer(this.#view, this.#pointer);
          sink.known(gameId, bytes, spans[i] ?? 0, spans[i + 1] ?? 0, this.#view);
          continue;
        }
        const other = this.#untracked[-1 - slot] as InvalidAddress | ServerRecord;
        if ('fault' in other) sink.invalid(gameId, other.server, other.fault);
        else sink.known(gameId, bytes, spans[i] ?? 0, spans[i + 1] ?? 0, viewOf(other));
      }
    }
  }

  /**
   * Handles an address that is not written like the address of a tracked server. Returns true if the result is known:
   * the address is invalid, or it means a tracked server or a server that gsq gave up. Returns false if
   * `ServerFetch.fetch` must handle the address.
   */
  #findText(id: string | undefined, server: string): boolean {
    // All invalid UTF-8 decodes to U+FFFD. Therefore two different addresses could get the same key in the answer. The
    // slow path (`ServerFetch.fetch`) handles requests with such an address.
    if (server.includes('\ufffd')) return false;
    const address = id === undefined ? unknownGame : checkAddress(server, this.#dependencies.policy);
    if ('reason' in address) {
      this.invalid.push(address.reason);
      this.#addUntracked({ server, fault: address });
      return true;
    }
    // `ServerFetch.fetch` must handle addresses with characters that JSON escapes, because known addresses are written
    // without escapes. Such addresses are rare.
    if (id === undefined || ESCAPED.test(server)) return false;
    const key = Buffer.from(address.canonical);
    if (this.#dependencies.store.find(id, key, 0, key.length, this.#pointer)) {
      this.#slots[this.count++] = slotAt(this.#pointer);
      return true;
    }
    const record = this.#dependencies.givenUp.find(serverKey(id, address.canonical), this.due);
    if (record) this.#addUntracked(record);
    return record !== undefined;
  }

  #addUntracked(pair: InvalidAddress | ServerRecord): void {
    this.#slots[this.count++] = -1 - this.#untracked.length;
    this.#untracked.push(pair);
  }
}
