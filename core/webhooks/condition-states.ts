import type { Operation, Put } from '../store/storage-engine.ts';
import { type ConditionState, STATES, stateEntry, stateKey, storedState } from './condition-state.ts';
import { StateBudget, type StateOwner } from './state-budget.ts';
import { type Sleeper, WakeHeap } from './wake-heap.ts';
import type { Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/** Size of a state without its payload, bytes. Long addresses are included. */
const STATE_BYTES = 500;

/** A state in memory. It is in the heap if it must be looked at when its time comes. */
export type WatchedState = ConditionState & Sleeper & StateOwner & { readonly key: string };

/** A state that `put` changes. */
type ChangingState = { -readonly [Field in keyof WatchedState]: WatchedState[Field] };

/** The states of conditions, in memory and in the storage engine, and the times at which they are due. */
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
   * Loads the states. `find` returns the webhook of a state; undefined if the state is not needed any more. Deletes such
   * states and damaged entries.
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

  /**
   * Adds a state to memory, or changes the one of the same condition and server. Returns undefined, and changes nothing,
   * if there is no room for it. `store` stores it.
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
    this.#budget.count(state, -sizeOf(state));
    this.#heap.remove(state);
    this.#states.delete(state.key);
    return { type: 'del', key: state.key };
  }

  /** Removes the states of a webhook from memory. Returns the operations that delete their entries. */
  removeAll(hookId: string): Operation[] {
    return [...this.#states.values()].filter(state => state.hookId === hookId).map(state => this.drop(state));
  }
}

function sizeOf({ before }: ConditionState): number {
  return STATE_BYTES + Buffer.byteLength(before);
}

/** A literal with all properties is used: such a state takes 350 bytes, and one made by spreading takes 1,200. */
function newState(
  { hookId, index, server, isArmed, since, firedAt, before }: ConditionState,
  tokenId: string,
  key: string,
): WatchedState {
  return { hookId, index, server, isArmed, since, firedAt, before, tokenId, key, wakeAt: 0, heapIndex: -1 };
}
