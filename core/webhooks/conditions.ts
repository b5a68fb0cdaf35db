import { type Transition, VISIBLE } from '../feed/transition.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { Operation } from '../store/storage-engine.ts';
import { type HookFacts, heldLast, holds } from './condition.ts';
import { type ConditionState, stateEntry } from './condition-state.ts';
import { ConditionStates, type WatchedState } from './condition-states.ts';
import type { NewDelivery } from './deliveries.ts';
import { ServerSnapshot, type ShownNow } from './server-snapshot.ts';
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
export interface ConditionsDependencies extends ShownNow {
  engine: Pick<WebhookStore, 'append' | 'readAll'>;
  webhooks: Webhooks;
  /** True if a webhook that follows a game sees a server. */
  sees(webhook: Webhook, server: ServerRecord): boolean;
  recordOf(server: string): ServerRecord | undefined;
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
      change ??= {
        server: key,
        before: before && new ServerSnapshot(before, this.#dependencies),
        after: after && new ServerSnapshot(after, this.#dependencies),
        isNewMap: (fields & VISIBLE.map) !== 0,
      };
      this.#noteFor(webhook, change);
    });
  };

  /** Queues the deliveries whose time has come. Must be called about once a second. */
  tick(): void {
    const now = this.#dependencies.now();
    const snapshots = new Map<string, ServerSnapshot | undefined>();
    for (let state = this.#states.takeDue(now); state; state = this.#states.takeDue(now)) {
      const { server } = state;
      if (!snapshots.has(server)) snapshots.set(server, this.#snapshotOf(server));
      this.#wake(state, snapshots.get(server), now);
    }
  }

  /** Forgets the states of a webhook. Returns the operations that delete their entries. */
  removeAll(hookId: string): Operation[] {
    return this.#states.removeAll(hookId);
  }

  #noteFor(webhook: Webhook, { server, before, after, isNewMap }: Change): void {
    if (webhook.oneMessage && after) this.#edit(webhook, server);
    for (const [index, condition] of webhook.conditions.entries()) {
      const state = this.#states.get(webhook.id, index, server);
      if (!before || !after) {
        // The server was inserted or removed. A later insert begins anew.
        if (state) this.#states.forget(state);
      } else if (state?.isArmed) {
        const value = stillHolds(condition, after.facts, state);
        const isAnew = state.since === 0 || stillHolds(condition, before.facts, state) === undefined;
        if (value !== true) this.#interrupt(state, webhook, value === false);
        else if (isAnew) this.#begin(state, condition, webhook, after);
      } else if (isRise(condition, before.facts, after.facts, isNewMap))
        this.#arm(webhook, index, before, after);
    }
  }

  /** Makes a condition that was false and became true wait for its delivery. */
  #arm(webhook: Webhook, index: number, before: ServerSnapshot, after: ServerSnapshot): void {
    const condition = webhook.conditions[index] as HookCondition;
    const server = after.record.key;
    let state = this.#states.get(webhook.id, index, server);
    if (!state && this.#states.size >= MAX_STATES) {
      this.dropped++;
      return;
    }
    const waits = { isArmed: true, since: 0, before: before.summary };
    if (state) Object.assign(state, waits);
    else state = this.#states.add({ hookId: webhook.id, index, server, firedAt: 0, ...waits });
    this.#begin(state, condition, webhook, after);
  }

  /** Starts the time for which an armed condition must hold. */
  #begin(state: WatchedState, condition: HookCondition, webhook: Webhook, server: ServerSnapshot): void {
    const now = this.#dependencies.now();
    state.since = now;
    const due = dueOf(state, condition, webhook.cooldownMs);
    if (due <= now) {
      this.#fire(state, condition, webhook, server);
      return;
    }
    this.#states.schedule(state, due);
    this.#states.store(state);
  }

  /** Ends the time for which a condition has held. `isOver`: the condition is false, so it must become true anew. */
  #interrupt(state: WatchedState, { cooldownMs }: Webhook, isOver: boolean): void {
    if (!isOver && state.since === 0) return;
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

  #wake(state: WatchedState, server: ServerSnapshot | undefined, now: number): void {
    const webhook = this.#dependencies.webhooks.get(state.hookId);
    const condition = webhook?.conditions[state.index];
    if (!condition || !server) {
      this.#states.forget(state);
      return;
    }
    if (!state.isArmed) {
      const end = state.firedAt + webhook.cooldownMs;
      if (end > now) this.#states.schedule(state, end);
      else this.#states.forget(state);
      return;
    }
    // A condition that waits until its server is known again has no time.
    if (state.since === 0) return;
    const due = dueOf(state, condition, webhook.cooldownMs);
    if (due > now) {
      this.#states.schedule(state, due);
      return;
    }
    // Time alone makes a server pending, which is no change that `note` sees.
    const value = stillHolds(condition, server.facts, state);
    if (value === true) this.#fire(state, condition, webhook, server);
    else this.#interrupt(state, webhook, value === false);
  }

  #fire(state: WatchedState, condition: HookCondition, webhook: Webhook, { payload }: ServerSnapshot): void {
    const { queue, now } = this.#dependencies;
    const at = now();
    const undone = { isArmed: true, since: state.since, before: state.before };
    const { server, firedAt, before } = state;
    const delivery = { event: condition.event, server, at, before, after: payload, notBefore: at };
    Object.assign(state, { isArmed: false, since: 0, firedAt: at, before: 'null' });
    this.#states.schedule(state, at + webhook.cooldownMs);
    // The state is in the same batch as the delivery, so that a restart neither repeats nor loses the delivery.
    queue(webhook, delivery, [stateEntry(state)]).catch(() => {
      // The store refuses writes. The condition waits, and ends if it no longer holds.
      if (this.#states.get(state.hookId, state.index, server) !== state) return;
      state.firedAt = firedAt;
      if (state.isArmed) return;
      const current = this.#snapshotOf(server);
      const held = { ...state, ...undone };
      if (current && stillHolds(condition, current.facts, held) === true) Object.assign(state, undone);
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
    const condition = this.#dependencies.webhooks.get(state.hookId)?.conditions[state.index];
    const server = this.#snapshotOf(state.server);
    if (condition && server && state.isArmed) {
      const value = stillHolds(condition, server.facts, state);
      if (value !== true) state.since = 0;
      if (value === false) state.isArmed = false;
    }
    this.#states.schedule(state, now + Math.min(CONFIRM_MS, condition?.forMs ?? 0));
  }

  #snapshotOf(server: string): ServerSnapshot | undefined {
    const record = this.#dependencies.recordOf(server);
    return record && new ServerSnapshot(record, this.#dependencies);
  }
}

/** A change of a server. */
interface Change {
  server: string;
  before: ServerSnapshot | undefined;
  after: ServerSnapshot | undefined;
  isNewMap: boolean;
}

/** Returns the time at which a condition that holds gets its delivery. */
function dueOf({ since, firedAt }: ConditionState, { forMs }: HookCondition, cooldownMs: number): number {
  return Math.max(since + forMs, firedAt === 0 ? 0 : firedAt + cooldownMs);
}

/** Returns if an armed condition holds. Undefined if that is not known. */
function stillHolds(
  condition: HookCondition,
  facts: HookFacts,
  { before }: ConditionState,
): boolean | undefined {
  return holds(condition, facts, condition.event === 'map' ? mapOf(before) : undefined);
}

function mapOf(payload: string): string | undefined {
  return (JSON.parse(payload) as { map?: string } | null)?.map;
}

/** Returns if a condition was false when it was known last, and is true now. */
function isRise(condition: HookCondition, before: HookFacts, after: HookFacts, isNewMap: boolean): boolean {
  if (condition.event === 'map')
    return isNewMap && before.map !== '' && holds(condition, after, before.map) === true;
  return heldLast(condition, before) === false && holds(condition, after, undefined) === true;
}
