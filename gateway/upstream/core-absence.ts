import { type Client, connectivityState } from '@grpc/grpc-js';

type Channel = ReturnType<Client['getChannel']>;

/**
 * Longest time to wait for a connection that is neither refused nor established, in milliseconds. A core that takes
 * longer is frozen or cut off from the network. It is not restarting, because connections to a restarting core are
 * refused.
 */
const SILENT_MS = 500;

/**
 * Watches how long no stream to the core is open, and decides whether calls wait (are parked) during this time. Calls
 * are parked while connections are refused, because the core is then probably restarting. After `limitMs` they are not
 * parked any more. Calls are not parked if a connection attempt gets no answer at all, because this state can last
 * indefinitely.
 */
export class CoreAbsence {
  readonly #channel: Channel;
  readonly #limitMs: number;
  readonly #onTooLong: () => void;
  #limit: NodeJS.Timeout | undefined;
  #absent = false;
  #tooLong = false;
  #parksNothing = false;
  /**
   * Number of watches that were stopped so far. A callback of a stopped watch sees that the number has changed, and
   * does nothing.
   */
  #round = 0;

  /** `onTooLong` is called once in each absence, as soon as the core has been absent for too long to park calls. */
  constructor(channel: Channel, limitMs: number, onTooLong: () => void) {
    this.#channel = channel;
    this.#limitMs = limitMs;
    this.#onTooLong = onTooLong;
  }

  /** True if the core has been absent for too long to park calls. */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  /** Starts an absence. Must be called when no stream is open. */
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

  /** Ends the absence. Must be called when a stream has opened. */
  end(): void {
    this.#absent = false;
    this.#tooLong = false;
    this.#stopWatching();
  }

  /** Ends parking forever: the current absence and every later absence immediately count as too long. */
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
   * Watches the connection states of the gRPC channel. Ends parking if the channel is in the state CONNECTING for
   * SILENT_MS. After a refused connection the channel is in the state TRANSIENT_FAILURE until it is connected, so
   * parking continues.
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
