import { type Client, connectivityState } from '@grpc/grpc-js';

type Channel = ReturnType<Client['getChannel']>;

/** A core that accepts a connection, or a machine that drops its packets, for this long is frozen or cut off, not restarting. */
const SILENT_MS = 500;

/**
 * An absence of the core: the time without an open stream. Decides whether parking calls makes sense meanwhile.
 *
 * It does while connections are refused, as they are while a core restarts, and for `limitMs` at most. It does not if a
 * connection is neither refused nor answered, because nobody knows how long that lasts.
 */
export class CoreAbsence {
  readonly #channel: Channel;
  readonly #limitMs: number;
  readonly #onTooLong: () => void;
  #limit: NodeJS.Timeout | undefined;
  #absent = false;
  #tooLong = false;
  #parksNothing = false;
  /** Grows with each start and end, so that callbacks of an earlier watch are ignored. */
  #round = 0;

  /** `onTooLong` is called once in each absence that becomes too long. */
  constructor(channel: Channel, limitMs: number, onTooLong: () => void) {
    this.#channel = channel;
    this.#limitMs = limitMs;
    this.#onTooLong = onTooLong;
  }

  /** Whether the core has been absent for too long to park calls. */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  /** Starts an absence: there is no open stream. */
  start(): void {
    this.#absent = true;
    if (this.#parksNothing) {
      this.#giveUp();
      return;
    }
    this.#stopWatching();
    this.#limit = setTimeout(() => this.#giveUp(), this.#limitMs);
    this.#watchChannel(this.#round);
  }

  /** Ends the absence: a stream is open. */
  end(): void {
    this.#absent = false;
    this.#tooLong = false;
    this.#stopWatching();
  }

  /** Makes this and every later absence too long at once. */
  stopParking(): void {
    this.#parksNothing = true;
    if (this.#absent) this.#giveUp();
  }

  #giveUp(): void {
    this.#stopWatching();
    this.#tooLong = true;
    this.#onTooLong();
  }

  #stopWatching(): void {
    this.#round++;
    clearTimeout(this.#limit);
  }

  /** Follows the states of the channel. A refused channel stays in TRANSIENT_FAILURE until it is connected. */
  #watchChannel(round: number): void {
    this.#channel.getConnectivityState(true);
    const state = this.#channel.getConnectivityState(false);
    this.#channel.watchConnectivityState(state, Date.now() + SILENT_MS, unchanged => {
      if (round !== this.#round) return;
      if (unchanged && state === connectivityState.CONNECTING) this.#giveUp();
      else this.#watchChannel(round);
    });
  }
}
