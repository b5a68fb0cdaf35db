/**
 * Measures the absence of the core. The core is absent if no stream to it is open, or if it does not respond. New calls
 * wait for an absent core (parking), but fail immediately after an absence of `limitMs`.
 */
export class CoreAbsence {
  readonly #limitMs: number;
  #limit: NodeJS.Timeout | undefined;
  #absent = false;
  /** Time at which the core became absent, as performance.now() in ms. */
  #since = 0;
  #tooLong = false;
  #parksNothing = false;

  /** `limitMs`: if the core is absent for longer than this number of milliseconds, new calls fail immediately. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isAbsent(): boolean {
    return this.#absent;
  }

  /** True if the gateway is shutting down: calls then never wait (park) for an absent core. */
  get parksNothing(): boolean {
    return this.#parksNothing;
  }

  /**
   * True if the core is absent while the gateway shuts down. New calls must then fail immediately instead of waiting
   * for the core.
   */
  get refusesCalls(): boolean {
    return this.#absent && this.#parksNothing;
  }

  /**
   * True if new calls must fail instead of waiting for the absent core: it has been absent for `limitMs`, or the
   * gateway is shutting down.
   */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  /** True if the core has been absent for at least `ms` milliseconds. */
  lasts(ms: number): boolean {
    return this.#absent && performance.now() - this.#since >= ms;
  }

  /** Starts to measure how long the core is absent. Does nothing if the core is already absent. */
  start(): void {
    if (this.#absent) return;
    this.#absent = true;
    this.#since = performance.now();
    if (this.#parksNothing) this.#tooLong = true;
    else {
      this.#limit = setTimeout(() => {
        this.#tooLong = true;
      }, this.#limitMs);
    }
  }

  /** Call this method when the core responds. The core then no longer counts as absent. */
  end(): void {
    this.#absent = false;
    this.#tooLong = false;
    clearTimeout(this.#limit);
  }

  /**
   * Must be called when the gateway starts to shut down. From then on, no call waits for an absent core: `isTooLong`
   * becomes true as soon as the core is absent.
   */
  stopParking(): void {
    this.#parksNothing = true;
    this.#tooLong = this.#absent;
    clearTimeout(this.#limit);
  }
}
