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

  /** True after `stopParking`: calls then never wait for an absent core, but fail immediately. */
  get parksNothing(): boolean {
    return this.#parksNothing;
  }

  /** True if the core is absent and `stopParking` was called. All calls that wait for the core must then fail. */
  get refusesCalls(): boolean {
    return this.#absent && this.#parksNothing;
  }

  /**
   * True if new calls must fail instead of waiting for the absent core. This is so if the core has been absent for
   * `limitMs`, or if `stopParking` was called.
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
   * Must be called when the gateway shuts down or closes its connection to the core. From then on, no call waits for an
   * absent core: `isTooLong` is true whenever the core is absent.
   */
  stopParking(): void {
    this.#parksNothing = true;
    this.#tooLong = this.#absent;
    clearTimeout(this.#limit);
  }
}
