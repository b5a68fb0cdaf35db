import { type Transition, VISIBLE } from '../feed/transition.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { Operation } from '../store/storage-engine.ts';
import { factsOf, type HookFacts, heldLast, holds } from './condition.ts';
import { type ConditionState, stateEntry } from './condition-state.ts';
import { ConditionStates, type WatchedState } from './condition-states.ts';
import type { NewDelivery } from './deliveries.ts';
import type { HookCondition, Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';
import type { Webhooks } from './webhooks.ts';

/** Maximum number of states. Later conditions of other servers wait for nothing and get no delivery. */
const MAX_STATES = 100_000;
/** After a start, a condition that held before is confirmed for at least this time before its delivery, ms. */
const CONFIRM_MS = 60_000;
/** Wait after the store refused a delivery, ms. */
const REFUSED_WAIT_MS = 5_000;
/** Shortest time between two edits of a Discord message, ms. */
const EDIT_MS = 10_000;

/** Dependencies of `Conditions`. */
export interface ConditionsDependencies {
  engine: Pick<WebhookStore, 'append' | 'readAll'>;
  webhooks: Webhooks;
  /** True if a webhook that follows a game sees a server. */
  sees(webhook: Webhook, server: ServerRecord): boolean;
  recordOf(server: string): ServerRecord | undefined;
  /** Returns the payload of a server as JSON text. */
  payloadOf(record: ServerRecord): string;
  /** Queues a delivery. Rejects if the store refuses it. */
  queue(webhook: Webhook, delivery: NewDelivery, operations: readonly Operation[]): Promise<unknown>;
  now: () => number;
}

/**
 * Watches the conditions of all webhooks. A condition gets a delivery if it was false, became true, and held for its
 * time without interruption. During the cooldown the delivery waits, and is dropped if the condition ends before.
 */
export class Conditions {
  readonly #dependencies: ConditionsDependencies;
  readonly #states: ConditionStates;
  /** Number of conditions without a delivery, because there were too many states. */
  dropped = 0;

  private constructor(dependencies: ConditionsDependencies, states: ConditionStates) {
    this.#dependencies = dependencies;
    this.#states = states;
  }

  /**
   * Loads the states. A condition that still holds continues to wait; the time while the core was away counts, but the
   * delivery waits until the first probes after the start could have shown the opposite.
   */
  static async load(dependencies: ConditionsDependencies): Promise<Conditions> {
    const { engine, webhooks, now } = dependencies;
    // The states of a disabled webhook were deleted. If the core was killed before that, they are deleted now.
    const isKnown = ({ hookId, index }: ConditionState): boolean => {
      const webhook = webhooks.get(hookId);
      return webhook?.disabledAt === 0 && webhook.conditions[index] !== undefined;
    };
    const states = await ConditionStates.load(engine, isKnown);
    const conditions = new Conditions(dependencies, states);
    for (const state of states.all()) conditions.#resume(state, now());
    return conditions;
  }

  /** The states, for the comparison with the storage engine. */
  get stored(): StoredData {
    return this.#states;
  }

  /** Number of conditions that wait for a delivery or are in their cooldown. */
  get size(): number {
    return this.#states.size;
  }

  /** Handles a change of a server. Takes two look-ups in a map if the server has no webhook. */
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

  /** Queues the deliveries whose time has come. Must be called about once a second. */
  tick(): void {
    const now = this.#dependencies.now();
    for (let state = this.#states.takeDue(now); state; state = this.#states.takeDue(now))
      this.#wake(state, now);
  }

  /** Forgets the states of a webhook. Returns the operations that delete their entries. */
  removeAll(hookId: string): Operation[] {
    return this.#states.removeAll(hookId);
  }

  #noteFor(webhook: Webhook, server: string, change: Change, fields: number): void {
    if (webhook.oneMessage && change.after) this.#edit(webhook, server);
    for (const [index, condition] of webhook.conditions.entries()) {
      const state = this.#states.get(webhook.id, index, server);
      if (!change.after || !change.beforeFacts || !change.afterFacts) {
        // The server was inserted or removed. A later insert begins anew.
        if (state) this.#states.forget(state);
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
      else if (value !== true && state?.isArmed) this.#interrupt(state, webhook, value === false);
    }
  }

  #arm(webhook: Webhook, index: number, condition: HookCondition, server: string, change: Change): void {
    const { now, payloadOf } = this.#dependencies;
    let state = this.#states.get(webhook.id, index, server);
    if (state?.isArmed && state.since !== 0) return;
    if (!state && this.#states.size >= MAX_STATES) {
      this.dropped++;
      return;
    }
    const before = state?.isArmed ? state.before : change.before ? payloadOf(change.before) : 'null';
    const fresh = { hookId: webhook.id, index, server, isArmed: true, since: 0, firedAt: 0, before };
    state ??= this.#states.add(fresh);
    state.isArmed = true;
    state.since = now();
    state.before = before;
    const due = dueOf(state, condition, webhook.cooldownMs);
    if (due <= now()) {
      this.#wake(state, now());
      return;
    }
    this.#states.schedule(state, due);
    this.#states.store(state);
  }

  /** Ends the time for which a condition has held. `isOver`: the condition is false, so it must become true anew. */
  #interrupt(state: WatchedState, { cooldownMs }: Webhook, isOver: boolean): void {
    state.since = 0;
    this.#states.unschedule(state);
    if (isOver && state.firedAt === 0) {
      this.#states.forget(state);
      return;
    }
    if (isOver) {
      state.isArmed = false;
      this.#states.schedule(state, state.firedAt + cooldownMs);
    }
    this.#states.store(state);
  }

  #wake(state: WatchedState, now: number): void {
    const condition = this.#conditionOf(state);
    const webhook = this.#dependencies.webhooks.get(state.hookId);
    const record = this.#dependencies.recordOf(state.server);
    if (!condition || !webhook || !record) {
      this.#states.forget(state);
      return;
    }
    if (!state.isArmed) {
      const end = state.firedAt + webhook.cooldownMs;
      if (end > now) this.#states.schedule(state, end);
      else this.#states.forget(state);
      return;
    }
    // A condition that waits for its server to be known again has no time.
    if (state.since === 0) return;
    const due = dueOf(state, condition, webhook.cooldownMs);
    if (due > now) this.#states.schedule(state, due);
    else this.#fire(state, condition, webhook, record);
  }

  #fire(state: WatchedState, { event }: HookCondition, webhook: Webhook, record: ServerRecord): void {
    const { queue, payloadOf, now } = this.#dependencies;
    const at = now();
    const undone = { since: state.since, firedAt: state.firedAt, before: state.before };
    state.isArmed = false;
    state.since = 0;
    state.firedAt = at;
    const { server } = state;
    const delivery = { event, server, at, before: state.before, after: payloadOf(record), notBefore: at };
    state.before = 'null';
    this.#states.schedule(state, at + webhook.cooldownMs);
    // The state is in the same batch as the delivery, so that a restart neither repeats nor loses the delivery.
    queue(webhook, delivery, [stateEntry(state)]).catch(() => {
      // The store refuses writes. The condition waits, and ends if it no longer holds.
      if (this.#states.get(state.hookId, state.index, server) !== state) return;
      state.firedAt = undone.firedAt;
      if (state.isArmed) return;
      const current = this.#dependencies.recordOf(server);
      const stillHolds =
        current && (event === 'map' || holds(this.#conditionOf(state) as HookCondition, factsOf(current)));
      if (stillHolds) Object.assign(state, { isArmed: true, since: undone.since, before: undone.before });
      this.#states.schedule(state, now() + REFUSED_WAIT_MS);
    });
  }

  /** Queues an edit of the message of a server, at most one each `EDIT_MS`. */
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
    // An edit that the store refuses is made up for by the next one.
    this.#dependencies.queue(webhook, delivery, []).catch(() => {});
  }

  #resume(state: WatchedState, now: number): void {
    const condition = this.#conditionOf(state);
    const record = this.#dependencies.recordOf(state.server);
    if (condition && record && state.isArmed && condition.event !== 'map') {
      const value = holds(condition, factsOf(record));
      if (value !== true) state.since = 0;
      if (value === false) state.isArmed = false;
    }
    this.#states.schedule(state, now + Math.min(CONFIRM_MS, condition?.forMs ?? 0));
  }

  #conditionOf({ hookId, index }: ConditionState): HookCondition | undefined {
    return this.#dependencies.webhooks.get(hookId)?.conditions[index];
  }
}

/** A change of a server, with the facts that the conditions of all its webhooks need. */
interface Change {
  before: ServerRecord | undefined;
  after: ServerRecord | undefined;
  beforeFacts: HookFacts | undefined;
  afterFacts: HookFacts | undefined;
}

function changeOf(before: ServerRecord | undefined, after: ServerRecord | undefined): Change {
  return { before, after, beforeFacts: before && factsOf(before), afterFacts: after && factsOf(after) };
}

/** Returns the time at which a condition that holds gets its delivery. */
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
