import type { Operation, Put } from '../store/storage-engine.ts';
import { type ConditionState, STATES, stateEntry, stateKey, storedState } from './condition-state.ts';
import { StateBudget, type StateOwner } from './state-budget.ts';
import { type Sleeper, WakeHeap } from './wake-heap.ts';
import type { Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/** Assumed size in memory of the state of one webhook condition, in bytes. Its text `before` is counted separately. */
const STATE_BYTES = 500;

/**
 * The state of one webhook condition for one server, in memory. While a check of the condition is scheduled, `#heap`
 * contains this state.
 */
export type WatchedState = ConditionState & Sleeper & StateOwner & { readonly key: string };

/** A `WatchedState` with writable fields. Only `put` changes the fields, because `put` also counts their memory. */
type ChangingState = { -readonly [Field in keyof WatchedState]: WatchedState[Field] };

/**
 * The states of webhook conditions, one for each condition and server, in memory and in the storage engine. Also
 * schedules the next check of each condition.
 */
export class ConditionStates implements StoredData {
  readonly prefix = STATES;
  readonly #store: Pick<WebhookStore, 'append' | 'readAll'>;
  readonly #budget: StateBudget;
  readonly #states = new Map<string, WatchedState>();
  readonly #heap = new WakeHeap<WatchedState>();

  constructor(store: Pick<WebhookStore, 'append' | 'readAll'>, budget = new StateBudget()) {
    this.#store = store;
    this.#budget = budget;
  }

  /**
   * Loads the stored states of webhook conditions. Deletes a stored state if it is damaged, if `find` returns no
   * webhook for it, or if the memory budget for states is used up.
   */
  async load(find: (state: ConditionState) => Webhook | undefined): Promise<void> {
    await this.#store.readAll(STATES, (key, value) => {
      const state = storedState(key, value);
      const webhook = state && find(state);
      if (!webhook || !this.put(webhook, state)) this.#store.append({ type: 'del', key });
    });
  }

  get size(): number {
    return this.#states.size;
  }

  /** Number of webhook conditions with a scheduled check (see `schedule`). */
  get scheduled(): number {
    return this.#heap.size;
  }

  get(hookId: string, index: number, server: string): WatchedState | undefined {
    return this.#states.get(stateKey(hookId, index, server));
  }

  all(): Iterable<WatchedState> {
    return this.#states.values();
  }

  *entries(): Iterable<Put> {
    for (const state of this.all()) yield stateEntry(state);
  }

  /**
   * Adds or changes the state of a webhook condition for a server in memory. If the memory budget for states is used
   * up, changes nothing and returns undefined. Writes nothing to disk; call `store` for this.
   */
  put({ tokenId }: Pick<Webhook, 'tokenId'>, state: ConditionState): WatchedState | undefined {
    const key = stateKey(state.hookId, state.index, state.server);
    const known = this.#states.get(key);
    const bytes = sizeOf(state) - (known ? sizeOf(known) : 0);
    if (bytes > 0 && !this.#budget.hasRoom({ hookId: state.hookId, tokenId }, bytes)) return undefined;
    const watched: ChangingState = known ?? newState(state, tokenId, key);
    watched.isArmed = state.isArmed;
    watched.since = state.since;
    watched.firedAt = state.firedAt;
    watched.before = state.before;
    this.#budget.count(watched, bytes);
    this.#states.set(key, watched);
    return watched;
  }

  /**
   * Schedules the next check of a webhook condition for the time `at` (Unix ms). `state`: the state of this condition
   * for one server. When the check is due, `takeDue` returns this state.
   */
  schedule(state: WatchedState, at: number): void {
    this.#heap.schedule(state, at);
  }

  /** Cancels the next check of a webhook condition. `state`: the state of this condition for one server. */
  unschedule(state: WatchedState): void {
    this.#heap.remove(state);
  }

  /**
   * Finds the webhook condition whose check is due first. Returns the state of this condition, and removes the check
   * from the schedule. Returns undefined if no check is due at the time `now` (Unix ms).
   */
  takeDue(now: number): WatchedState | undefined {
    return this.#heap.takeDue(now);
  }

  /**
   * Stores the state of a webhook condition in the storage engine. The write is only queued, and this method does not
   * wait for it.
   */
  store(state: WatchedState): void {
    this.#store.append(stateEntry(state));
  }

  /** Removes the state of a webhook condition from memory, and queues the deletion of its stored entry. */
  forget(state: WatchedState): void {
    this.#store.append(this.drop(state));
  }

  /** Removes the state of a webhook condition from memory. Returns the operation that deletes its stored entry. */
  drop(state: WatchedState): Operation {
    this.#budget.count(state, -sizeOf(state));
    this.#heap.remove(state);
    this.#states.delete(state.key);
    return { type: 'del', key: state.key };
  }

  /**
   * Removes the states of all conditions of a webhook from memory. Returns the operations that delete the stored
   * states.
   */
  removeAll(hookId: string): Operation[] {
    return [...this.#states.values()].filter(state => state.hookId === hookId).map(state => this.drop(state));
  }
}

function sizeOf({ before }: ConditionState): number {
  return STATE_BYTES + Buffer.byteLength(before);
}

/**
 * Creates the state of a webhook condition. The code lists every property instead of copying an object with the spread
 * syntax (`...`). An object that is made by spreading takes 1,200 bytes, and this object takes only 350 bytes.
 */
function newState(
  { hookId, index, server, isArmed, since, firedAt, before }: ConditionState,
  tokenId: string,
  key: string,
): WatchedState {
  return { hookId, index, server, isArmed, since, firedAt, before, tokenId, key, wakeAt: 0, heapIndex: -1 };
}
