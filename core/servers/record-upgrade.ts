import { encodePayload } from '../../proto/codec/payload-object.ts';
import { CorruptRecordError, FORMAT } from './record-codec.ts';
import { type Reason, reasons } from './server-record.ts';

/** What the first format with a reason, and a history of today's rules, is. */
const FORMAT_WITH_REASONS = 2;

/**
 * Brings a record that `checkRecord` let through to this format; gives the bytes themselves if they are in it. Before format 3
 * the data was JSON. Format 1, of 0.1.0, had no reason, and a history that only its own rules could read. The checksum is
 * not made anew: memory keeps none. Throws CorruptRecordError if the data is not what those releases wrote.
 */
export function upgradeRecord(key: string, bytes: Buffer): Buffer {
  const format = bytes[0] ?? 0;
  if (format === FORMAT) return bytes;
  const dataStart = bytes.length - bytes.readUIntLE(20, 3);
  const data = upgradedData(key, bytes.toString('utf8', dataStart));
  const upgraded = Buffer.concat([bytes.subarray(0, dataStart), data]);
  upgraded[0] = FORMAT;
  upgraded.writeUIntLE(data.length, 20, 3);
  if (format < FORMAT_WITH_REASONS) {
    const reason: Reason = bytes.readDoubleLE(32) > 0 ? 'no_reply' : 'unprobed';
    upgraded[12] = reasons.indexOf(reason);
    upgraded[13] = 0;
    upgraded[23] = 0;
  }
  return upgraded;
}

function upgradedData(key: string, text: string): Buffer {
  try {
    return payloadOfText(text, key.slice(key.indexOf(' ') + 1));
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
    throw new CorruptRecordError(
      `the stored record of "${key}" has data that cannot be read: ${error.message}`,
    );
  }
}

/**
 * The payload of a server from what formats before 3 kept: the JSON that REST shows, without its closing brace; empty if the
 * server never answered. `address`: of the server, canonical. Throws SyntaxError or RangeError on anything else.
 */
export function payloadOfText(text: string, address: string): Buffer {
  if (text === '') return Buffer.alloc(0);
  const { raw, ...fields } = JSON.parse(`${text}}`) as Record<string, unknown> & {
    raw?: { players?: unknown };
  };
  // What is empty today was written out.
  if (fields.connect === address) delete fields.connect;
  return encodePayload({ ...fields, playerList: raw?.players });
}
