import { type Client, connectivityState } from '@grpc/grpc-js';

type Channel = ReturnType<Client['getChannel']>;

/** A core that takes a connection, or its machine, and says nothing for so long is frozen or cut off, not restarting. */
const SILENT_MS = 500;

/**
 * The time in which there is no stream to the core, and whether waiting for it makes sense. It does while connections are
 * refused, as they are from the end of a core until the next one is ready, and for `holdMs` at most. It does not where
 * one is neither refused nor answered: nobody knows how long that lasts.
 */
export class CoreAbsence {
  readonly #channel: Channel;
  readonly #holdMs: number;
  readonly #onLong: () => void;
  #limit: NodeJS.Timeout | undefined;
  /** Grows with each beginning and end, so that what was asked of the channel before says nothing any more. */
  #round = 0;

  /** `onLong` is called once in each absence that is too long. */
  constructor(channel: Channel, holdMs: number, onLong: () => void) {
    this.#channel = channel;
    this.#holdMs = holdMs;
    this.#onLong = onLong;
  }

  begin(): void {
    this.end();
    this.#limit = setTimeout(() => this.#tooLong(), this.#holdMs);
    this.#watch(this.#round);
  }

  end(): void {
    this.#round++;
    clearTimeout(this.#limit);
  }

  #tooLong(): void {
    this.end();
    this.#onLong();
  }

  /** Looks at each state of the channel. Once refused, it stays in TRANSIENT_FAILURE until it is connected. */
  #watch(round: number): void {
    this.#channel.getConnectivityState(true);
    const state = this.#channel.getConnectivityState(false);
    this.#channel.watchConnectivityState(state, Date.now() + SILENT_MS, unchanged => {
      if (round !== this.#round) return;
      if (unchanged && state === connectivityState.CONNECTING) this.#tooLong();
      else this.#watch(round);
    });
  }
}
