import type { RenderedServers } from '../../proto/streams/render-service.ts';
import type { RenderedBatch, ServerOwner } from './cluster-servers.ts';
import type { FetchSink } from './fetch-request.ts';

/** An address in a fetch request, of a server that another core owns. */
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

/** Asks other cores to render servers that they own for the answer to one fetch. Collects the rendered servers. */
export class RemoteAnswers {
  /**
   * For each address whose server another core owns: the message to that core (`batch`), and the position of the server
   * in this message (`index`). The array index is the position of the address in the fetch request.
   */
  readonly #asked: { batch: RenderedBatch; index: number }[] = [];
  readonly #batches: RenderedBatch[] = [];

  /**
   * Asks all cores that own the servers at these addresses. `typed`: true to get typed answers, false to get JSON.
   * Throws the same errors as `ServerOwner.render`.
   */
  constructor(addresses: readonly RemoteAddress[], typed: boolean) {
    for (const { owner, position, gameId, text, start, end } of addresses) {
      const batch = owner.render(typed, gameId, text, start, end);
      this.#asked[position] = { batch, index: batch.count - 1 };
      if (!this.#batches.includes(batch)) this.#batches.push(batch);
    }
  }

  /**
   * Resolves when no more answers are expected: each asked core has answered, or cannot answer any more. Rejects with
   * ServiceError CORE_1 if a core does not answer in time.
   */
  async received(): Promise<void> {
    for (const { answered } of this.#batches) {
      const failure = await answered;
      if (failure) throw failure;
    }
  }

  /**
   * Passes a rendered server (its encoded part of the answer) to `sink`. The address of the server is at `position` in
   * the fetch request. The other parameters are passed on to `FetchSink.rendered`. Returns false if no core was asked
   * for this server, or if the core did not return it.
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
