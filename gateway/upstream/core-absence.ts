import { type Client, connectivityState } from '@grpc/grpc-js';

type Channel = ReturnType<Client['getChannel']>;

/**
 * If a connection attempt has no result after this time (ms), the core is frozen or cut off from the network. It is not
 * restarting, because connections to a restarting core are refused quickly.
 */
const SILENT_MS = 500;

/**
 * Decides whether calls wait for the core while no stream to the core is open (parking). Calls wait while connections
 * are refused, because the core is then probably restarting. Parking ends after `limitMs`, or earlier if a connection
 * attempt gets no answer at all.
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
   * Makes old callbacks ineffective, because a registered callback of the channel cannot be removed. `#stopWatching`
   * increases this number. A callback does nothing if the number has changed since its registration.
   */
  #round = 0;

  /**
   * `limitMs`: longest time that calls wait for the core, in milliseconds. `onTooLong`: called when calls must not wait
   * any longer. Waiting calls must then fail.
   */
  constructor(channel: Channel, limitMs: number, onTooLong: () => void) {
    this.#channel = channel;
    this.#limitMs = limitMs;
    this.#onTooLong = onTooLong;
  }

  /** True if the core has been unreachable for so long that calls must not wait for it. */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  /** Starts to measure how long the core is absent. Call this method when no stream to the core is open. */
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

  /** Call this method when a stream to the core has opened. The core then no longer counts as absent. */
  end(): void {
    this.#absent = false;
    this.#tooLong = false;
    this.#stopWatching();
  }

  /** Ends parking permanently. From now on, `isTooLong` is true whenever the core is absent. */
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
   * Observes the state of the gRPC channel. If a connection attempt gets no answer, the state stays CONNECTING. After
   * SILENT_MS in this state, parking ends. If connections are refused, the state is TRANSIENT_FAILURE, and parking
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
