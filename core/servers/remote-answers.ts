import type { RenderedServers } from '../../proto/streams/render-service.ts';
import type { RenderedBatch, ServerOwner } from './cluster-servers.ts';
import type { FetchSink } from './fetch-request.ts';

/** An address in a fetch request whose server belongs to another core. */
export interface RemoteAddress {
  owner: ServerOwner;
  /** Position of the address among all addresses of the request. */
  position: number;
  /** Id of the game in the catalog. */
  gameId: string;
  /** Buffer that contains the address, as the caller wrote it, from `start` to `end`. */
  text: Buffer;
  start: number;
  end: number;
}

/**
 * Asks other cores to render the servers that they own, and collects the rendered servers for the answer to one fetch.
 */
export class RemoteAnswers {
  /**
   * The servers that this fetch requests from other cores. The array index of a server is the position of its address
   * in the fetch. For a server of this core, the array has no element. `batch`: the request to the core that owns the
   * server. `index`: position of the server in `batch`.
   */
  readonly #asked: { batch: RenderedBatch; index: number }[] = [];
  readonly #batches: RenderedBatch[] = [];

  /**
   * Requests the servers at these addresses from the cores that own them. `typed`: true for protobuf answers, false for
   * JSON. Throws the same errors as `ServerOwner.render`.
   */
  constructor(addresses: readonly RemoteAddress[], typed: boolean) {
    for (const { owner, position, gameId, text, start, end } of addresses) {
      const batch = owner.render(typed, gameId, text, start, end);
      this.#asked[position] = { batch, index: batch.count - 1 };
      if (!this.#batches.includes(batch)) this.#batches.push(batch);
    }
  }

  /**
   * Waits for the answers of all cores to which this fetch has sent requests. Does not wait for a core whose
   * connection has ended, because its answer can no longer arrive. Rejects with ServiceError CORE_1 if a core does not
   * answer in time.
   */
  async received(): Promise<void> {
    for (const { answered } of this.#batches) {
      const failure = await answered;
      if (failure) throw failure;
    }
  }

  /**
   * Passes a server of another core to `sink` (the receiver of the results). That core has already encoded the server
   * for the answer. `position`: position of the server's address in the fetch. Returns false, and passes nothing, if
   * no core has sent an encoded server for this address. `gameId`, `text`, `start` and `end`: see
   * `FetchSink.rendered`.
   */
  writeTo(
    sink: FetchSink,
    position: number,
    gameId: string,
    text: Buffer,
    start: number,
    end: number,
  ): boolean {
    const asked = this.#asked[position];
    const rendered = asked?.batch.rendered;
    if (!rendered || !isRendered(rendered, asked.index)) return false;
    sink.rendered(gameId, text, start, end, rendered, asked.index);
    return true;
  }
}

function isRendered({ spans }: RenderedServers, index: number): boolean {
  return spans[2 * index] !== spans[2 * index + 1];
}
