import { setMaxListeners } from 'node:events';
import { bucketOfServer } from '../buckets.ts';
import type { Member, Ownership } from '../ownership.ts';
import { ownerAway } from './owner-away.ts';

/**
 * Pauses between repeated calls to the cores that own the servers, ms. The first pause is FIRST_PAUSE_MS. Each further
 * pause is twice as long as the previous one, but at most LONGEST_PAUSE_MS.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;

/**
 * The reason with which calls to other cores are aborted. Without a reason, each abort would create an error with a
 * stack trace, which takes 6 % of the CPU time of a call.
 */
const CALL_OVER = 'the answers are not needed any more';

/**
 * Asks one core (`owner`) about servers that it owns. `indexes`: the servers, as indexes in the list of all keys.
 * Resolves to the answers, in the order of `indexes`. An answer is undefined if the core does not own the server or is
 * unreachable.
 */
export type AskOwner<Answer> = (
  owner: Member,
  indexes: readonly number[],
  signal: AbortSignal,
) => Promise<readonly (Answer | undefined)[]>;

/** Sends calls to the cores that own servers. If a server has moved, calls its new owner. Stops at a deadline. */
export class OwnerCalls {
  readonly #ownership: Pick<Ownership, 'ownerOf' | 'refresh' | 'watch'>;
  readonly #now: () => number;
  readonly #closing = new AbortController();

  /** `now`: returns the time in Unix ms. */
  constructor(ownership: Pick<Ownership, 'ownerOf' | 'refresh' | 'watch'>, now: () => number) {
    this.#ownership = ownership;
    this.#now = now;
    setMaxListeners(0, this.#closing.signal);
  }

  /**
   * Asks the owners (cores) of servers at the same time. Resolves to one answer for each key (`serverKey`), in order.
   * Rejects with the first error of an owner, or with CORE_1 at the deadline (Unix ms) or after `close`.
   */
  async askOwners<Answer>(
    keys: readonly string[],
    deadline: number,
    ask: AskOwner<Answer>,
  ): Promise<Answer[]> {
    const answers = new Array<Answer>(keys.length);
    const over = new AbortController();
    // Removes the limit on listeners for `over.signal`, because each call to a core adds a listener. By default, Node
    // prints a warning if a signal has more than ten listeners.
    setMaxListeners(0, over.signal);
    const end = (): void => over.abort(CALL_OVER);
    const timer = setTimeout(end, Math.max(0, deadline - this.#now()));
    this.#closing.signal.addEventListener('abort', end);
    try {
      if (this.#closing.signal.aborted) throw ownerAway();
      const round = { keys, answers, ask, signal: over.signal };
      await this.#askRound(round, [...keys.keys()], FIRST_PAUSE_MS);
      return answers;
    } catch (error) {
      // The call to one core that owns servers has failed. Therefore the calls to the other cores are aborted.
      end();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#closing.signal.removeEventListener('abort', end);
    }
  }

  /** Ends the calls in progress with the error code CORE_1. All later calls also fail with CORE_1. */
  close(): void {
    this.#closing.abort();
  }

  async #askRound<Answer>(round: Round<Answer>, indexes: readonly number[], pauseMs: number): Promise<void> {
    const asked = this.#groupByOwner(round.keys, indexes);
    await Promise.all(asked.map(group => this.#askGroup(round, group, pauseMs)));
  }

  async #askGroup<Answer>(
    round: Round<Answer>,
    { owner, indexes }: OwnerGroup,
    pauseMs: number,
  ): Promise<void> {
    const { keys, answers, ask, signal } = round;
    const got = owner ? await ask(owner, indexes, signal) : [];
    const moved = indexes.filter((index, n) => {
      const answer = got[n];
      if (answer !== undefined) answers[index] = answer;
      return answer === undefined;
    });
    if (moved.length === 0) return;
    const hasNewOwner = moved.some(i => this.#ownerOf(keys[i])?.id !== owner?.id);
    if (!hasNewOwner) await this.#changeOfOwners(pauseMs, signal);
    if (signal.aborted) throw ownerAway();
    await this.#askRound(round, moved, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
  }

  #groupByOwner(keys: readonly string[], indexes: readonly number[]): OwnerGroup[] {
    const groups = new Map<string | undefined, OwnerGroup>();
    for (const i of indexes) {
      const owner = this.#ownerOf(keys[i]);
      const group = groups.get(owner?.id);
      if (group) group.indexes.push(i);
      else groups.set(owner?.id, { owner, indexes: [i] });
    }
    return [...groups.values()];
  }

  #ownerOf(key = ''): Member | undefined {
    return this.#ownership.ownerOf(bucketOfServer(key));
  }

  /**
   * Waits until a bucket (group of servers) has a new owner, until `pauseMs` have passed, or until `signal` is aborted.
   */
  #changeOfOwners(pauseMs: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer);
        unwatch();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, pauseMs);
      const unwatch = this.#ownership.watch(end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      else this.#ownership.refresh();
    });
  }
}

/** State of one call of `OwnerCalls.askOwners`, which asks the cores that own the given servers. */
interface Round<Answer> {
  keys: readonly string[];
  answers: Answer[];
  ask: AskOwner<Answer>;
  signal: AbortSignal;
}

/**
 * The servers that one core (`owner`) owns, as indexes in the list of all keys. `owner` is undefined if no core owns
 * them.
 */
interface OwnerGroup {
  owner: Member | undefined;
  indexes: number[];
}
