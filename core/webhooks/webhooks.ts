import { ServiceError } from '../../proto/service-error.ts';
import { ConfigError } from '../../runtime/config.ts';
import { credentialsKeyPath } from '../credentials/credentials-key.ts';
import type { KeptKey } from '../credentials/kept-key.ts';
import type { Operation, Put, StorageEngine } from '../store/storage-engine.ts';
import { type HookSecrets, newHookId, newHookSecret, type Webhook } from './webhook.ts';
import { type StoredWebhook, secretsOwner, storedWebhook, WEBHOOKS, webhookEntry } from './webhook-entry.ts';
import type { CheckedRequest } from './webhook-request.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/** Maximum number of webhooks of one token, for each tier of tokens. */
const MAX_OF_TOKEN = { FREE: 10, PRO: 100 } as const;
const MAX_IN_ALL = 10_000;

type Appends = Pick<WebhookStore, 'append'>;
/** The token that owns a webhook, and the tier of this token. */
type Owner = { id: string; tier: keyof typeof MAX_OF_TOKEN };

/**
 * All registered webhooks, in memory and in the storage engine. URLs and secrets are encrypted in both places, and are
 * decrypted only for a delivery or an answer.
 */
export class Webhooks implements StoredData {
  readonly prefix = WEBHOOKS;
  readonly #store: Appends & Pick<WebhookStore, 'readAll'>;
  readonly #key: KeptKey;
  readonly #now: () => number;
  readonly #hooks = new Map<string, StoredWebhook>();
  readonly #byServer = new Map<string, Set<string>>();
  readonly #byGame = new Map<string, Set<string>>();
  /** Number of registered webhooks of each token, keyed by token id. */
  readonly #ofToken = new Map<string, number>();

  constructor(store: Appends & Pick<WebhookStore, 'readAll'>, key: KeptKey, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#now = now;
  }

  /**
   * Loads all stored webhooks. Deletes each damaged entry of a webhook, and calls `onCorrupt` with its key. Rejects
   * with ConfigError if the credentials key is missing, or if the stored webhooks were encrypted with another key.
   */
  async load(onCorrupt: (key: string) => void = () => {}): Promise<void> {
    await this.#store.readAll(WEBHOOKS, (storedKey, value) => {
      const stored = storedWebhook(storedKey, value);
      if (stored) {
        checkKey(this.#key, stored);
        this.#index(stored);
      } else {
        onCorrupt(storedKey);
        this.#store.append({ type: 'del', key: storedKey });
      }
    });
  }

  get size(): number {
    return this.#hooks.size;
  }

  /** Returns the webhooks of a token, or of all tokens if `tokenId` is empty, in order of creation. */
  list(tokenId: string): Webhook[] {
    const all = [...this.#hooks.values()].map(({ webhook }) => webhook);
    return all
      .filter(webhook => tokenId === '' || webhook.tokenId === tokenId)
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  get(id: string): Webhook | undefined {
    return this.#hooks.get(id)?.webhook;
  }

  /** Returns the webhooks with their encrypted URLs and secrets, for backups. */
  stored(): Iterable<StoredWebhook> {
    return this.#hooks.values();
  }

  /** Returns the URL and the secret of a webhook. Throws an Error if they cannot be decrypted any more. */
  secretsOf(id: string): HookSecrets {
    const stored = this.#hooks.get(id);
    const plain = stored && this.#key.current?.decrypt(stored.encrypted, secretsOwner(id));
    if (!plain) throw new Error(`the URL of webhook ${id} cannot be decrypted`);
    return JSON.parse(plain.toString()) as HookSecrets;
  }

  /** Calls `visit` with each webhook that follows a server, including disabled webhooks. */
  visitFollowers(serverKey: string, gameId: string, visit: (webhook: Webhook) => void): void {
    if (this.#hooks.size === 0) return;
    for (const ids of [this.#byServer.get(serverKey), this.#byGame.get(gameId)]) {
      if (!ids) continue;
      for (const id of ids) {
        const webhook = this.get(id);
        if (webhook) visit(webhook);
      }
    }
  }

  /** True if a webhook follows this server: either the server itself, or all servers of its game. */
  follows(serverKey: string, gameId: string): boolean {
    return this.#byServer.has(serverKey) || this.#byGame.has(gameId);
  }

  /**
   * Keys (`serverKey`) of the servers that webhooks follow as single servers. If webhooks follow a server only as one
   * of all servers of its game, its key is not included.
   */
  followedKeys(): Iterable<string> {
    return this.#byServer.keys();
  }

  /** Ids of the games for which a webhook exists that follows all servers of the game. */
  followedGames(): Iterable<string> {
    return this.#byGame.keys();
  }

  /**
   * Throws ServiceError HOOK_2 if the token, or all tokens together, already have the maximum number of webhooks.
   */
  checkRoom({ id, tier }: Owner): void {
    const most = MAX_OF_TOKEN[tier];
    const count = this.#ofToken.get(id) ?? 0;
    if (count < most && this.#hooks.size < MAX_IN_ALL) return;
    const whose =
      count >= most ? `The token has ${most} webhooks` : 'The service has no room for more webhooks';
    throw new ServiceError('HOOK_2', `${whose}; delete one first.`, {
      facts: { max_webhooks: String(most) },
    });
  }

  /**
   * Registers a webhook in memory. The caller must commit `entry`. If the commit fails, the caller must call `remove`.
   * Throws ServiceError HOOK_2 if the maximum number of webhooks is reached.
   */
  add(
    token: Owner,
    { url, ...checked }: CheckedRequest,
  ): { webhook: Webhook; secret: string; entry: Operation } {
    this.checkRoom(token);
    const secret = checked.form === 'json' ? newHookSecret() : '';
    const webhook: Webhook = {
      id: newHookId(),
      tokenId: token.id,
      ...checked,
      createdAt: this.#now(),
      failingSince: 0,
      disabledAt: 0,
      disabledReason: '',
    };
    const plain = Buffer.from(JSON.stringify({ url, secret } satisfies HookSecrets));
    const stored = { webhook, encrypted: this.#key.needed().encrypt(plain, secretsOwner(webhook.id)) };
    this.#index(stored);
    return { webhook, secret, entry: webhookEntry(stored) };
  }

  /**
   * Removes a webhook from memory. Returns the operation that deletes its stored entry, or no operation if there is no
   * such webhook.
   */
  remove(id: string): Operation[] {
    const stored = this.#hooks.get(id);
    if (!stored) return [];
    this.#hooks.delete(id);
    this.#countToken(stored.webhook.tokenId, -1);
    for (const [map, key] of this.#placesOf(stored.webhook)) {
      const ids = map.get(key);
      if (ids?.delete(id) && ids.size === 0) map.delete(key);
    }
    return [{ type: 'del', key: WEBHOOKS + id }];
  }

  /**
   * Changes in memory whether a webhook is failing or disabled, and the reason. The store writes the change a short
   * time later. If a crash happens first, the change is lost. The results of the next deliveries then cause the same
   * change again.
   */
  update(id: string, change: Partial<Pick<Webhook, 'failingSince' | 'disabledAt' | 'disabledReason'>>): void {
    const stored = this.#hooks.get(id);
    if (!stored) return;
    const next = { ...stored, webhook: { ...stored.webhook, ...change } };
    this.#hooks.set(id, next);
    this.#store.append(webhookEntry(next));
  }

  *entries(): Iterable<Put> {
    for (const stored of this.#hooks.values()) yield webhookEntry(stored);
  }

  #index(stored: StoredWebhook): void {
    this.#hooks.set(stored.webhook.id, stored);
    this.#countToken(stored.webhook.tokenId, 1);
    for (const [map, key] of this.#placesOf(stored.webhook)) {
      const ids = map.get(key);
      if (ids) ids.add(stored.webhook.id);
      else map.set(key, new Set([stored.webhook.id]));
    }
  }

  #placesOf({ servers, game }: Webhook): [Map<string, Set<string>>, string][] {
    const places = servers.map((key): [Map<string, Set<string>>, string] => [this.#byServer, key]);
    return game === '' ? places : [[this.#byGame, game], ...places];
  }

  #countToken(tokenId: string, change: number): void {
    const count = (this.#ofToken.get(tokenId) ?? 0) + change;
    if (count > 0) this.#ofToken.set(tokenId, count);
    else this.#ofToken.delete(tokenId);
  }
}

/** Checks that the credentials key can decrypt all stored webhooks. Rejects with ConfigError if it cannot. */
export function checkWebhookKey(engine: Pick<StorageEngine, 'readAll'>, key: KeptKey): Promise<void> {
  return engine.readAll(WEBHOOKS, (storedKey, value) => {
    const stored = storedWebhook(storedKey, value);
    if (stored) checkKey(key, stored);
  });
}

function checkKey(key: KeptKey, { webhook, encrypted }: StoredWebhook): void {
  if (key.current?.decrypt(encrypted, secretsOwner(webhook.id))) return;
  throw new ConfigError(
    `GSQ_DATA_DIR: ${credentialsKeyPath(key.directory)} is missing, or is not the key that encrypted the stored webhooks; ` +
      'restore the file from your copy. If the key is lost for good, continue without webhooks and credentials: ' +
      'gsq backup <file> --offline, then gsq restore <file> --no-credentials --data-dir <new directory>',
  );
}
