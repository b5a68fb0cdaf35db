import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '../../../runtime/log.ts';
import { OwnershipLost } from './fence.ts';
import { type LeaseLost, OwnerLease } from './owner-lease.ts';
import { RedisStore } from './redis-store.ts';

/** Options of `openOwnedStore`. */
export interface OwnedStoreOptions {
  /** URL of the storage engine: see `parseEngineUrl`. */
  url: string;
  log: Logger;
  /** Called once if another core owns the store, so that this core waits. `owner`: id of the other core. */
  onStandby(owner: string): void;
  /**
   * Limits how long to wait until this process owns the store: see `OwnerLeaseOptions.patience`. The default is no
   * limit.
   */
  patience?: ((owner: string | undefined) => number) | undefined;
  /** First characters of the owner id of this process, if it is not a core but a command such as `gsq migrate`. */
  program?: string;
  /** Called when a write fails. The store then refuses all writes until `recover` has succeeded. */
  onFailure(error: Error): void;
  /** Called once if another core has become the owner of the store. The process must end. */
  onLost(error: LeaseLost | OwnershipLost): void;
}

/**
 * Waits until this core owns a store on Redis or Valkey, and opens it. Closing the store also ends the ownership.
 * Rejects like `RedisStore.open` and `OwnerLease.acquire`.
 */
export async function openOwnedStore({
  url,
  log,
  onStandby,
  patience,
  program = '',
  onFailure,
  onLost,
}: OwnedStoreOptions): Promise<RedisStore> {
  const owner = program + ownerId();
  const lease = await OwnerLease.acquire({ url, owner, log, onStandby, patience, onLost });
  try {
    for (;;) {
      try {
        const { epoch } = lease;
        return await RedisStore.open({
          url,
          epoch,
          owner,
          log,
          onFailure,
          onLost,
          onClosed: () => lease.release(),
        });
      } catch (error) {
        if (!(error instanceof OwnershipLost)) throw error;
        await lease.raiseEpoch(error.epoch);
      }
    }
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/**
 * Returns a new id for this core process. The id begins with the name of the machine, so log messages show on which
 * machine an owner runs.
 */
function ownerId(): string {
  const machine = hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 64);
  return `${machine}/${process.pid}/${randomBytes(8).toString('hex')}`;
}
