/**
 * Calls that begin in one turn of the event loop. The replies of a turn leave in one write at its end, and the caller is
 * idle until then. Measured against all calls in one turn: 16 a turn give 1.4 times the rate, 8 and 4 give 1.5 times.
 */
const CALLS_A_TURN = 8;

/** Spreads calls that arrive together over turns of the event loop, in their order of arrival. */
export class CallPacing {
  #begun = 0;
  #waiting: (() => void)[] = [];

  /** Begins a call in this turn, or in a later one if this turn has begun enough calls. */
  startCall(begin: () => void): void {
    if (this.#begun === CALLS_A_TURN) {
      this.#waiting.push(begin);
      return;
    }
    if (this.#begun++ === 0) setImmediate(this.#next);
    begin();
  }

  readonly #next = (): void => {
    const turn = this.#waiting.splice(0, CALLS_A_TURN);
    this.#begun = turn.length;
    if (turn.length > 0) setImmediate(this.#next);
    for (const begin of turn) begin();
  };
}
