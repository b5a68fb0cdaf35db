import { checkRecord, recordAt } from './record-codec.ts';
import { HEADER, LAYOUT } from './record-layout.ts';
import { pointerTo } from './record-pointer.ts';
import { upgradeRecord } from './record-upgrade.ts';
import { type ServerRecord, splitKey } from './server-record.ts';

/**
 * Decodes a record that `encodeRecord` wrote. `key`: the `serverKey` of the server. Throws CorruptRecordError if the
 * bytes are not a record.
 */
export function decodeStored(key: string, bytes: Buffer): ServerRecord {
  checkRecord(key, bytes);
  const stored = upgradeRecord(key, bytes);
  const [gameId, address] = splitKey(key);
  const addressLength = Buffer.byteLength(address);
  // A stored record does not contain the address of its server. But the functions that read a record expect the address
  // directly after the header. So this function inserts the address there.
  const pointer = pointerTo(new ArrayBuffer(stored.length + addressLength));
  stored.copy(pointer.bytes, 0, 0, HEADER);
  pointer.view.setUint16(LAYOUT.addressLength.at, addressLength, true);
  pointer.bytes.write(address, HEADER);
  stored.copy(pointer.bytes, HEADER + addressLength, HEADER);
  return recordAt(gameId, pointer);
}
