import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { Reader } from './readers.ts';

const payload = new PayloadReader();

/**
 * Returns the record of a server as a caller (`Reader`) may see it: without the list of players if the caller must not
 * see the names of players.
 */
export function shownRecord(
  { seesPlayers }: Pick<Reader, 'seesPlayers'>,
  record: ServerRecord,
): ServerRecord {
  if (seesPlayers || record.data.length === 0) return record;
  const { data } = record;
  payload.read(data, 0, data.length);
  const { playerListStart: start, playerListEnd: end } = payload;
  return { ...record, data: Buffer.concat([data.subarray(0, start), data.subarray(end)]) };
}
