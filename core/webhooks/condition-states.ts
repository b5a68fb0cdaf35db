import type { Operation, Put } from '../store/storage-engine.ts';
import { type ConditionState, STATES, stateEntry, stateKey, storedState } from './condition-state.ts';
import { type Sleeper, WakeHeap } from './wake-heap.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/** A state in memory. It is in the heap if it must be looked at when its time comes. */
export type WatchedState = ConditionState & Sleeper & { readonly key: string };

/** The states of conditions, in memory and in the storage engine, and the times at which they are due. */
export class ConditionStates implements StoredData {
  readonly prefix = STATES;
  readonly #store: Pick<WebhookStore, 'append'>;
  readonly #states = new Map<string, WatchedState>();
  readonly #heap = new WakeHeap<WatchedState>();

  constructor(store: Pick<WebhookStore, 'append'>) {
    this.#store = store;
  }

  /** Loads the states for which `isKnown` is true. Deletes damaged entries and all other states. */
  static async load(
    store: Pick<WebhookStore, 'append' | 'readAll'>,
    isKnown: (state: ConditionState) => boolean,
  ): Promise<ConditionStates> {
    const states = new ConditionStates(store);
    await store.readAll(STATES, (key, value) => {
      const state = storedState(key, value);
      if (state && isKnown(state)) states.add(state);
      else store.append({ type: 'del', key });
    });
    return states;
  }

  get size(): number {
    return this.#states.size;
  }

  /** Number of states that have a time at which they are due. */
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

  /** Adds a state to memory. `store` stores it. */
  add(state: ConditionState): WatchedState {
    const key = stateKey(state.hookId, state.index, state.server);
    const watched = { ...state, key, wakeAt: 0, heapIndex: -1 };
    this.#states.set(key, watched);
    return watched;
  }

  /** Sets the time at which `takeDue` returns a state, Unix ms. */
  schedule(state: WatchedState, at: number): void {
    this.#heap.schedule(state, at);
  }

  /** Makes `takeDue` skip a state. */
  unschedule(state: WatchedState): void {
    this.#heap.remove(state);
  }

  /** Returns the state that is due first, and unschedules it. Returns undefined if none is due. */
  takeDue(now: number): WatchedState | undefined {
    return this.#heap.takeDue(now);
  }

  /** Stores a state soon. */
  store(state: WatchedState): void {
    this.#store.append(stateEntry(state));
  }

  /** Removes a state from memory, and deletes its entry soon. */
  forget(state: WatchedState): void {
    this.#store.append(this.drop(state));
  }

  /** Removes a state from memory. Returns the operation that deletes its entry. */
  drop(state: WatchedState): Operation {
    this.#heap.remove(state);
    this.#states.delete(state.key);
    return { type: 'del', key: state.key };
  }

  /** Removes the states of a webhook from memory. Returns the operations that delete their entries. */
  removeAll(hookId: string): Operation[] {
    return [...this.#states.values()].filter(state => state.hookId === hookId).map(state => this.drop(state));
  }
}
