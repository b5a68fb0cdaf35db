import { newRecord } from '../../../core/servers/record-status.ts';
import { noHistory, type ServerRecord } from '../../../core/servers/server-record.ts';

const now = Date.UTC(2026, 0, 1);
const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);

/** A server record with a value in every field, including `history` and `openHour`. */
export const known: ServerRecord = {
  ...pending,
  status: 'offline',
  label: 'filtered',
  intervalMs: 300_000,
  lastProbeAt: now + 120_000,
  lastOnlineAt: now + 0.5,
  nextProbeAt: now + 420_000,
  reason: 'no_reply',
  history: { ...noHistory, answers: 3, limitEvidence: 18, lossShare: 128 / 255 },
  queryPort: 27_016,
  version: 70_000,
  data: Buffer.from('0a03e29883', 'hex'),
  openHour: Buffer.from('01020304', 'hex'),
};
/** Server data as JSON text, encoded in hexadecimal. Only the old record formats 1 and 2 store server data as JSON. */
export const JSON_DATA = Buffer.from('{"name":"☃"').toString('hex');

/**
 * Returns the record `known` in the record format `format`, as hexadecimal text. `twelve`, `thirteen` and
 * `twentyThree`: the bytes at the offsets 12, 13 and 23, which are not the same in all formats. `hour`: samples of the
 * unfinished hour; formats 1 to 3 have none.
 */
export function written(
  format: string,
  checksum: string,
  [twelve, thirteen, twentyThree]: [string, string, string],
  data: string,
  [hourLength, hour] = ['', ''],
): string {
  const length = Buffer.alloc(3);
  length.writeUIntLE(data.length / 2, 0, 3);
  const fields = `${format}020310 ${checksum} e0930400 ${twelve}${thirteen} 8869 70110100 ${length.toString('hex')}${twentyThree}`;
  const times = '000080aa6db77942 0000ccc76db77942 000880aa6db77942 00000a116eb77942';
  const inserter = '746f6b5f303132333435363738396162';
  return `${fields}${times}${hourLength}0000000000000000${inserter}${data}${hour}`.replaceAll(' ', '');
}

/**
 * The record `known` after an upgrade from one of the old record formats 1, 2 and 3. These formats contain no samples
 * of the unfinished hour, so `openHour` is empty.
 */
export const knownWithoutHour: ServerRecord = { ...known, openHour: Buffer.alloc(0) };
