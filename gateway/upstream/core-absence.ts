import { type Client, connectivityState } from '@grpc/grpc-js';

type Channel = ReturnType<Client['getChannel']>;

/**
 * Longest time to wait for a connection that is neither refused nor established, in milliseconds. A core that takes
 * longer is frozen or cut off from the network. It is not restarting, because connections to a restarting core are
 * refused.
 */
const SILENT_MS = 500;

/**
 * Measures each absence of the core, which is the time while no stream to the core is open. Decides whether calls wait
 * (are parked) during the absence. Calls are parked while connections are refused, because the core is then probably
 * restarting. Parking ends after `limitMs`. It also ends if a connection attempt gets no answer at all, because this
 * state can last indefinitely.
 */
export class CoreAbsence {
  readonly #channel: Channel;
  readonly #limitMs: number;
  readonly #onTooLong: () => void;
  #limit: NodeJS.Timeout | undefined;
  #absent = false;
  #tooLong = false;
  #parksNothing = false;
  /** Number of calls of `#stopWatching` so far. A callback that was registered with an older number does nothing. */
  #round = 0;

  /** `onTooLong` is called as soon as an absence of the core is too long to park calls. */
  constructor(channel: Channel, limitMs: number, onTooLong: () => void) {
    this.#channel = channel;
    this.#limitMs = limitMs;
    this.#onTooLong = onTooLong;
  }

  /** True if the core has been absent for too long to park calls. */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  /** Starts an absence of the core. Must be called when no stream is open. */
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

  /** Tells this object that a stream to the core has opened: the core is no longer absent. */
  end(): void {
    this.#absent = false;
    this.#tooLong = false;
    this.#stopWatching();
  }

  /** Ends parking permanently. The current absence of the core and all later absences immediately count as too long. */
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
   * Observes the state of the gRPC channel. Parking ends if the state is CONNECTING for SILENT_MS, because the
   * connection attempt then gets no answer. A refused connection leads to the state TRANSIENT_FAILURE, in which parking
   * continues.
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
