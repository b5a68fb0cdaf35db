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
 * Result of a look-up if only `ServerFetch.fetch` can handle the address. This value differs from all values that the
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
  cluster?: Pick<ClusterServers, 'ownerAt' | 'isPaused'> | undefined;
}

/**
 * Fast path of a fetch: finds servers by the bytes of their addresses, without an object for each server. Cannot serve
 * requests that insert servers or contain an address twice. The result of `find` is valid until the store changes.
 */
export class KnownServers {
  readonly #dependencies: KnownServersDependencies;
  readonly #distinct = new DistinctAddresses();
  readonly #pointer = newPointer();
  readonly #view = emptyView();
  /**
   * A number for each address of the request: its result. For a tracked server, the number is the index of the server
   * in the server table (slot). For a server of another core, it is REMOTE. For any other address, it stands for an
   * element of `#untracked`: -1 for the first element, -2 for the second, and so on.
   */
  readonly #slots = new Int32Array(MAX_ADDRESSES);
  /**
   * Results for addresses without a tracked server: the error of an invalid address, or the record of a given-up server
   * (one that never answered).
   */
  readonly #untracked: (InvalidAddress | ServerRecord)[] = [];

  /** Number of addresses of the request that have a result in `#slots` so far. */
  #count = 0;
  /** For each pair of game and address in the request that is invalid: the reason why it is invalid. */
  readonly invalid: InvalidReason[] = [];
  /** Servers of the request that gsq had given up, because they never answered. gsq must now try them again. */
  readonly due: ServerRecord[] = [];
  #remote: RemoteAddress[] = [];
  #isComplete = false;

  constructor(dependencies: KnownServersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Finds the servers of a request, and passes them to `sink` (the receiver of the results). Returns true if `sink` got
   * all servers. If the result is false, the caller must discard the content of `sink`, and look at `remote`. If
   * `remote` contains servers, the caller requests them from their cores, and calls `find` again with the `answers` of
   * these cores. If `remote` is empty, the caller calls `ServerFetch.fetch` instead.
   */
  find(groups: readonly AddressGroup[], sink: FetchSink, answers?: RemoteAnswers): boolean {
    if (this.#remote.length > 0) this.#remote = [];
    this.#isComplete = this.#findAll(groups, sink, answers);
    return this.#isComplete && this.#remote.length === 0;
  }

  /**
   * The servers of other cores in the request of the last `find` call. The caller must request them from these cores.
   * Empty if there are none, or if `ServerFetch.fetch` must serve the whole request.
   */
  get remote(): readonly RemoteAddress[] {
    return this.#isComplete ? this.#remote : NOTHING;
  }

  #findAll(groups: readonly AddressGroup[], sink: FetchSink, answers: RemoteAnswers | undefined): boolean {
    const games = this.#dependencies.catalog.current();
    const pointer = this.#pointer;
    this.#count = 0;
    // Removes the results of the previous `find`. Skips arrays that are empty already, as most of them are: to set the
    // length of an array takes 0.1 µs, even if the array is empty.
    if (this.#untracked.length > 0) this.#untracked.length = 0;
    if (this.invalid.length > 0) this.invalid.length = 0;
    if (this.due.length > 0) this.due.length = 0;
    if (this.#dependencies.cluster?.isPaused) return false;
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
        // After the first server that another core owns, nothing more is passed to `sink`: `find` will return false,
        // and the caller will discard the content of `sink`.
        if (this.#remote.length === 0) this.#pass(slot, gameId, bytes, start, end, sink);
      }
    }
    return true;
  }

  /**
   * Passes the results of the last `find` to another `sink` (receiver of results). So the caller can build a second
   * answer without a second search. `groups`: must be the same as in the call of `find`. Call this method only if
   * `find` was called without `answers`, and before the store changes.
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
   * Passes the result for one address of a request to `sink` (the receiver of the results). `slot`: the number for this
   * address in `#slots`. If the number is not negative, the address belongs to a tracked server, and `#pointer` must
   * already point at its record.
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
   * Looks up an address that is not in the store of this core. If another core owns the server and `mayAsk` is true,
   * adds the address to `#remote`, and returns REMOTE. Otherwise returns the result of `#findText`.
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
   * Finds a server by its address, canonical or not. Returns the value for `#slots`, and sets `#pointer` if the server
   * is tracked. Returns NOT_FOUND if `ServerFetch.fetch` must handle the address.
   */
  #findText(id: string | undefined, server: string): number {
    // Does not look up a text with the character U+FFFD. Invalid UTF-8 decodes to this character, so two different
    // addresses can become the same text. Only `ServerFetch.fetch` can handle such a duplicate.
    if (server.includes('\ufffd')) return NOT_FOUND;
    const address = id === undefined ? unknownGame : checkAddress(server, this.#dependencies.policy);
    if ('reason' in address) {
      this.invalid.push(address.reason);
      return this.#addUntracked({ server, fault: address });
    }
    // Does not handle addresses with characters that JSON must escape, because the fast path copies addresses unchanged
    // into JSON. Such addresses are rare, and `ServerFetch.fetch` handles them.
    if (id === undefined || ESCAPED.test(server)) return NOT_FOUND;
    const key = Buffer.from(address.canonical);
    if (this.#dependencies.store.find(id, key, 0, key.length, this.#pointer)) return slotAt(this.#pointer);
    const record = this.#dependencies.givenUp.find(serverKey(id, address.canonical), this.due);
    return record ? this.#addUntracked(record) : NOT_FOUND;
  }

  /**
   * Adds a result to `#untracked`. Returns the number that stands for the result in `#slots`: -1 for the first element
   * of `#untracked`, -2 for the second, and so on.
   */
  #addUntracked(result: InvalidAddress | ServerRecord): number {
    this.#untracked.push(result);
    return -this.#untracked.length;
  }
}
