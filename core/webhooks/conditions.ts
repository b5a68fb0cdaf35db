import { type Transition, VISIBLE } from '../feed/transition.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { Operation } from '../store/storage-engine.ts';
import { conditionOf, dueOf, isForgotten, isRise, stillHolds } from './condition.ts';
import { type ConditionState, stateEntry } from './condition-state.ts';
import { ConditionStates, type WatchedState } from './condition-states.ts';
import type { NewDelivery } from './deliveries.ts';
import { DroppedEvents, type DroppedEventsDependencies } from './dropped-events.ts';
import { type ReadRecord, ServerSnapshot, type ShownNow } from './server-snapshot.ts';
import type { HookEvent, Webhook } from './webhook.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';
import type { Webhooks } from './webhooks.ts';

/**
 * Longest delay of the first check of a webhook condition after a start of the core, or after the clock was set back,
 * ms. During this delay, new probes can update the server records.
 */
const CONFIRM_MS = 60_000;
/** Time before a webhook condition is checked again if the server record must first be read from another core, ms. */
const READ_WAIT_MS = 500;
/** Time before gsq tries again to store a delivery that the store has refused, ms. */
const REFUSED_WAIT_MS = 5_000;
/**
 * Limits for one call of `tick`. MAX_WAKES: maximum number of checked webhook conditions. MAX_FIRES: maximum number of
 * conditions that cause deliveries.
 */
const MAX_WAKES = 2_000;
const MAX_FIRES = 200;
/** Shortest time between two edits of a Discord message, ms. */
const EDIT_MS = 10_000;

/** The objects and functions that `Conditions` needs to watch the conditions of webhooks. */
export interface ConditionsDependencies extends ShownNow, DroppedEventsDependencies {
  engine: Pick<WebhookStore, 'append' | 'readAll' | 'refusal'>;
  webhooks: Webhooks;
  /**
   * True if a webhook that follows all servers of a game may report this server. The webhook of a FREE token may report
   * only servers that the token has inserted.
   */
  sees(webhook: Webhook, server: ServerRecord): boolean;
  recordOf(server: string): ReadRecord;
  /** Queues a delivery. Rejects if the store refuses to write the delivery. */
  queue(webhook: Webhook, delivery: NewDelivery, operations: readonly Operation[]): Promise<unknown>;
}

/**
 * Watches the conditions of all webhooks. Queues a delivery when a condition has been true for its duration and the
 * cooldown is over. This file has more than 300 lines, because all its methods change the same states.
 */
export class Conditions {
  readonly #dependencies: ConditionsDependencies;
  readonly #states: ConditionStates;
  readonly #dropped: DroppedEvents;

  constructor(dependencies: ConditionsDependencies) {
    this.#dependencies = dependencies;
    this.#states = new ConditionStates(dependencies.engine);
    this.#dropped = new DroppedEvents(dependencies);
  }

  /** Loads the stored states of webhook conditions at the start of the core. */
  async load(): Promise<void> {
    const { webhooks } = this.#dependencies;
    await this.#states.load(({ hookId, index }) => {
      const webhook = webhooks.get(hookId);
      // The core deletes the stored condition states of a disabled webhook. If the core was killed before the deletion,
      // the states are deleted here, at the next start.
      return webhook?.disabledAt === 0 && webhook.conditions[index] ? webhook : undefined;
    });
    this.checkAll();
  }

  /** Schedules a check of every webhook condition. Called at the start of the core, and when the clock was set back. */
  checkAll(): void {
    const { webhooks } = this.#dependencies;
    const now = this.#dependencies.now();
    for (const state of this.#states.all()) {
      // Replaces a time in the future by the current time. Such a time was recorded before the clock was set back.
      if (state.since > now || state.firedAt > now) {
        const [since, firedAt] = [Math.min(state.since, now), Math.min(state.firedAt, now)];
        this.#states.put(state, { ...state, since, firedAt });
        this.#states.store(state);
      }
      // The first check of a condition after the core starts is delayed by up to CONFIRM_MS, so that probes can update
      // the server record. If the condition is true at this check, gsq assumes that it was also true before the start.
      const { forMs = 0 } = webhooks.get(state.hookId)?.conditions[state.index] ?? {};
      this.#states.schedule(state, now + Math.min(CONFIRM_MS, forMs));
    }
  }

  /**
   * The states of all webhook conditions in memory. If the store has refused a write, gsq later compares the stored
   * states with these states, and writes the differences.
   */
  get stored(): StoredData {
    return this.#states;
  }

  /** Number of pairs of a webhook condition and a server for which a delivery is pending or a cooldown is running. */
  get size(): number {
    return this.#states.size;
  }

  /** Number of webhook events that were dropped because webhook conditions had used up their memory (`StateBudget`). */
  get dropped(): number {
    return this.#dropped.count;
  }

  /** Handles a change of a server. If no webhook follows the server, this costs only two look-ups in a map. */
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

  /** Queues the deliveries that have become due. Must be called about once a second. */
  tick(): void {
    const now = this.#dependencies.now();
    const snapshots = new Map<string, ServerSnapshot | 'unread' | undefined>();
    for (let wakes = 0, fires = 0; wakes < MAX_WAKES && fires < MAX_FIRES; wakes++) {
      const state = this.#states.takeDue(now);
      if (!state) return;
      const { server } = state;
      if (!snapshots.has(server)) snapshots.set(server, this.#snapshotOf(server));
      const snapshot = snapshots.get(server);
      if (snapshot === 'unread') this.#states.schedule(state, now + READ_WAIT_MS);
      else if (this.#wake(state, snapshot, now)) fires++;
    }
  }

  /** Removes the states of a webhook's conditions from memory. Returns the operations that delete the stored states. */
  removeAll(hookId: string): Operation[] {
    this.#dropped.forget(hookId);
    return this.#states.removeAll(hookId);
  }

  #noteFor(webhook: Webhook, { server, before, after, isNewMap }: Change): void {
    if (webhook.oneMessage && after) this.#edit(webhook, server);
    const due: ConditionState[] = [];
    for (const [index, condition] of webhook.conditions.entries()) {
      const state = this.#states.get(webhook.id, index, server);
      if (!before || !after) {
        // The server was inserted or removed. Deletes the old state of its webhook condition: after a removal and a new
        // insert, the condition must start without a state.
        if (state) this.#states.forget(state);
      } else if (state?.isArmed) {
        const value = stillHolds(condition, after.facts, state);
        const isAnew = state.since === 0 || stillHolds(condition, before.facts, state) === undefined;
        if (value !== true) this.#interrupt(webhook, state, value === false);
        else if (isAnew) due.push(...this.#begin(webhook, state));
      } else {
        const armed = (): ConditionState => {
          const waits = { firedAt: state?.firedAt ?? 0, isArmed: true, since: 0, before: before.summary };
          return { hookId: webhook.id, index, server, ...waits };
        };
        if (isRise(condition, before.facts, after.facts, isNewMap))
          due.push(...this.#begin(webhook, armed()));
        // The webhook condition was false and is unknown now. Stores that it was false: otherwise a later change from
        // unknown to true would cause no delivery.
        else if (isForgotten(condition, before.facts, after.facts)) this.#wait(webhook, armed(), undefined);
      }
    }
    if (after && due.length > 0) this.#fire(webhook, due, after);
  }

  /**
   * Called when a webhook condition has become true: starts the time for which it must stay true. If the delivery is
   * due now, returns an array with the new state. Otherwise schedules a check and returns an empty array.
   */
  #begin(webhook: Webhook, armed: ConditionState): ConditionState[] {
    const now = this.#dependencies.now();
    const begun = { ...armed, since: now };
    const due = dueOf(webhook, begun);
    if (due <= now) return [begun];
    this.#wait(webhook, begun, due);
    return [];
  }

  /**
   * Stores the state of a webhook condition whose delivery is pending. Schedules a check at the time `at`. Without
   * `at`, the condition is checked only when the server changes. If memory has no room for the state, drops the event
   * of this condition.
   */
  #wait(webhook: Webhook, armed: ConditionState, at: number | undefined): void {
    const state = this.#states.put(webhook, armed);
    if (!state) {
      this.#dropped.addEvent(webhook.id, conditionOf(webhook, armed).event, armed.server);
      return;
    }
    if (at === undefined) this.#states.unschedule(state);
    else this.#states.schedule(state, at);
    this.#states.store(state);
  }

  /**
   * Called if a webhook condition is no longer true while its delivery is pending. If the condition is false
   * (`isOver`), drops the delivery. If the condition is unknown, keeps the delivery pending: when the condition is
   * true again, its duration starts again.
   */
  #interrupt(webhook: Webhook, armed: ConditionState, isOver: boolean): void {
    if (isOver) this.#append(this.#disarm(webhook, armed));
    else if (armed.since !== 0) this.#wait(webhook, { ...armed, since: 0 }, undefined);
  }

  /**
   * Called after the delivery of a webhook condition was queued or dropped. Keeps the state of the condition until the
   * end of the cooldown, and then removes it. Returns the operations that store or delete this state in the storage
   * engine.
   */
  #disarm(webhook: Webhook, { hookId, index, server, firedAt }: ConditionState): Operation[] {
    const end = firedAt + webhook.cooldownMs;
    const rest = { hookId, index, server, firedAt, isArmed: false, since: 0, before: 'null' };
    const isCooling = firedAt !== 0 && end > this.#dependencies.now();
    const cooling = isCooling ? this.#states.put(webhook, rest) : undefined;
    if (cooling) {
      this.#states.schedule(cooling, end);
      return [stateEntry(cooling)];
    }
    const known = this.#states.get(hookId, index, server);
    return known ? [this.#states.drop(known)] : [];
  }

  /**
   * Checks a condition of a webhook at the scheduled time. If the condition is still true, and has been true for its
   * duration, queues its delivery and returns true. Otherwise returns false.
   */
  #wake(state: WatchedState, server: ServerSnapshot | undefined, now: number): boolean {
    const webhook = this.#dependencies.webhooks.get(state.hookId);
    if (!webhook || !server) this.#states.forget(state);
    else if (!state.isArmed) this.#append(this.#disarm(webhook, state));
    else {
      // Evaluates the webhook condition again. The condition can change without a new server record: an online server
      // becomes pending when its data gets too old.
      const value = stillHolds(conditionOf(webhook, state), server.facts, state);
      const at = dueOf(webhook, state);
      if (value !== true) this.#interrupt(webhook, state, value === false);
      else if (state.since !== 0 && at > now) this.#states.schedule(state, at);
      else {
        const due = state.since === 0 ? this.#begin(webhook, state) : [{ ...state }];
        this.#fire(webhook, due, server);
        return due.length > 0;
      }
    }
    return false;
  }

  /**
   * Queues the due deliveries of one webhook for one server. Conditions with the same event share one delivery, for
   * example two limits for the number of players.
   */
  #fire(webhook: Webhook, due: readonly ConditionState[], server: ServerSnapshot): void {
    const { queue, now, engine } = this.#dependencies;
    const at = now();
    const byEvent = new Map<HookEvent, ConditionState[]>();
    for (const armed of due) {
      const { event } = conditionOf(webhook, armed);
      if (engine.refusal) this.#wait(webhook, armed, at + REFUSED_WAIT_MS);
      else byEvent.set(event, [...(byEvent.get(event) ?? []), armed]);
    }
    for (const [event, same] of byEvent) {
      const before = same.at(-1)?.before ?? 'null';
      const delivery = { event, server: server.record.key, at, before, after: server.payload, notBefore: at };
      // One batch writes the delivery and the new states of the conditions. Therefore a restart of the core neither
      // repeats nor loses the delivery.
      const operations = same.flatMap(armed => this.#disarm(webhook, { ...armed, firedAt: at }));
      queue(webhook, delivery, operations).catch(() => {
        for (const armed of same) this.#undoFire(armed);
      });
    }
  }

  /**
   * Called if the store could not write the delivery of a webhook condition. Drops the delivery if the condition is
   * false now. If the condition is true or unknown, schedules another attempt to store the delivery.
   */
  #undoFire(armed: ConditionState): void {
    const { hookId, index, server, firedAt } = armed;
    const { webhooks, now } = this.#dependencies;
    const webhook = webhooks.get(hookId);
    const snapshot = this.#snapshotOf(server);
    if (webhook?.disabledAt !== 0 || !snapshot) return;
    const state = this.#states.get(hookId, index, server);
    // The server record is still being read from another core. Until it is read, the webhook condition counts as true,
    // so that the event is not lost.
    const isUnread = snapshot === 'unread';
    const value = isUnread || stillHolds(conditionOf(webhook, armed), snapshot.facts, armed);
    const retryAt = now() + REFUSED_WAIT_MS;
    if (state?.isArmed) this.#wait(webhook, { ...state, firedAt }, retryAt);
    else if (value === false) this.#append(this.#disarm(webhook, armed));
    else this.#wait(webhook, value ? armed : { ...armed, since: 0 }, retryAt);
  }

  #append(operations: readonly Operation[]): void {
    for (const operation of operations) this.#dependencies.engine.append(operation);
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
    // If the store refuses this edit of the Discord message, ignores the error: the next edit shows the newest state of
    // the server anyway.
    this.#dependencies.queue(webhook, delivery, []).catch(() => {});
  }

  #snapshotOf(server: string): ServerSnapshot | 'unread' | undefined {
    const record = this.#dependencies.recordOf(server);
    return typeof record === 'object' ? new ServerSnapshot(record, this.#dependencies) : record;
  }
}

/**
 * The data of a server before and after a change. `before` or `after` is undefined if the server was not tracked before
 * or after the change.
 */
interface Change {
  server: string;
  before: ServerSnapshot | undefined;
  after: ServerSnapshot | undefined;
  isNewMap: boolean;
}
