import { type Transition, VISIBLE } from '../feed/transition.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { factsOf, type HookFacts, heldLast, holds } from './condition.ts';
import { type ConditionState, STATES, stateEntry, stateKey, storedState } from './condition-state.ts';
import type { NewDelivery } from './deliveries.ts';
import { WakeHeap } from './wake-heap.ts';
import type { HookCondition, Webhook } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

/** Maximum number of condition states. If there are as many, a further condition that becomes true gets no delivery. */
const MAX_STATES = 100_000;
/** After a start, a condition that was true before waits for the first probes, but at most this time, ms. */
const CONFIRM_MS = 60_000;
/** Time until a delivery that the store refused is tried again, ms. */
const REFUSED_WAIT_MS = 5_000;
/** Shortest time between two edits of a Discord message, ms. */
const EDIT_MS = 10_000;

/** Dependencies of `Conditions`. */
export interface ConditionsDependencies {
  engine: StorageEngine;
  webhooks: Webhooks;
  /** True if a webhook that follows a whole game may see this server. */
  sees(webhook: Webhook, server: ServerRecord): boolean;
  recordOf(server: string): ServerRecord | undefined;
  /** Returns the payload of a server as JSON text. */
  payloadOf(record: ServerRecord): string;
  /** Queues a delivery. Rejects if the store refuses to store it. */
  queue(webhook: Webhook, delivery: NewDelivery, operations: readonly Operation[]): Promise<unknown>;
  now: () => number;
}

type State = ConditionState & { wakeAt: number; isGone: boolean; isInHeap: boolean };

/**
 * Watches the conditions of all webhooks. A condition causes a delivery if it was false, becomes true, and stays true
 * for its duration without interruption. During the cooldown a delivery waits, and is dropped if the condition becomes
 * false before.
 */
export class Conditions {
  readonly #dependencies: ConditionsDependencies;
  readonly #states = new Map<string, State>();
  readonly #heap = new WakeHeap<State>();
  /** Number of conditions that became true but got no delivery, because there were too many states. */
  dropped = 0;

  private constructor(dependencies: ConditionsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Loads the stored states of conditions. The time while the core was stopped counts for a condition that is still
   * true, but its delivery waits for the first probes after the start, because they can show the opposite.
   */
  static async load(dependencies: ConditionsDependencies): Promise<Conditions> {
    const conditions = new Conditions(dependencies);
    const { engine, now } = dependencies;
    const found: ConditionState[] = [];
    await engine.readAll(STATES, (key, value) => {
      const state = storedState(key, value);
      if (state && conditions.#conditionOf(state)) found.push(state);
      else engine.append({ type: 'del', key });
    });
    for (const stored of found) {
      const state = conditions.#addState(stored);
      conditions.#resume(state, now());
    }
    return conditions;
  }

  /** Number of conditions that wait for a delivery or are in their cooldown. */
  get size(): number {
    return this.#states.size;
  }

  /** Updates all conditions of a changed server. Costs two look-ups in a map if no webhook follows the server. */
  readonly note = ({ key, before, after, fields }: Transition): void => {
    const server = after ?? before;
    if (!server) return;
    let change: Change | undefined;
    this.#dependencies.webhooks.visitFollowers(key, server.gameId, webhook => {
      if (webhook.disabledAt !== 0) return;
      if (webhook.game !== '' && !this.#dependencies.sees(webhook, server)) return;
      change ??= changeOf(before, after);
      this.#noteFor(webhook, key, change, fields);
    });
  };

  /** Queues the deliveries that have become due. Must be called about once a second. */
  tick(): void {
    const now = this.#dependencies.now();
    for (let state = this.#heap.takeDue(now); state; state = this.#heap.takeDue(now)) {
      state.isInHeap = false;
      if (state.isGone) continue;
      if (state.wakeAt > now) this.#schedule(state, state.wakeAt);
      else this.#wake(state, now);
    }
  }

  /** Removes a webhook's condition states from memory. Returns the operations that delete the stored ones. */
  removeAll(hookId: string): Operation[] {
    const operations: Operation[] = [];
    for (const [key, state] of this.#states) {
      if (state.hookId !== hookId) continue;
      this.#drop(key, state);
      operations.push({ type: 'del', key });
    }
    return operations;
  }

  #noteFor(webhook: Webhook, server: string, change: Change, fields: number): void {
    if (webhook.oneMessage && change.after) this.#edit(webhook, server);
    for (const [index, condition] of webhook.conditions.entries()) {
      const key = stateKey(webhook.id, index, server);
      const state = this.#states.get(key);
      if (!change.after || !change.beforeFacts || !change.afterFacts) {
        // The server was inserted or removed, so the conditions start again without a state.
        if (state) this.#forget(key, state);
        continue;
      }
      if (condition.event === 'map') {
        if (isNewMap(change.beforeFacts, change.afterFacts, fields))
          this.#arm(webhook, index, condition, server, change);
        continue;
      }
      const value = holds(condition, change.afterFacts);
      const isRise = value === true && heldLast(condition, change.beforeFacts) === false;
      if (value === true && (isRise || (state?.isArmed && state.since === 0)))
        this.#arm(webhook, index, condition, server, change);
      else if (value !== true && state?.isArmed) this.#interrupt(key, state, value === false);
    }
  }

  #arm(webhook: Webhook, index: number, condition: HookCondition, server: string, change: Change): void {
    const { now, payloadOf } = this.#dependencies;
    const key = stateKey(webhook.id, index, server);
    let state = this.#states.get(key);
    if (state?.isArmed && state.since !== 0) return;
    if (!state && this.#states.size >= MAX_STATES) {
      this.dropped++;
      return;
    }
    const before = state?.isArmed ? state.before : change.before ? payloadOf(change.before) : 'null';
    state ??= this.#addState({
      hookId: webhook.id,
      index,
      server,
      isArmed: true,
      since: 0,
      firedAt: 0,
      before,
    });
    state.isArmed = true;
    state.since = now();
    state.before = before;
    this.#schedule(state, dueOf(state, condition, webhook.cooldownMs));
    if (state.wakeAt <= now()) this.#wake(state, now());
    else this.#store(state);
  }

  #interrupt(key: string, state: State, isOver: boolean): void {
    state.since = 0;
    if (isOver) state.isArmed = false;
    // Keeps the state until its time in the heap, so that a server that flaps does not add more and more entries.
    if (isOver && state.firedAt === 0) this.#dependencies.engine.append({ type: 'del', key });
    else this.#store(state);
  }

  #wake(state: State, now: number): void {
    const condition = this.#conditionOf(state);
    const webhook = this.#dependencies.webhooks.get(state.hookId);
    const record = this.#dependencies.recordOf(state.server);
    const key = stateKey(state.hookId, state.index, state.server);
    if (!condition || !webhook || !record) {
      this.#forget(key, state);
      return;
    }
    const isDue = state.isArmed && state.since !== 0;
    if (isDue) {
      const due = dueOf(state, condition, webhook.cooldownMs);
      if (due > now) this.#schedule(state, due);
      else this.#fire(state, condition, webhook, record);
      return;
    }
    if (state.isArmed) this.#schedule(state, now + CONFIRM_MS);
    else if (state.firedAt + webhook.cooldownMs <= now) this.#forget(key, state);
    else this.#schedule(state, state.firedAt + webhook.cooldownMs);
  }

  #fire(state: State, { event }: HookCondition, webhook: Webhook, record: ServerRecord): void {
    const { queue, payloadOf, now } = this.#dependencies;
    const at = now();
    const undone = { since: state.since, firedAt: state.firedAt, before: state.before };
    state.isArmed = false;
    state.since = 0;
    state.firedAt = at;
    const { server } = state;
    const delivery = { event, server, at, before: state.before, after: payloadOf(record), notBefore: at };
    state.before = 'null';
    this.#schedule(state, at + webhook.cooldownMs);
    // Stores the state in the same batch as the delivery, so that a restart neither repeats nor loses the delivery.
    queue(webhook, delivery, [stateEntry(state)]).catch(() => {
      // The store refuses writes. If the condition is still true, it waits and tries again.
      if (state.isGone) return;
      state.firedAt = undone.firedAt;
      if (state.isArmed) return;
      const current = this.#dependencies.recordOf(server);
      const stillHolds =
        current && (event === 'map' || holds(this.#conditionOf(state) as HookCondition, factsOf(current)));
      if (stillHolds) Object.assign(state, { isArmed: true, since: undone.since, before: undone.before });
      this.#schedule(state, now() + REFUSED_WAIT_MS);
    });
  }

  /** Queues an edit of the Discord message of a server, at most one in each `EDIT_MS`. */
  #edit(webhook: Webhook, server: string): void {
    const at = this.#dependencies.now();
    const delivery = {
      event: 'update' as const,
      server,
      at,
      before: 'null',
      after: 'null',
      notBefore: at + EDIT_MS,
    };
    // If the store refuses the edit, nothing is lost: the next edit shows the newest state too.
    this.#dependencies.queue(webhook, delivery, []).catch(() => {});
  }

  #resume(state: State, now: number): void {
    const condition = this.#conditionOf(state);
    const record = this.#dependencies.recordOf(state.server);
    if (condition && record && state.isArmed && condition.event !== 'map') {
      const value = holds(condition, factsOf(record));
      if (value !== true) state.since = 0;
      if (value === false) state.isArmed = false;
    }
    this.#schedule(state, now + Math.min(CONFIRM_MS, condition?.forMs ?? 0));
  }

  #conditionOf({ hookId, index }: ConditionState): HookCondition | undefined {
    return this.#dependencies.webhooks.get(hookId)?.conditions[index];
  }

  #addState(stored: ConditionState): State {
    const state = { ...stored, wakeAt: 0, isGone: false, isInHeap: false };
    this.#states.set(stateKey(state.hookId, state.index, state.server), state);
    return state;
  }

  #schedule(state: State, at: number): void {
    state.wakeAt = at;
    // If the state is in the heap already, with an earlier time, `tick` adds it again when that time has come. So the
    // heap has at most one entry for each state.
    if (!state.isInHeap) this.#heap.add(state);
    state.isInHeap = true;
  }

  #store(state: State): void {
    this.#dependencies.engine.append(stateEntry(state));
  }

  #forget(key: string, state: State): void {
    this.#drop(key, state);
    this.#dependencies.engine.append({ type: 'del', key });
  }

  #drop(key: string, state: State): void {
    state.isGone = true;
    this.#states.delete(key);
  }
}

/** A change of a server, with the fields that the conditions check before and after the change. */
interface Change {
  before: ServerRecord | undefined;
  after: ServerRecord | undefined;
  beforeFacts: HookFacts | undefined;
  afterFacts: HookFacts | undefined;
}

function changeOf(before: ServerRecord | undefined, after: ServerRecord | undefined): Change {
  return { before, after, beforeFacts: before && factsOf(before), afterFacts: after && factsOf(after) };
}

/** Returns the time at which the delivery of a condition is due, if the condition stays true until then. */
function dueOf({ since, firedAt }: ConditionState, { forMs }: HookCondition, cooldownMs: number): number {
  return Math.max(since + forMs, firedAt === 0 ? 0 : firedAt + cooldownMs);
}

function isNewMap(before: HookFacts, after: HookFacts, fields: number): boolean {
  return (
    (fields & VISIBLE.map) !== 0 &&
    after.isOnline === true &&
    before.map !== '' &&
    after.map !== '' &&
    before.map !== after.map
  );
}
