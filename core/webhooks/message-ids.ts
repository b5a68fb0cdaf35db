import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Operation, Put } from '../store/storage-engine.ts';
import type { StoredData, WebhookStore } from './webhook-store.ts';

/**
 * Prefix of the store keys of Discord messages. After the prefix, a key contains the id of the webhook, a slash and the
 * `serverKey`.
 */
const MESSAGES = 'i/';
const MESSAGE_ID = /^\d{1,20}$/;

/** The ids of the Discord messages that webhooks with `one_message` edit, one for each server. */
export class MessageIds implements StoredData {
  readonly prefix = MESSAGES;
  readonly #store: Pick<WebhookStore, 'append' | 'readAll'>;
  readonly #ids = new Map<string, string>();

  constructor(store: Pick<WebhookStore, 'append' | 'readAll'>) {
    this.#store = store;
  }

  /**
   * Loads the ids of Discord messages. Deletes damaged entries, and entries of webhooks for which `isKnown` returns
   * false.
   */
  async load(isKnown: (hookId: string) => boolean): Promise<void> {
    await this.#store.readAll(MESSAGES, (key, value) => {
      const content = checkedContent(key, value)?.toString() ?? '';
      const hookId = key.slice(MESSAGES.length, key.indexOf('/', MESSAGES.length));
      if (MESSAGE_ID.test(content) && isKnown(hookId)) this.#ids.set(key, content);
      else this.#store.append({ type: 'del', key });
    });
  }

  get(hookId: string, server: string): string | undefined {
    return this.#ids.get(keyOf(hookId, server));
  }

  /**
   * Stores the id of a new Discord message. `body`: the answer of Discord. Does nothing if the answer contains no id.
   */
  keep(hookId: string, server: string, body: Buffer): void {
    const id = messageId(body);
    if (id === undefined) return;
    const key = keyOf(hookId, server);
    this.#ids.set(key, id);
    this.#store.append(entryOf(key, id));
  }

  /** Removes the stored id of a server's Discord message, because the message was deleted. */
  forget(hookId: string, server: string): void {
    const key = keyOf(hookId, server);
    if (this.#ids.delete(key)) this.#store.append({ type: 'del', key });
  }

  *entries(): Iterable<Put> {
    for (const [key, id] of this.#ids) yield entryOf(key, id);
  }

  /** Removes all message ids of a webhook from memory. Returns the operations that delete these ids from the store. */
  removeAll(hookId: string): Operation[] {
    const keys = [...this.#ids.keys()].filter(key => key.startsWith(keyOf(hookId, '')));
    for (const key of keys) this.#ids.delete(key);
    return keys.map((key): Operation => ({ type: 'del', key }));
  }
}

function keyOf(hookId: string, server: string): string {
  return `${MESSAGES}${hookId}/${server}`;
}

function entryOf(key: string, id: string): Put {
  return { type: 'put', key, value: addChecksum(key, Buffer.from(id)) };
}

function messageId(body: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(body.toString()) as { id?: unknown };
    return typeof id === 'string' && MESSAGE_ID.test(id) ? id : undefined;
  } catch {
    // Ignores an answer without a message id: the receiver is not Discord, or the notifier has read only the first
    // part of a long answer.
    return undefined;
  }
}
