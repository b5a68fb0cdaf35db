import type { Logger } from '../../../runtime/log.ts';
import type { OwnershipLost } from './fence.ts';

/** Options of `RedisStore.open`, which opens a store on Redis or Valkey. */
export interface RedisStoreOptions {
  /** URL of the Redis or Valkey server, in the format of `parseEngineUrl`. */
  url: string;
  /** Id of this core process. Different processes must have different ids. */
  owner: string;
  log: Logger;
  /**
   * True if `readAll` visits the servers of all buckets (groups of servers), and not only of those that this process
   * owns.
   */
  readsAll?: boolean;
  /** Called when a write to Redis or Valkey fails. The store then refuses all writes until `recover` has succeeded. */
  onFailure(error: Error): void;
  /** Called once when another process has taken over a bucket of this process. This process must then end. */
  onLost(error: OwnershipLost): void;
  /**
   * Called by `RedisStore.close` after the last write, when the store has closed its connections. `close` waits for the
   * promise that this function returns.
   */
  onClosed?(): Promise<void>;
}
