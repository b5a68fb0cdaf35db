import { TOKENS } from '../access/token-entry.ts';
import {
  type AccountState,
  allEntries,
  entryOf,
  type SentEntry,
  takeChangedKeys,
} from './account-entries.ts';

/** Interval at which the lead (the core that stores the usage of tokens) sends changed usage to the other cores, ms. */
const PUBLISH_MS = 200;
/**
 * Maximum number of store entries in one message. A core first gets a complete copy of the accounts (tokens and their
 * usage), in several messages.
 */
const COPY_ENTRIES = 2_000;

/**
 * A message to a core that copies the accounts from the core that writes them. The fields are those of
 * `FollowAccountsResponse`.
 */
export interface AccountMessage {
  entries: readonly SentEntry[];
  complete: boolean;
  charged: number;
}

/** Another core, which copies the accounts from this core. */
interface Follower {
  readonly memberId: string;
  /**
   * Keys of the store entries of accounts that have changed since the last message to the other core. An entry that
   * has changed several times since then is sent once.
   */
  readonly changed: Set<string>;
  /**
   * Sequence number in the last message to the follower (the other core). This core has counted the usage reports of
   * the follower up to this number.
   */
  charged: number;
  /**
   * Function that wakes the loop in `follow`. The loop sends changed accounts to the other core. Undefined while the
   * loop is not waiting for a change.
   */
  wake: (() => void) | undefined;
}

/**
 * Sends the accounts to the other cores of a cluster: first a complete copy, then each change. A core that reads slowly
 * gets fewer messages, each with the newest state.
 */
export class AccountFeed {
  readonly #state: AccountState;
  readonly #chargedOf: (memberId: string) => number;
  readonly #followers = new Set<Follower>();
  readonly #unwatch: () => void;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  /**
   * `chargedOf`: returns a sequence number. This core has counted the usage reports of the core `memberId` up to this
   * number.
   */
  constructor(state: AccountState, chargedOf: (memberId: string) => number) {
    this.#state = state;
    this.#chargedOf = chargedOf;
    this.#unwatch = state.tokens.watch(id => {
      for (const { changed } of this.#followers) changed.add(TOKENS + id);
      this.publish();
    });
    this.#timer = setInterval(() => this.publish(), PUBLISH_MS).unref();
  }

  /**
   * Sends the other cores all changes of tokens and their usage since the last call. A core that is still receiving a
   * message gets the changes with its next message.
   */
  publish(): void {
    this.#collect();
    for (const follower of this.#followers) if (this.#hasNews(follower)) follower.wake?.();
  }

  /**
   * Yields the messages for one core: a complete copy of the accounts, then the changes. Ends when `signal` is aborted,
   * or when the feed is closed and its last changes are sent.
   */
  async *follow(memberId: string, signal: AbortSignal): AsyncGenerator<AccountMessage, undefined> {
    const follower: Follower = { memberId, changed: new Set(), charged: 0, wake: undefined };
    const wake = (): void => follower.wake?.();
    signal.addEventListener('abort', wake);
    // Adds the follower (the other core) before the copy begins. Changes during the copy are then recorded, and sent
    // after the copy.
    this.#followers.add(follower);
    try {
      let entries: SentEntry[] = [];
      for (const entry of allEntries(this.#state)) {
        entries.push(entry);
        if (entries.length < COPY_ENTRIES) continue;
        yield { entries, complete: false, charged: 0 };
        entries = [];
      }
      yield this.#nextMessage(follower, entries);
      while (!signal.aborted) {
        if (this.#hasNews(follower)) yield this.#nextMessage(follower, []);
        else if (this.#isClosed) return;
        else await this.#wait(follower, signal);
      }
    } finally {
      this.#followers.delete(follower);
      signal.removeEventListener('abort', wake);
    }
  }

  /** Sends the last changes of tokens and their usage to the other cores, and ends all streams. */
  close(): void {
    if (this.#isClosed) return;
    clearInterval(this.#timer);
    this.#unwatch();
    this.#collect();
    this.#isClosed = true;
    for (const { wake } of this.#followers) wake?.();
  }

  #hasNews(follower: Follower): boolean {
    return follower.changed.size > 0 || this.#chargedOf(follower.memberId) !== follower.charged;
  }

  #wait(follower: Follower, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      follower.wake = () => {
        follower.wake = undefined;
        resolve();
      };
      if (signal.aborted || this.#isClosed) follower.wake();
    });
  }

  /**
   * Returns the next message for a follower (another core). It contains the changed accounts and a sequence number: the
   * usage reports of the follower up to this number are counted in the accounts. This method is synchronous, because
   * the accounts could change during an `await` and would then not match the number.
   */
  #nextMessage(follower: Follower, copied: readonly SentEntry[]): AccountMessage {
    this.#collect();
    const entries = [...copied];
    for (const key of follower.changed) entries.push(entryOf(this.#state, key));
    follower.changed.clear();
    follower.charged = this.#chargedOf(follower.memberId);
    return { entries, complete: true, charged: follower.charged };
  }

  #collect(): void {
    if (this.#isClosed) return;
    for (const key of takeChangedKeys(this.#state))
      for (const { changed } of this.#followers) changed.add(key);
  }
}
