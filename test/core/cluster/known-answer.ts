import { RestAnswer } from '../../../core/render/rest-answer.ts';
import { TypedAnswer } from '../../../core/render/typed-answer.ts';
import type { ServerGroup } from '../../../core/servers/fetch-request.ts';
import type { RemoteAnswers } from '../../../core/servers/remote-answers.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { decodeFetchServersRequest } from '../../../proto/generated/codec/fetch.ts';
import type { OpenedCore } from './cluster-core.ts';

const freshness = { staleAfterMs: 600_000, probeIntervalMs: 60_000 };

/**
 * A fetch of tracked servers on the fast path of a core. The core encodes its own servers; the other cores send their
 * servers already encoded.
 */
export class KnownFetch {
  readonly #core: OpenedCore;
  readonly #groups;
  readonly #typed: boolean;
  readonly #writer = new ByteWriter();

  constructor(core: OpenedCore, groups: readonly ServerGroup[], typed = false) {
    const servers = groups.map(group => ({ ...group, servers: [...group.servers] }));
    const message = gsqV1.FetchServersRequest.serialize({ servers });
    this.#core = core;
    this.#groups = decodeFetchServersRequest(message).groups;
    this.#typed = typed;
  }

  /** Returns the answer to the fetch; undefined if the fast path (for tracked servers only) cannot answer the fetch. */
  write(answers?: RemoteAnswers): Buffer | undefined {
    const { fetch, store, clock } = this.#core;
    const writer = this.#writer;
    writer.length = 0;
    const sink = this.#typed
      ? new TypedAnswer(writer, clock.at, freshness)
      : new RestAnswer(writer, clock.at, freshness, undefined, store.plainFragments);
    if (!fetch.findKnown(this.#groups, sink, answers)) return undefined;
    sink.end();
    return writer.takeBytes();
  }

  /**
   * Asks the other cores for the servers that they own. Returns undefined if the fast path (for tracked servers only)
   * cannot answer the fetch.
   */
  ask(): RemoteAnswers | undefined {
    this.write();
    return this.#core.fetch.askOwners(this.#typed);
  }

  /**
   * Resolves to the answer to the fetch, after the other cores have sent their servers. Resolves to undefined if the
   * fast path (for tracked servers only) cannot answer the fetch. Rejects if `RemoteAnswers.received` rejects.
   */
  async answer(): Promise<Buffer | undefined> {
    const own = this.write();
    if (own) return own;
    const answers = this.#core.fetch.askOwners(this.#typed);
    await answers?.received();
    return answers && this.write(answers);
  }
}
