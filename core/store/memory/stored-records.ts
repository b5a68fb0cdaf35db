import { CorruptRecordError, checkRecord, encodeRecord, saysTheSame } from '../../servers/record-codec.ts';
import { newPointer } from '../../servers/record-pointer.ts';
import { upgradeRecord } from '../../servers/record-upgrade.ts';
import { SERVERS } from '../../servers/server-entry.ts';
import { checksumOf, SetDigest } from '../set-digest.ts';
import type { Operation, StorageEngine } from '../storage-engine.ts';
import { listDamaged } from '../store-damage.ts';
import type { ServerTable } from './server-table.ts';

/**
 * Loads all stored servers. Calls `visit` with each `serverKey` and its record, after checking the record and
 * converting it to the current format. Rejects with StoreDamage if a record is damaged or servers are missing.
 */
export async function loadRecords(
  engine: StorageEngine,
  visit: (key: string, value: Buffer) => void,
): Promise<void> {
  const digest = new SetDigest();
  const faults: string[] = [];
  await engine.readAll(SERVERS, (storedKey, value) => {
    const key = storedKey.slice(SERVERS.length);
    digest.addChecksum(checksumOf(key));
    let record: Buffer;
    try {
      checkRecord(key, value);
      record = upgradeRecord(key, value);
    } catch (error) {
      if (!(error instanceof CorruptRecordError)) throw error;
      faults.push(error.message);
      return;
    }
    visit(key, record);
  });
  if (faults.length > 0) throw engine.damage(listDamaged(faults));
  engine.verify(SERVERS, digest);
}

/** Gives `compareRecords` the servers to compare: those in the storage engine, and those in the server table. */
export interface ComparedRecords {
  /**
   * Reads from the storage engine the records of all servers that `compareRecords` must compare. Calls `visit` with the
   * storage key and the value of each record.
   */
  read(visit: (storedKey: string, value: Buffer) => void): Promise<void>;
  /** Returns the slots (indexes in the server table) of the servers that the storage engine must contain. */
  slots(): Iterable<number>;
}

/**
 * Compares the stored servers with the servers in `table`. Returns the operations that delete the stored servers which
 * are not in `table`, and add the servers that the store lacks. Calls `markDirty` with the slot (index in `table`) of
 * each server whose stored record is outdated.
 */
export async function compareRecords(
  engine: Pick<StorageEngine, 'resetDigest'>,
  { read, slots }: ComparedRecords,
  table: ServerTable,
  markDirty: (slot: number) => void,
): Promise<Operation[]> {
  const operations: Operation[] = [];
  const digest = new SetDigest();
  const stored = new Set<number>();
  const pointer = newPointer();
  await read((storedKey, value) => {
    const key = storedKey.slice(SERVERS.length);
    const slot = table.slotOf(key);
    if (slot < 0) {
      operations.push({ type: 'del', key: storedKey });
      return;
    }
    digest.addChecksum(checksumOf(key));
    stored.add(slot);
    table.locate(slot, pointer);
    if (!saysTheSame(value, pointer)) markDirty(slot);
  });
  for (const slot of slots()) {
    if (stored.has(slot)) continue;
    const record = table.record(slot);
    operations.push({ type: 'put', key: SERVERS + record.key, value: encodeRecord(record) });
    digest.addChecksum(checksumOf(record.key));
  }
  engine.resetDigest(SERVERS, digest);
  return operations;
}
