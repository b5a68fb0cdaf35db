import type { Operation, Put } from '../store/storage-engine.ts';
import { type ConditionState, STATES, stateEntry, stateKey, storedState } from './condition-state.ts';
import { StateBudget, type StateOwner } from './state-budget.ts';
import { type Sleeper, WakeHeap } from './wake-heap.ts';
import type { Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/**
 * Assumed size of a condition state in memory without its payload, in bytes. It is enough for servers with long
 * addresses.
 */
const STATE_BYTES = 500;

/** The state of a webhook's condition in memory. It is in the heap if it must be checked at a certain time. */
export type WatchedState = ConditionState & Sleeper & StateOwner & { readonly key: string };

/** A condition state with writable fields, for `put`. */
type ChangingState = { -readonly [Field in keyof WatchedState]: WatchedState[Field] };

/** The states of conditions, in memory and in the storage engine, and the times at which they must be checked. */
export class ConditionStates implements StoredData {
  readonly prefix = STATES;
  readonly #store: Pick<WebhookStore, 'append'>;
  readonly #budget: StateBudget;
  readonly #states = new Map<string, WatchedState>();
  readonly #heap = new WakeHeap<WatchedState>();

  constructor(store: Pick<WebhookStore, 'append'>, budget = new StateBudget()) {
    this.#store = store;
    this.#budget = budget;
  }

  /**
   * Loads the states of conditions. `find` returns the webhook of a state, or undefined if the state is not needed any
   * more. Deletes states that are not needed any more and damaged entries.
   */
  static async load(
    store: Pick<WebhookStore, 'append' | 'readAll'>,
    find: (state: ConditionState) => Webhook | undefined,
  ): Promise<ConditionStates> {
    const states = new ConditionStates(store);
    await store.readAll(STATES, (key, value) => {
      const state = storedState(key, value);
      const webhook = state && find(state);
      if (!webhook || !states.put(webhook, state)) store.append({ type: 'del', key });
    });
    return states;
  }

  get size(): number {
    return this.#states.size;
  }

  /** Number of condition states that must be checked at a certain time. */
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
   * Adds a condition state to memory, or changes the state of the same condition and server. If the budget of the
   * states has no room for it, changes nothing and returns undefined. The caller must call `store` to write the state
   * to disk.
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
   * Sets the time at which a condition state must be checked to `at` (Unix ms). `takeDue` returns the state at this
   * time or later.
   */
  schedule(state: WatchedState, at: number): void {
    this.#heap.schedule(state, at);
  }

  /** Removes the time at which a condition state must be checked, so that `takeDue` does not return the state. */
  unschedule(state: WatchedState): void {
    this.#heap.remove(state);
  }

  /**
   * Finds the condition state that must be checked first. If its time has come, removes this time from the state, and
   * returns the state. Returns undefined if no state is due yet.
   */
  takeDue(now: number): WatchedState | undefined {
    return this.#heap.takeDue(now);
  }

  /** Queues the write of a condition state to the storage engine. */
  store(state: WatchedState): void {
    this.#store.append(stateEntry(state));
  }

  /** Removes a condition state from memory, and queues the deletion of its stored entry. */
  forget(state: WatchedState): void {
    this.#store.append(this.drop(state));
  }

  /** Removes a condition state from memory. Returns the operation that deletes its stored entry. */
  drop(state: WatchedState): Operation {
    this.#budget.count(state, -sizeOf(state));
    this.#heap.remove(state);
    this.#states.delete(state.key);
    return { type: 'del', key: state.key };
  }

  /** Removes the condition states of a webhook from memory. Returns the operations that delete their stored entries. */
  removeAll(hookId: string): Operation[] {
    return [...this.#states.values()].filter(state => state.hookId === hookId).map(state => this.drop(state));
  }
}

function sizeOf({ before }: ConditionState): number {
  return STATE_BYTES + Buffer.byteLength(before);
}

/**
 * Creates a condition state from an object literal that names all properties. Such an object takes 350 bytes, and an
 * object that is made by spreading takes 1,200.
 */
function newState(
  { hookId, index, server, isArmed, since, firedAt, before }: ConditionState,
  tokenId: string,
  key: string,
): WatchedState {
  return { hookId, index, server, isArmed, since, firedAt, before, tokenId, key, wakeAt: 0, heapIndex: -1 };
}
