import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { ClusterServers } from './cluster-servers.ts';
import { DistinctAddresses } from './distinct-addresses.ts';
import { type FetchSink, MAX_ADDRESSES } from './fetch-request.ts';
import type { InserterDependencies } from './inserter.ts';
import { checkAddress, type InvalidPair, type InvalidReason, unknownGame } from './pair-check.ts';
import { newPointer, slotAt } from './record-pointer.ts';
import type { RemoteAddress, RemoteAnswers } from './remote-answers.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import { emptyView, showPointer, viewOf } from './server-view.ts';

/** Matches texts with characters that JSON must escape. */
const ESCAPED = /["\\\p{Cc}]/u;

/**
 * Returned by a look-up if `ServerFetch.fetch` must handle the address. This value differs from all values that the
 * list `#slots` can contain.
 */
const NOT_FOUND = -1 - MAX_ADDRESSES;
/** Value in `#slots` (one result for each requested address) for a server that another core owns. */
const REMOTE = NOT_FOUND - 1;
const NOTHING: readonly RemoteAddress[] = [];

/** An invalid address of a request, in the form in which the caller wrote it. */
interface InvalidAddress {
  server: string;
  fault: InvalidPair;
}

/** Dependencies of `KnownServers`. */
export interface KnownServersDependencies extends Pick<InserterDependencies, 'store' | 'givenUp' | 'policy'> {
  catalog: { current(): CatalogSnapshot };
  /** Finds the servers that other cores own; undefined if this core owns all servers. */
  cluster?: Pick<ClusterServers, 'ownerAt'> | undefined;
}

/**
 * Fast path of a fetch: finds servers by the bytes of their addresses, and creates no object for each server. Cannot
 * serve requests with inserts or duplicate addresses. Keeps the result of one request until the store changes.
 */
export class KnownServers {
  readonly #dependencies: KnownServersDependencies;
  readonly #distinct = new DistinctAddresses();
  readonly #pointer = newPointer();
  readonly #view = emptyView();
  /**
   * One number for each address of the request. For a tracked server, it is the index in the server table (slot).
   * Otherwise it is negative: -1 for `#untracked[0]`, -2 for `#untracked[1]`, and so on.
   */
  readonly #slots = new Int32Array(MAX_ADDRESSES);
  /**
   * The results for requested addresses at which gsq tracks no server. A result is the error of an invalid address, or
   * the record of a server that gsq stopped tracking because it never answered.
   */
  readonly #untracked: (InvalidAddress | ServerRecord)[] = [];

  /** Number of addresses of the request that were found so far. */
  #count = 0;
  /** One reason for each invalid pair of game and address in the request. */
  readonly invalid: InvalidReason[] = [];
  /** Given-up servers of the request that gsq must now try again. gsq gives up a server that never answers. */
  readonly due: ServerRecord[] = [];
  #remote: RemoteAddress[] = [];
  #isComplete = false;

  constructor(dependencies: KnownServersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Finds the servers of a request, and passes them to `sink`. After the result false, discard what `sink` has
   * received. If `remote` is empty, call `ServerFetch.fetch`. If not, request the servers in `remote` from their
   * owners, and call `find` again with the `answers`.
   */
  find(groups: readonly AddressGroup[], sink: FetchSink, answers?: RemoteAnswers): boolean {
    if (this.#remote.length > 0) this.#remote = [];
    this.#isComplete = this.#findAll(groups, sink, answers);
    return this.#isComplete && this.#remote.length === 0;
  }

  /**
   * Servers of the last `find` that other cores own. The caller must request them from these cores. Empty if
   * `ServerFetch.fetch` must serve the whole request.
   */
  get remote(): readonly RemoteAddress[] {
    return this.#isComplete ? this.#remote : NOTHING;
  }

  #findAll(groups: readonly AddressGroup[], sink: FetchSink, answers: RemoteAnswers | undefined): boolean {
    const games = this.#dependencies.catalog.current();
    const pointer = this.#pointer;
    this.#count = 0;
    // Setting the length of an array takes 0.1 µs, even if the array is empty. These arrays are nearly always empty, so
    // their length is set only if it is not 0.
    if (this.#untracked.length > 0) this.#untracked.length = 0;
    if (this.invalid.length > 0) this.invalid.length = 0;
    if (this.due.length > 0) this.due.length = 0;
    this.#distinct.begin();
    for (const { gameId, bytes, spans } of groups) {
      const game = games.find(gameId);
      for (let i = 0; i < spans.length; i += 2) {
        const start = spans[i] ?? 0;
        const end = spans[i + 1] ?? 0;
        if (answers?.writeTo(sink, this.#count, gameId, bytes, start, end)) {
          this.#slots[this.#count++] = REMOTE;
          continue;
        }
        if (this.#count === MAX_ADDRESSES || !this.#distinct.addAddress(bytes, start, end)) return false;
        // Looks up the address in the form that the caller wrote. Most callers use the canonical form, so the address
        // is usually found without parsing.
        const isTracked = game && this.#dependencies.store.find(game.id, bytes, start, end, pointer);
        const slot = isTracked ? slotAt(pointer) : this.#findElsewhere(game?.id, bytes, start, end, !answers);
        if (slot === NOT_FOUND) return false;
        this.#slots[this.#count++] = slot;
        // Passes no more servers to `sink` if another core owns a server of the request (`#remote`). The caller then
        // discards everything in `sink`, and asks the other cores.
        if (this.#remote.length === 0) this.#pass(slot, gameId, bytes, start, end, sink);
      }
    }
    return true;
  }

  /**
   * Passes the servers that the last `find` found to a second `sink`, for another answer to the same request
   * (`groups`). Call this only if `find` was called without `answers`, and the store has not changed since.
   */
  writeTo(sink: FetchSink, groups: readonly AddressGroup[]): void {
    let n = 0;
    for (const { gameId, bytes, spans } of groups) {
      for (let i = 0; i < spans.length; i += 2) {
        const slot = this.#slots[n++] as number;
        if (slot >= 0) this.#dependencies.store.locate(slot, this.#pointer);
        this.#pass(slot, gameId, bytes, spans[i] ?? 0, spans[i + 1] ?? 0, sink);
      }
    }
  }

  /**
   * Passes one server of a request to `sink`. `slot`: value for the server in `#slots`. If `slot` is not negative, the
   * server is tracked, and `#pointer` must point at its record.
   */
  #pass(slot: number, gameId: string, bytes: Buffer, start: number, end: number, sink: FetchSink): void {
    if (slot >= 0) {
      showPointer(this.#view, this.#pointer);
      sink.known(gameId, bytes, start, end, this.#view);
      return;
    }
    const other = this.#untracked[-1 - slot] as InvalidAddress | ServerRecord;
    if ('fault' in other) sink.invalid(gameId, other.server, other.fault);
    else sink.known(gameId, bytes, start, end, viewOf(other));
  }

  /**
   * Looks up an address that was not found in the store of this core. Returns REMOTE if another core owns the server.
   * Otherwise returns the result of `#findText`. `mayAsk`: true if the other cores were not asked yet.
   */
  #findElsewhere(id: string | undefined, bytes: Buffer, start: number, end: number, mayAsk: boolean): number {
    const { cluster } = this.#dependencies;
    if (cluster && mayAsk && id !== undefined && start < end) {
      const owner = cluster.ownerAt(bytes, start, end);
      if (owner) {
        this.#remote.push({ owner, position: this.#count, gameId: id, text: bytes, start, end });
        return REMOTE;
      }
    }
    return this.#findText(id, bytes.toString('utf8', start, end));
  }

  /**
   * Finds a server by its address, canonical or not. Returns the value to store in `#slots`. For a tracked server, also
   * sets `#pointer` to its record. Returns NOT_FOUND if `ServerFetch.fetch` must handle the address.
   */
  #findText(id: string | undefined, server: string): number {
    // Invalid UTF-8 decodes to the character U+FFFD, so two different addresses can become the same text. This class
    // cannot serve equal addresses. `ServerFetch.fetch` can.
    if (server.includes('\ufffd')) return NOT_FOUND;
    const address = id === undefined ? unknownGame : checkAddress(server, this.#dependencies.policy);
    if ('reason' in address) {
      this.invalid.push(address.reason);
      return this.#addUntracked({ server, fault: address });
    }
    // The fast path copies the address unchanged into the JSON answer. This is wrong for the rare address with
    // characters that JSON must escape. For such an address, this method returns NOT_FOUND, and `ServerFetch.fetch`
    // serves the request.
    if (id === undefined || ESCAPED.test(server)) return NOT_FOUND;
    const key = Buffer.from(address.canonical);
    if (this.#dependencies.store.find(id, key, 0, key.length, this.#pointer)) return slotAt(this.#pointer);
    const record = this.#dependencies.givenUp.find(serverKey(id, address.canonical), this.due);
    return record ? this.#addUntracked(record) : NOT_FOUND;
  }

  /**
   * Adds the result for an address without a tracked server to `#untracked`. Returns the value that stands for this
   * result in `#slots`: -1 for the first element of `#untracked`, -2 for the second, and so on.
   */
  #addUntracked(result: InvalidAddress | ServerRecord): number {
    this.#untracked.push(result);
    return -this.#untracked.length;
  }
}
