import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Token } from '../../../core/access/token.ts';
import { KeptKey } from '../../../core/credentials/kept-key.ts';
import { ALL_FIELDS } from '../../../core/feed/transition.ts';
import { payloadText } from '../../../core/render/payload-text.ts';
import { shownStatus } from '../../../core/servers/freshness.ts';
import { newRecord, recordUnknowable } from '../../../core/servers/record-status.ts';
import { type ServerRecord, serverKey } from '../../../core/servers/server-record.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import type { LeasedRequest } from '../../../core/webhooks/delivery-leases.ts';
import type { HookCondition, Webhook } from '../../../core/webhooks/webhook.ts';
import { WebhookEngine } from '../../../core/webhooks/webhook-engine.ts';
import type { CheckedRequest } from '../../../core/webhooks/webhook-request.ts';
import type { ReportedPayload } from '../../../proto/codec/reported-payload.ts';
import type { ServerPayload__Output } from '../../../proto/generated/gsq/v1/ServerPayload.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { payloadFields, payloadOf, reported } from '../payload-of.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';

export const GAME = 'csgo';
export const SERVER = serverKey(GAME, '192.0.2.1:27015');
export const OTHER = serverKey(GAME, '192.0.2.2:27015');
export const URL_TEXT = 'https://hooks.example/path-of-a-secret?key=secret-of-a-query';

/**
 * Returns a condition of a webhook. By default, it has no minimum duration, so it causes a delivery as soon as it is
 * true.
 */
export const when = (event: HookCondition['event'], change: Partial<HookCondition> = {}): HookCondition => ({
  event,
  players: 0,
  forMs: 0,
  ...change,
});

/**
 * Returns a valid request to register a webhook that follows the servers SERVER and OTHER. The values in `change`
 * replace the default values.
 */
export const wish = (change: Partial<CheckedRequest> = {}): CheckedRequest => ({
  url: URL_TEXT,
  servers: [SERVER, OTHER],
  game: '',
  conditions: [when('offline'), when('online')],
  cooldownMs: 0,
  form: 'json',
  oneMessage: false,
  ...change,
});

/** Parsed body of a webhook delivery in JSON format (the other format is for Discord). */
export interface DeliveredBody {
  id: string;
  event: string;
  server: string;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** Test fixture: a webhook engine on a real LevelDB. The test controls the servers and the clock of the engine. */
export class HookWorld {
  readonly clock = clockAt();
  readonly directory = scratchDirectory();
  readonly records = new Map<string, ServerRecord>();
  /**
   * Keys of simulated servers that other cores own. The core under test has not read the records of these servers yet.
   */
  readonly unread = new Set<string>();
  readonly disabled: string[] = [];
  readonly tokens = new Map<string, Token>();
  /** Number of payloads that the webhook engine rendered. */
  rendered = 0;
  level!: LevelDbStore;
  hooks!: WebhookEngine;

  /**
   * Creates a webhook engine with the tokens tok_000000000001 (FREE) and tok_000000000002 (PRO). Closes the engine when
   * the test ends.
   */
  static async open(t: TestContext): Promise<HookWorld> {
    const world = new HookWorld();
    for (const [id, tier] of [
      ['tok_000000000001', 'FREE'],
      ['tok_000000000002', 'PRO'],
    ] as const) {
      const dates = { createdAt: 1, expiresAt: 0, revokedAt: 0 };
      world.tokens.set(id, {
        id,
        tier,
        secrets: [],
        email: 'a@b.example',
        ...dates,
        allowIps: [],
        allowDomains: [],
      });
    }
    await world.start();
    t.after(() => world.stop());
    return world;
  }

  async start(): Promise<void> {
    this.level = await LevelDbStore.open(join(this.directory, 'leveldb'), error => {
      throw error;
    });
    this.hooks = this.createEngine();
    await this.hooks.load();
  }

  /** Creates a webhook engine on the store of this test. The engine has loaded no webhooks yet. */
  createEngine(): WebhookEngine {
    const freshness = { staleAfterMs: 600_000, probeIntervalMs: 60_000 };
    return new WebhookEngine({
      engine: this.level,
      key: new KeptKey(this.directory),
      now: this.clock.now,
      liveToken: id => this.tokens.get(id),
      recordOf: key => (this.unread.has(key) ? 'unread' : this.records.get(key)),
      statusOf: record => shownStatus(record, this.clock.at, freshness),
      payloadOf: record => {
        this.rendered++;
        return payloadText(record, this.clock.at, freshness);
      },
      gameName: id => `Game ${id}`,
      onCorrupt(key) {
        throw new Error(`corrupt ${key}`);
      },
      onDisabled: (_, reason) => void this.disabled.push(reason),
    });
  }

  async stop(): Promise<void> {
    this.hooks.close();
    await this.level.close();
  }

  /** Stops and starts the webhook engine with its store, like a restart of the core. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async create(change: Partial<CheckedRequest> = {}, tokenId = 'tok_000000000001'): Promise<Webhook> {
    return (await this.hooks.create(this.token(tokenId), wish(change))).webhook;
  }

  token(id: string): Token {
    const token = this.tokens.get(id);
    if (!token) throw new Error(`no token ${id}`);
    return token;
  }

  /** Simulates an answer with this number of players, and passes the change of the record to the webhook engine. */
  online(key = SERVER, players = 3, map = 'de_dust2'): void {
    this.answer(key, { players, map });
  }

  /** Simulates an answer of a server, and passes the change of the server's record to the webhook engine. */
  answer(key: string, change: Partial<ServerPayload__Output>): void {
    this.#answer(key, payloadOf(change));
  }

  /** Simulates an answer without a number of players, and passes the change of the record to the webhook engine. */
  answerWithoutCounts(key = SERVER): void {
    const { players: _, maxplayers: __, ...rest } = payloadFields();
    this.#answer(key, reported(rest));
  }

  /** Simulates that a server goes offline, and passes the change of the server's record to the webhook engine. */
  offline(key = SERVER): void {
    this.change(key, offlineRecord(this.records.get(key) ?? this.#fresh(key), this.clock.at));
  }

  /**
   * Simulates a probe that could not query the server. Passes the change of the server record to the webhook engine.
   */
  unknowable(key = SERVER): void {
    const record = this.records.get(key) ?? this.#fresh(key);
    this.change(key, recordUnknowable(record, 'unresolvable_host', 0, this.clock.at, 60_000));
  }

  change(key: string, after: ServerRecord): void {
    const before = this.records.get(key);
    this.records.set(key, after);
    this.hooks.note({ sequence: 1, key, fields: ALL_FIELDS, before, after });
  }

  /** Waits until all earlier writes of the webhook engine are durable, so that deliveries can be leased. */
  async settle(): Promise<void> {
    await this.level.commit([]);
    await new Promise(setImmediate);
  }

  /**
   * Advances the clock by some seconds. Calls `tick` of the webhook engine after each second, as the timer of the
   * engine would.
   */
  async advance(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.clock.at += 1_000;
      this.hooks.tick();
    }
    await this.settle();
  }

  async lease(limit = 100): Promise<LeasedRequest[]> {
    await this.settle();
    return this.hooks.leases.leaseDue(limit);
  }

  report(
    leaseId: number,
    httpStatus: number,
    change: { retryAfterSeconds?: number; body?: string; notSent?: boolean } = {},
  ): void {
    const { retryAfterSeconds = 0, body = '', notSent = false } = change;
    const answer = { error: '', notSent, retryAfterSeconds, body: Buffer.from(body), durationMs: 5 };
    this.hooks.leases.report({ leaseId, httpStatus, ...answer });
  }

  /**
   * Leases all due webhook deliveries, and reports each of them as successful. Returns the bodies of the deliveries in
   * the order of the leases.
   */
  async deliverAll(): Promise<DeliveredBody[]> {
    const bodies: DeliveredBody[] = [];
    for (let leased = await this.lease(); leased.length > 0; leased = await this.lease()) {
      for (const { body, leaseId } of leased) {
        bodies.push(JSON.parse(body.toString()));
        this.report(leaseId, 200);
      }
    }
    return bodies;
  }

  async events(): Promise<string[]> {
    return (await this.deliverAll()).map(({ event }) => event);
  }

  #answer(key: string, payload: ReportedPayload): void {
    const record = this.records.get(key) ?? this.#fresh(key);
    this.change(key, onlineRecord(record, this.clock.at, { payload }));
  }

  #fresh(key: string): ServerRecord {
    return newRecord(GAME, key.slice(GAME.length + 1), 'tok_000000000001', this.clock.at, 60_000);
  }
}
