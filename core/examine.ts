import type { InternalSettings } from '../runtime/internal-port.ts';
import { findInternalSecret } from '../runtime/internal-port.ts';
import type { OfflineStore } from './offline-store.ts';
import { checkHistory } from './store/history/check-history.ts';
import { historyDirectory } from './store/history/history.ts';

/** Result of one check of a data directory. */
export interface Finding {
  what: string;
  ok: boolean;
  message: string;
}

/**
 * Checks the secret of the internal port. Returns an empty list if it is valid, and otherwise a list with the error
 * message.
 */
function secretFaults(settings: InternalSettings): string[] {
  try {
    findInternalSecret(settings);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Checks all entries and keys of a data directory that no core uses. All findings are ok if and only if a core would
 * start with this directory without dropping a damaged entry.
 */
export async function examine(store: OfflineStore, settings: InternalSettings): Promise<Finding[]> {
  const source = await store.readBackup(Date.now);
  let servers = 0;
  for await (const _ of source.servers()) servers++;
  const tokens = source.tokens().length;
  const keyFaults = [...store.keyFaults, ...secretFaults(settings)];
  const keys: Finding[] = keyFaults.map(message => ({ what: 'keys', ok: false, message }));
  if (keys.length === 0)
    keys.push({ what: 'keys', ok: true, message: 'valid, and accessible only to their owner' });
  const data: Finding[] = store.faults.map(message => ({ what: 'store', ok: false, message }));
  data.push(
    data.length === 0
      ? { what: 'store', ok: true, message: `${servers} servers and ${tokens} tokens, all of them undamaged` }
      : {
          what: 'store',
          ok: false,
          message: `${servers} servers and ${tokens} tokens can be read; restore the latest backup into an empty directory (gsq restore <file> --data-dir <directory>), or save these (gsq backup <file> --offline)`,
        },
  );
  return [...keys, ...data];
}

/** Checks the history files in a data directory that no core uses. A core can start even if these files are damaged. */
export function examineHistory(dataDirectory: string): Finding[] {
  const { directories, faults } = checkHistory(historyDirectory(dataDirectory));
  if (faults.length > 0) return faults.map(message => ({ what: 'history', ok: false, message }));
  return [{ what: 'history', ok: true, message: `${directories} directories, all of them undamaged` }];
}
