import { type Client, connectivityState } from '@grpc/grpc-js';

type Channel = ReturnType<Client['getChannel']>;

/**
 * Longest time to wait for a connection that is neither refused nor established, in milliseconds. A core that takes
 * longer is frozen or cut off from the network. It is not restarting, because a restarting core refuses connections.
 */
const SILENT_MS = 500;

/**
 * Watches the time without an open stream to the core, and decides whether parking calls makes sense during this time.
 * Parking makes sense while connections are refused, as they are while a core restarts, but only for `limitMs`. It does
 * not make sense if a connection is neither refused nor answered, because such a state can last any time.
 */
export class CoreAbsence {
  readonly #channel: Channel;
  readonly #limitMs: number;
  readonly #onTooLong: () => void;
  #limit: NodeJS.Timeout | undefined;
  #absent = false;
  #tooLong = false;
  #parksNothing = false;
  /** Grows with each call of `start` and `end`, so that a callback of an earlier watch is recognised and ignored. */
  #round = 0;

  /** `onTooLong` is called once in each absence, when the core has been absent for too long to park calls. */
  constructor(channel: Channel, limitMs: number, onTooLong: () => void) {
    this.#channel = channel;
    this.#limitMs = limitMs;
    this.#onTooLong = onTooLong;
  }

  /** True if the core has been absent for too long to park calls. */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  /** Starts an absence. To be called when there is no open stream. */
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

  /** Ends the absence. To be called when a stream has opened. */
  end(): void {
    this.#absent = false;
    this.#tooLong = false;
    this.#stopWatching();
  }

  /** Ends parking: the current absence and every later one count as too long immediately. */
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

  /**
   * Follows the connection states of the gRPC channel. A channel whose connection was refused stays in
   * TRANSIENT_FAILURE until it is connected.
   */
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
