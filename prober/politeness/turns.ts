import type { Budgeted, Host } from './host.ts';
import type { Line } from './line.ts';

/** A turn no further off is waited for here; a server whose turn is further off is sent away until then. */
export const PATIENCE_MS = 2000;
const MOST_RETRY_MS = 600_000;
/** A turn that nobody came for is given up after this. */
const KEPT_MS = 60_000;
/** Outsiders choose which servers there are. A turn takes about 100 bytes. */
const MOST_TURNS = 262_144;

/** Nothing may be sent to this server for now. */
export interface HeldBack {
  retryAfterMs: number;
}

/**
 * Who may probe when more servers are due than the budgets allow: they stand in the line of each budget in turn. One
 * that is sent away keeps its turn: back at that time, it is let in, however many others have come since.
 */
export class Turns {
  #given = 0;

  /** Undefined when it is the turn of the server at this port. */
  stand(host: Host, port: number, now: number): HeldBack | undefined {
    const turn = host.turns?.get(port);
    if (turn && turn.at - now > PATIENCE_MS) return sendAway(turn.at, now);
    let passed = 0;
    for (let budget: Budgeted | undefined = host.first; budget; budget = budget.above, passed++) {
      if (turn && passed < turn.passed) continue;
      const heldBack = this.#standIn(budget.line, host, passed, port, now);
      if (heldBack) return heldBack;
    }
    if (turn) this.#drop(host, port);
    return undefined;
  }

  /** Sends a server away that waited in vain: to the end of the line of its host. */
  again(host: Host, port: number, now: number): HeldBack {
    return this.#give(host, port, { at: host.line.take(now), passed: 1 }, now);
  }

  /** Forgets turns that nobody came for. */
  sweep(host: Host, now: number): void {
    if (!host.turns) return;
    for (const [port, { at }] of host.turns) if (at + KEPT_MS < now) this.#drop(host, port);
  }

  /** `passed`: lines before this one. */
  #standIn(line: Line, host: Host, passed: number, port: number, now: number): HeldBack | undefined {
    if (line.freeAt - now <= PATIENCE_MS) {
      line.take(now);
      return undefined;
    }
    // Without a note of it a turn would be lost, and the line grow without end.
    if (this.#given >= MOST_TURNS && !host.turns?.has(port)) return { retryAfterMs: MOST_RETRY_MS };
    return this.#give(host, port, { at: line.take(now), passed: passed + 1 }, now);
  }

  #give(host: Host, port: number, turn: { at: number; passed: number }, now: number): HeldBack {
    host.turns ??= new Map();
    if (!host.turns.has(port)) this.#given++;
    host.turns.set(port, turn);
    return sendAway(turn.at, now);
  }

  #drop(host: Host, port: number): void {
    if (host.turns?.delete(port)) this.#given--;
  }
}

function sendAway(until: number, now: number): HeldBack {
  return { retryAfterMs: Math.ceil(Math.min(until - now, MOST_RETRY_MS)) };
}
