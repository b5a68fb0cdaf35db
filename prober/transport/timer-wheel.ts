const TICK_MS = 25;
const SLOTS = 512;
/**
 * A process that stood still finds its replies and its timeouts waiting together. So that a reply already
 * here is not called late, one turn counts no more than this many ticks, however long the last one took.
 */
const MAX_TICKS_A_TURN = 4;

interface Entry {
  due: number;
  slot: Set<Entry>;
  fire: () => void;
}

/** A timer that was set. */
export interface WheelTimer {
  cancel(): void;
}

/**
 * Every timeout of the prober on one interval: setting and cancelling cost a Set operation. Fires up to one
 * tick (25 ms) late, never early.
 */
export class TimerWheel {
  /** Monotonic ms. */
  readonly now: () => number;
  readonly #slots: Set<Entry>[] = Array.from({ length: SLOTS }, () => new Set());
  #ticks = 0;
  #lastTurn: number;
  #interval: NodeJS.Timeout | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.#lastTurn = now();
  }

  /** Drives the wheel by a real interval until `stop`. */
  start(): void {
    this.#interval ??= setInterval(() => this.turn(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
  }

  /** Fires once `delayMs` have passed. */
  after(delayMs: number, fire: () => void): WheelTimer {
    // One tick more: the current one has partly passed.
    const due = this.#ticks + Math.ceil(Math.max(0, delayMs) / TICK_MS) + 1;
    const slot = this.#slotOf(due);
    const entry: Entry = { due, slot, fire };
    slot.add(entry);
    return { cancel: () => entry.slot.delete(entry) };
  }

  /** Fires what has come due since the last turn. */
  turn(): void {
    const now = this.now();
    const passed = Math.floor((now - this.#lastTurn) / TICK_MS);
    if (passed < 1) return;
    const stalled = passed > MAX_TICKS_A_TURN;
    this.#lastTurn = stalled ? now : this.#lastTurn + passed * TICK_MS;
    for (let i = Math.min(passed, MAX_TICKS_A_TURN); i > 0; i--) {
      this.#ticks++;
      const slot = this.#slotOf(this.#ticks);
      for (const entry of slot) {
        if (entry.due > this.#ticks) continue; // a later round's
        slot.delete(entry);
        entry.fire();
      }
    }
  }

  #slotOf(tick: number): Set<Entry> {
    const slot = this.#slots[tick % SLOTS];
    if (!slot) throw new RangeError(`no slot for tick ${tick}`);
    return slot;
  }
}
