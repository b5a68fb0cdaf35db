import { TOKENS } from '../access/token-entry.ts';
import {
  type AccountState,
  allEntries,
  entryOf,
  type SentEntry,
  takeChangedKeys,
} from './account-entries.ts';

/**
 * Interval at which the lead sends changed usage to the other cores, ms. Together with the interval of the reports
 * (`AccountFollower`), it limits how long a request of one core is unknown to the others.
 */
const PUBLISH_MS = 200;
/** Number of entries in one message of a complete copy. */
const COPY_ENTRIES = 2_000;

/** A message from the lead to a core that follows the accounts. The fields are those of `FollowAccountsResponse`. */
export interface AccountMessage {
  entries: readonly SentEntry[];
  complete: boolean;
  charged: number;
}

/** A core that follows the accounts. */
interface Follower {
  readonly memberId: string;
  /** Keys of the entries that have changed since the last message. Repeated changes of an entry are sent once. */
  readonly changed: Set<string>;
  /** The field `charged` of the last message. */
  charged: number;
  /** Ends the wait for the next change; undefined while the last message is being sent. */
  wake: (() => void) | undefined;
}

/**
 * Sends the accounts of the lead to the other cores of a cluster: first a complete copy, then each change. A core that
 * reads slowly gets fewer messages, each with the newest state of all entries that have changed.
 */
export class AccountFeed {
  readonly #state: AccountState;
  readonly #chargedOf: (memberId: string) => number;
  readonly #followers = new Set<Follower>();
  readonly #unwatch: () => void;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  /** `chargedOf` returns the number of the last report of a core that has been added to the usage. */
  constructor(state: AccountState, chargedOf: (memberId: string) => number) {
    this.#state = state;
    this.#chargedOf = chargedOf;
    this.#unwatch = state.tokens.watch(id => {
      for (const { changed } of this.#followers) changed.add(TOKENS + id);
      this.publish();
    });
    this.#timer = setInterval(() => this.publish(), PUBLISH_MS).unref();
  }

  /** Sends the changes since the last call to all followers that do not wait for their network. */
  publish(): void {
    this.#collect();
    for (const follower of this.#followers) if (this.#hasNews(follower)) follower.wake?.();
  }

  /**
   * Yields the messages for a core: the complete copy in parts, then the changes, until `signal` is aborted or the feed
   * is closed. The last message before the close contains all changes up to then.
   */
  async *follow(memberId: string, signal: AbortSignal): AsyncGenerator<AccountMessage, undefined> {
    const follower: Follower = { memberId, changed: new Set(), charged: 0, wake: undefined };
    const wake = (): void => follower.wake?.();
    signal.addEventListener('abort', wake);
    // Changes are recorded from here on, so an entry that changes during the copy is sent again.
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

  /** Sends the last changes, and ends all streams. */
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
   * Returns the next message for a core. Its usage includes exactly the reports up to its number `charged`, because
   * nothing can run between the reads of both.
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
