// Imports `performance`, because the global `performance` calls a getter at each use.
import { performance } from 'node:perf_hooks';

const TICK_MS = 25;
const SLOTS = 512;
/**
 * Maximum number of ticks by which one call of `turn` advances the timing wheel. After the whole process was suspended,
 * timeouts are overdue, but replies perhaps wait unread in the sockets. Because of the limit, the event loop reads
 * these replies before the timeouts fire.
 */
const MAX_TICKS_A_TURN = 4;

/** A timer of the timing wheel. */
export interface WheelTimer {
  /** Sets the timer to fire once, `delayMs` from now. Replaces an earlier setting. */
  restart(delayMs: number): void;
  cancel(): void;
}

/**
 * A node in a doubly linked ring of timers. Each slot of the timing wheel has one ring, whose head node never fires.
 */
class Timer implements WheelTimer {
  due = 0;
  before: Timer = this;
  behind: Timer = this;
  readonly fire: () => void;
  readonly #set: (timer: Timer, delayMs: number) => void;

  constructor(fire: () => void, set: (timer: Timer, delayMs: number) => void) {
    this.fire = fire;
    this.#set = set;
  }

  restart(delayMs: number): void {
    this.cancel();
    this.#set(this, delayMs);
  }

  cancel(): void {
    this.before.behind = this.behind;
    this.behind.before = this.before;
    this.before = this;
    this.behind = this;
  }

  /** Appends a timer to the ring of this node. The timer must not be in a ring. */
  append(timer: Timer): void {
    timer.before = this.before;
    timer.behind = this;
    this.before.behind = timer;
    this.before = timer;
  }
}

/**
 * A timing wheel, which runs all timeouts of the prober with a single interval of Node.js. Timers are nodes of linked
 * lists. Setting or cancelling a timer takes 0.02 µs, compared with 0.45 µs if each list were a `Set`. A timer never
 * fires early. It normally fires up to two ticks (50 ms) late.
 */
export class TimerWheel {
  /** Monotonic time, ms. */
  readonly now: () => number;
  readonly #set = (timer: Timer, delayMs: number): void => {
    // Adds one tick, because a part of the current tick has already passed.
    timer.due = this.#ticks + Math.ceil(Math.max(0, delayMs) / TICK_MS) + 1;
    this.#slotOf(timer.due).append(timer);
  };
  readonly #slots = Array.from({ length: SLOTS }, () => new Timer(() => {}, this.#set));
  /**
   * End marker in the ring whose timers are currently fired. A timer that is set during this pass is appended after the
   * marker, so it does not fire in the same pass.
   */
  readonly #endMarker = new Timer(() => {}, this.#set);
  #ticks = 0;
  #lastTurn: number;
  #interval: NodeJS.Timeout | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.#lastTurn = now();
  }

  /** Starts an interval of Node.js that advances the wheel until `stop` is called. */
  start(): void {
    this.#interval ??= setInterval(() => this.turn(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#interval);
    this.#interval = undefined;
  }

  /** Creates a timer that is not set yet. `restart` sets it. */
  idle(fire: () => void): WheelTimer {
    return new Timer(fire, this.#set);
  }

  /** Creates a timer that calls `fire` once, `delayMs` from now. */
  after(delayMs: number, fire: () => void): WheelTimer {
    const timer = this.idle(fire);
    timer.restart(delayMs);
    return timer;
  }

  /** Fires the timers that became due after the last call of `turn`. Advances at most `MAX_TICKS_A_TURN` ticks. */
  turn(): void {
    const now = this.now();
    const passed = Math.floor((now - this.#lastTurn) / TICK_MS);
    if (passed < 1) return;
    const stalled = passed > MAX_TICKS_A_TURN;
    this.#lastTurn = stalled ? now : this.#lastTurn + passed * TICK_MS;
    for (let i = Math.min(passed, MAX_TICKS_A_TURN); i > 0; i--) {
      this.#ticks++;
      this.#fire(this.#slotOf(this.#ticks));
    }
  }

  #fire(slot: Timer): void {
    // Each pass of the loop reads the first timer of the ring, because a timer that fires can set or cancel other
    // timers of the ring.
    slot.append(this.#endMarker);
    while (slot.behind !== this.#endMarker) {
      const timer = slot.behind;
      timer.cancel();
      if (timer.due > this.#ticks)
        slot.append(timer); // The timer is due in a later round of the wheel.
      else timer.fire();
    }
    this.#endMarker.cancel();
  }

  #slotOf(tick: number): Timer {
    const slot = this.#slots[tick % SLOTS];
    if (!slot) throw new RangeError(`no slot for tick ${tick}`);
    return slot;
  }
}
