import type { Member, Ownership } from '../ownership.ts';

/** Opens a stream to another core. The stream must call `onEnd` once, when it has ended. */
export type OpenStream<Stream> = (owner: Member, onEnd: () => void) => Stream;

/** Keeps one open stream to each other core. Cancels the stream to a core that has left the cluster. */
export class MemberStreams<Stream extends { cancel(): void }> {
  readonly #ownership: Pick<Ownership, 'members'>;
  readonly #open: OpenStream<Stream>;
  /** The open streams to other cores, keyed by the id of the core. */
  readonly #streams = new Map<string, Stream>();
  readonly #unwatch: () => void;

  constructor(ownership: Pick<Ownership, 'members' | 'watch'>, open: OpenStream<Stream>) {
    this.#ownership = ownership;
    this.#open = open;
    this.#unwatch = ownership.watch(() => this.#cancelLeft());
  }

  /** Returns the stream to a core. Opens it if there is none. */
  streamTo(owner: Member): Stream {
    const { id } = owner;
    const known = this.#streams.get(id);
    if (known) return known;
    const stream: Stream = this.#open(owner, () => {
      if (this.#streams.get(id) === stream) this.#streams.delete(id);
    });
    this.#streams.set(id, stream);
    return stream;
  }

  /** Cancels all streams to other cores. */
  close(): void {
    this.#unwatch();
    for (const stream of this.#streams.values()) stream.cancel();
  }

  #cancelLeft(): void {
    const live = new Set(this.#ownership.members.map(({ id }) => id));
    for (const [id, stream] of this.#streams) if (!live.has(id)) stream.cancel();
  }
}
