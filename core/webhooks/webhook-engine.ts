import type { Token } from '../access/token.ts';
import type { KeptKey } from '../credentials/kept-key.ts';
import type { Transition } from '../feed/transition.ts';
import type { Operation, StorageEngine } from '../store/storage-engine.ts';
import { Conditions } from './conditions.ts';
import { Deliveries } from './deliveries.ts';
import type { Attempt } from './delivery.ts';
import { DeliveryLeases } from './delivery-leases.ts';
import { DeliveryLog } from './delivery-log.ts';
import { HostRate } from './host-rate.ts';
import { MessageIds } from './message-ids.ts';
import type { ReadRecord, ShownNow } from './server-snapshot.ts';
import type { Webhook } from './webhook.ts';
import type { CheckedRequest } from './webhook-request.ts';
import { type StoredData, WebhookStore } from './webhook-store.ts';
import { Webhooks } from './webhooks.ts';

const TICK_MS = 500;
/** If the clock moves back by more than this (ms), somebody has set it. Smaller steps are ordinary adjustments. */
const CLOCK_STEP_MS = 1_000;

/** Dependencies of `WebhookEngine` (manages everything about webhooks). */
export interface WebhookEngineDependencies extends ShownNow {
  /** Called when a webhook was registered. Resolves when this core follows the changes of the webhook's servers. */
  onCreated?: () => Promise<void>;
  engine: StorageEngine;
  key: KeptKey;
  now: () => number;
  /** Returns the token with an id. Returns undefined if there is no such token, or if it is revoked or expired. */
  liveToken(id: string): Token | undefined;
  /**
   * Returns the record of a server. If another core owns the server, returns `unread` and begins to fetch the record,
   * so that a later call can return it.
   */
  recordOf(serverKey: string): ReadRecord;
  /** Returns the name of a game in the catalog. */
  gameName(gameId: string): string;
  /** Called with the store key of each damaged entry of webhook data. */
  onCorrupt(key: string): void;
  /** Called when gsq disables a webhook. */
  onDisabled(webhook: Webhook, reason: string): void;
}

/** Manages everything about webhooks: registrations, conditions, queues, leases and the log of attempts. */
export class WebhookEngine {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly conditions: Conditions;
  readonly leases: DeliveryLeases;
  readonly #dependencies: WebhookEngineDependencies;
  readonly #store: WebhookStore;
  readonly #log: DeliveryLog;
  readonly #messages: MessageIds;
  readonly #hostRate = new HostRate();
  #timer: NodeJS.Timeout | undefined;
  #lastNow = 0;
  /**
   * True if this core has loaded the stored webhooks (`load`). False if another core of the cluster owns the webhooks.
   */
  #isLoaded = false;

  /** Creates an engine without webhooks. Call `load` to load the stored webhooks. */
  constructor(dependencies: WebhookEngineDependencies) {
    this.#dependencies = dependencies;
    const { engine, key, now, liveToken, recordOf, statusOf, payloadOf, gameName } = dependencies;
    this.#store = new WebhookStore(engine);
    const webhooks = new Webhooks(this.#store, key, now);
    const deliveries = new Deliveries(this.#store, now);
    const log = new DeliveryLog(this.#store);
    const messages = new MessageIds(this.#store);
    this.webhooks = webhooks;
    this.deliveries = deliveries;
    this.#log = log;
    this.#messages = messages;
    this.conditions = new Conditions({
      engine: this.#store,
      webhooks,
      sees(webhook, server) {
        const token = liveToken(webhook.tokenId);
        return token !== undefined && (token.tier === 'PRO' || server.insertedBy === token.id);
      },
      recordOf,
      statusOf,
      payloadOf,
      queue: (webhook, delivery, operations) => deliveries.addDelivery(webhook, delivery, operations),
      addAttempt: (hookId, attempt) => log.addAttempt(hookId, attempt),
      now,
    });
    this.leases = new DeliveryLeases({
      webhooks,
      deliveries,
      log,
      messages,
      hostRate: this.#hostRate,
      gameName,
      isLive: tokenId => liveToken(tokenId) !== undefined,
      currentPayload(server) {
        const record = recordOf(server);
        if (record === 'unread') return undefined;
        return record ? payloadOf(record) : 'null';
      },
      disable: (webhook, reason) => this.#disable(webhook, reason),
      now,
    });
  }

  /**
   * Loads all stored data of webhooks. Call this method once, before any other method. Rejects with ConfigError if the
   * stored webhooks were encrypted with a different credentials key than the key of this core.
   */
  async load(): Promise<void> {
    const { webhooks } = this;
    const isKnown = (id: string): boolean => webhooks.get(id) !== undefined;
    await webhooks.load(this.#dependencies.onCorrupt);
    await this.deliveries.load(id => webhooks.get(id));
    await this.#log.load(isKnown);
    await this.#messages.load(isKnown);
    await this.conditions.load();
    this.#isLoaded = true;
  }

  /** Starts the timer that calls `tick` twice a second. */
  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  /**
   * Queues a delivery for each webhook condition whose waiting time is over. If a notifier took a delivery and has not
   * reported a result in time, ends its lease of this delivery.
   */
  tick(): void {
    this.#followClock();
    this.conditions.tick();
    this.leases.endExpired();
    this.#hostRate.prune(this.#dependencies.now());
    if (this.deliveries.isAnyDue) this.deliveries.wake();
  }

  /** Updates the conditions of all webhooks that follow a changed server. */
  readonly note = (transition: Transition): void => this.conditions.note(transition);

  /**
   * Registers a webhook. Resolves when the webhook is durable; from then on, it gets all changes of its servers. If the
   * registration fails, rejects with NoWrites or an error of `Webhooks.add`.
   */
  async create(token: Token, checked: CheckedRequest): Promise<{ webhook: Webhook; secret: string }> {
    const { entry, ...created } = this.webhooks.add(token, checked);
    const { webhook } = created;
    const at = this.#dependencies.now();
    const post = { event: 'update' as const, at, before: 'null', after: 'null', notBefore: at };
    // With `one_message`, gsq keeps one Discord message for each server. The deliveries that are queued here post these
    // messages, and later deliveries edit them.
    const posts = webhook.oneMessage ? webhook.servers.map(server => ({ ...post, server })) : [];
    try {
      await this.deliveries.addDeliveries(webhook, posts, [entry]);
    } catch (error) {
      this.#forget(webhook.id);
      throw error;
    }
    await this.#dependencies.onCreated?.();
    return created;
  }

  /**
   * Deletes a webhook and all its data. Resolves when the deletion is durable. If the engine already refuses writes,
   * rejects with NoWrites and deletes nothing. If the write itself fails, also rejects with NoWrites, but the webhook
   * is removed from memory. Its stored data is then deleted when the engine accepts writes again.
   */
  async remove(id: string): Promise<void> {
    if (this.#store.refusal) throw this.#store.refusal;
    // Removes the webhook from memory first, so that no other call can change or count the webhook while its deletion
    // is written to the store.
    await this.#store.commit(this.#forget(id));
  }

  /**
   * Queues a test delivery of a webhook, and enables the webhook if it is disabled. Resolves to the id of the delivery
   * when the delivery is durable.
   */
  async test(id: string): Promise<string> {
    const { webhooks, deliveries } = this;
    if (webhooks.get(id)?.disabledAt !== 0)
      webhooks.update(id, { disabledAt: 0, disabledReason: '', failingSince: 0 });
    const webhook = webhooks.get(id);
    if (!webhook) throw new Error(`there is no webhook ${id}`);
    const at = this.#dependencies.now();
    return deliveries.addDelivery(webhook, {
      event: 'test',
      server: '',
      at,
      before: 'null',
      after: 'null',
      notBefore: at,
    });
  }

  /** Returns the last delivery attempts of a webhook, the newest first. */
  attemptsOf(id: string): Attempt[] {
    return this.#log.list(id);
  }

  /**
   * Returns the operations that repair the stored webhook data after a failed write: they make the stored entries equal
   * to those in memory. Returns no operations before `load`, because the stored webhooks then belong to another core.
   */
  async compare(): Promise<Operation[]> {
    if (!this.#isLoaded) return [];
    return this.#store.compare(this.#stored);
  }

  /**
   * Repeats the writes of webhook data that the storage engine refused. Rejects with NoWrites if the engine refuses a
   * write again.
   */
  async writeDirty(): Promise<void> {
    if (this.#isLoaded) await this.#store.writeDirty(this.#stored);
  }

  get #stored(): StoredData[] {
    return [this.webhooks, this.deliveries, this.conditions.stored, this.#log, this.#messages];
  }

  close(): void {
    clearInterval(this.#timer);
    this.deliveries.wake();
  }

  /**
   * If the clock was set back, makes all planned times of webhooks earlier. Otherwise all checks and deliveries would
   * be late.
   */
  #followClock(): void {
    const now = this.#dependencies.now();
    const stepMs = this.#lastNow - now;
    if (stepMs > CLOCK_STEP_MS) {
      this.deliveries.moveBack(stepMs);
      this.conditions.checkAll();
    }
    this.#lastNow = now;
  }

  /**
   * Removes a webhook and everything that belongs to it from memory. Returns the operations that delete the stored
   * entries.
   */
  #forget(id: string): Operation[] {
    return [
      ...this.webhooks.remove(id),
      ...this.deliveries.removeAll(id),
      ...this.conditions.removeAll(id),
      ...this.#log.removeAll(id),
      ...this.#messages.removeAll(id),
    ];
  }

  #disable(webhook: Webhook, reason: string): void {
    const { now, onDisabled } = this.#dependencies;
    this.webhooks.update(webhook.id, { disabledAt: now(), disabledReason: reason });
    for (const operation of [
      ...this.deliveries.removeAll(webhook.id),
      ...this.conditions.removeAll(webhook.id),
    ])
      this.#store.append(operation);
    onDisabled(webhook, reason);
  }
}
