import type { ServerDuplexStream } from '@grpc/grpc-js';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { RenderServersRequest } from '../../proto/generated/codec/fetch.ts';
import { openRenderedServer, TAG_BYTES, writeTags } from '../../proto/streams/render-service.ts';
import { bucketOfAddress } from '../cluster/address-bucket.ts';
import type { Ownership } from '../cluster/ownership.ts';
import { MAX_RENDERED } from '../cluster/parts/render-stream.ts';
import { writePayload } from '../render/plain-fragment.ts';
import { writeServerResult } from '../render/typed-answer.ts';
import { countSpans } from '../servers/fetch-request.ts';
import type { FreshnessRules } from '../servers/freshness.ts';
import { newPointer } from '../servers/record-pointer.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { emptyView, showPointer } from '../servers/server-view.ts';
import type { Handlers } from './handler.ts';
import { LengthPrefixed } from './length-prefixed.ts';
import { badMessage } from './part-service.ts';
import { streamEnd } from './stream-end.ts';

/** Bytes with the value 0, in place of the entity tag of a server that this core does not own or does not track. */
const NO_TAG = Buffer.alloc(TAG_BYTES);

type Stream = ServerDuplexStream<RenderServersRequest, LengthPrefixed>;

/** Dependencies of `renderServers`. */
export interface RenderServersDependencies {
  store: Pick<ServerStore, 'find' | 'plainFragments'>;
  ownership: Pick<Ownership, 'owns'>;
  freshness: FreshnessRules;
  /** Returns the time in Unix ms. */
  now: () => number;
  /** Signal that is aborted when the core begins to shut down. All open streams end then. */
  closing: AbortSignal;
}

/**
 * Creates the method RenderServers of ClusterService. Other cores call the method to get servers of this core, encoded
 * as in an answer.
 */
export function renderServers(dependencies: RenderServersDependencies, handlers: Handlers) {
  const renderer = new ServerRenderer(dependencies);
  return handlers.bidi(async (stream: Stream) => {
    const { closing } = dependencies;
    const refused = new Promise<never>((_resolve, reject) => {
      stream.on('data', (request: RenderServersRequest) => {
        // During its shutdown, this core ignores requests on the streams of other cores. The other cores repeat these
        // requests after their streams have ended.
        if (closing.aborted) return;
        const count = countSpans(request.groups);
        if (count > MAX_RENDERED) reject(badMessage('servers', count, MAX_RENDERED));
        else send(stream, renderer.render(request));
      });
    });
    await Promise.race([streamEnd(stream, closing), refused]);
  });
}

/**
 * Sends a response to the core that sent the request. If that core reads the response too slowly, this core reads no
 * more requests until the response is sent.
 */
function send(stream: Stream, response: LengthPrefixed): void {
  if (stream.destroyed || stream.writableEnded || stream.write(response) || stream.isPaused()) return;
  stream.pause();
  stream.once('drain', () => stream.resume());
}

/** Renders servers of this core: writes the data of a server in the form that answers to fetches contain. */
class ServerRenderer {
  readonly #dependencies: RenderServersDependencies;
  readonly #writer = new ByteWriter();
  readonly #tags = new ByteWriter();
  readonly #pointer = newPointer();
  readonly #view = emptyView();

  constructor(dependencies: RenderServersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns an encoded RenderServersResponse. */
  render({ typed, groups }: RenderServersRequest): LengthPrefixed {
    const now = this.#dependencies.now();
    const writer = this.#writer;
    this.#tags.length = 0;
    LengthPrefixed.begin(writer);
    for (const { gameId, bytes, spans } of groups) {
      for (let i = 0; i < spans.length; i += 2) {
        const element = openRenderedServer(writer);
        const isFound = this.#find(gameId, bytes, spans[i] ?? 0, spans[i + 1] ?? 0);
        if (isFound) this.#write(typed, now);
        else if (!typed) this.#tags.copy(NO_TAG);
        writer.closeField(element);
      }
    }
    if (!typed) writeTags(writer, this.#tags);
    return LengthPrefixed.take(writer);
  }

  /**
   * Finds a server, and copies to `#view` the data of the server that answers contain. Returns false if this core does
   * not own or track the server.
   */
  #find(gameId: string, bytes: Buffer, start: number, end: number): boolean {
    const { store, ownership } = this.#dependencies;
    if (!ownership.owns(bucketOfAddress(bytes, start, end))) return false;
    if (!store.find(gameId, bytes, start, end, this.#pointer)) return false;
    showPointer(this.#view, this.#pointer);
    return true;
  }

  #write(typed: boolean, now: number): void {
    const { store, freshness } = this.#dependencies;
    if (typed) writeServerResult(this.#writer, this.#view, now, freshness);
    else writePayload(this.#writer, this.#tags, this.#view, now, freshness, store.plainFragments);
  }
}
