import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { DistinctAddresses } from './distinct-addresses.ts';
import type { FetchSink } from './fetch-request.ts';
import type { InserterDependencies } from './inserter.ts';
import { checkAddress, type InvalidReason, unknownGame } from './pair-check.ts';
import { newPointer } from './record-pointer.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import { emptyView, showPointer, viewOf } from './server-view.ts';

/** Characters that JSON escapes. */
const ESCAPED = /["\\\p{Cc}]/u;

export interface KnownServersDependencies extends Pick<InserterDependencies, 'store' | 'givenUp' | 'policy'> {
  catalog: { current(): CatalogSnapshot };
}

/**
 * The fast path of a fetch: finds servers by the bytes of the request and hands them to a sink, without making an object
 * for a server. Serves requests in which every pair is tracked, given up, or invalid, and no address comes twice.
 */
export class KnownServers {
  readonly #dependencies: KnownServersDependencies;
  readonly #distinct = new DistinctAddresses();
  readonly #pointer = newPointer();
  readonly #view = emptyView();

  /** Reasons of the invalid pairs of the last `write`. */
  readonly invalid: InvalidReason[] = [];
  /** Given-up servers of the last `write` that are due for another try. */
  readonly due: ServerRecord[] = [];

  constructor(dependencies: KnownServersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Hands the pairs to the sink in the order of the request. Returns false at the first pair that must be inserted, and at
   * an address that may have come before; the sink's content is then of no use.
   */
  write(groups: readonly AddressGroup[], sink: FetchSink): boolean {
    const games = this.#dependencies.catalog.current();
    const view = this.#view;
    this.invalid.length = 0;
    this.due.length = 0;
    this.#distinct.begin();
    for (const { gameId, bytes, spans } of groups) {
      const game = games.find(gameId);
      for (let i = 0; i < spans.length; i += 2) {
        const start = spans[i] ?? 0;
        const end = spans[i + 1] ?? 0;
        if (!this.#distinct.add(bytes, start, end)) return false;
        // Most callers write addresses in canonical form, which is the key: then nothing has to be parsed.
        if (game && this.#find(game.id, bytes, start, end)) {
          sink.known(gameId, bytes, start, end, view);
          continue;
        }
        const server = bytes.toString('utf8', start, end);
        // All invalid UTF-8 decodes to U+FFFD, so different bytes could become one key of the answer.
        if (server.includes('\ufffd')) return false;
        const address = game ? checkAddress(server, this.#dependencies.policy) : unknownGame;
        if ('reason' in address) {
          this.invalid.push(address.reason);
          sink.invalid(gameId, server, address);
        } else if (!game || !this.#writeCanonical(game.id, gameId, server, address.canonical, sink))
          return false;
      }
    }
    return true;
  }

  /** Points the view at the server of a canonical address; false if it is not tracked. */
  #find(id: string, text: Uint8Array, start: number, end: number): boolean {
    if (!this.#dependencies.store.find(id, text, start, end, this.#pointer)) return false;
    showPointer(this.#view, this.#pointer);
    return true;
  }

  /** Hands over a server that is tracked under another spelling, or was given up; false if it is neither. */
  #writeCanonical(id: string, gameId: string, server: string, canonical: string, sink: FetchSink): boolean {
    // Addresses that JSON must escape are rare, so the slow path serves them.
    if (ESCAPED.test(server)) return false;
    const key = Buffer.from(canonical);
    let view = this.#view;
    if (!this.#find(id, key, 0, key.length)) {
      const record = this.#dependencies.givenUp.find(serverKey(id, canonical), this.due);
      if (!record) return false;
      view = viewOf(record);
    }
    const text = Buffer.from(server);
    sink.known(gameId, text, 0, text.length, view);
    return true;
  }
}
