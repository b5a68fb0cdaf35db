import { encodePayload } from '../../proto/codec/payload-object.ts';
import { CorruptRecordError, FORMAT } from './record-codec.ts';
import { LAYOUT } from './record-layout.ts';
import { type Reason, reasons } from './server-record.ts';

/**
 * First record format that contains the reason for the status of a server, and data about packet loss that this release
 * can use. In records of older formats, this release resets the data about packet loss.
 */
const FORMAT_WITH_REASONS = 2;
/** First record format whose field `data` is a payload in protobuf instead of JSON. */
const FORMAT_WITH_PAYLOADS = 3;

/**
 * Converts a record that `checkRecord` accepted to the current format. Adds no checksum, because records in memory have
 * none. Throws CorruptRecordError if the data cannot be read.
 */
export function upgradeRecord(key: string, bytes: Buffer): Buffer {
  const format = bytes[0] ?? 0;
  if (format === FORMAT) return bytes;
  const upgraded = withOpenHour(format < FORMAT_WITH_PAYLOADS ? withPayload(key, bytes) : bytes);
  upgraded[0] = FORMAT;
  if (format < FORMAT_WITH_REASONS) {
    const reason: Reason = bytes.readDoubleLE(32) > 0 ? 'no_reply' : 'unprobed';
    upgraded[12] = reasons.indexOf(reason);
    upgraded[13] = 0;
    upgraded[23] = 0;
  }
  return upgraded;
}

/** Returns a copy of a record of formats 1 to 3 with the header field `openHourLength` of format 4, set to 0. */
function withOpenHour(bytes: Buffer): Buffer {
  const { at, bytes: byteLength } = LAYOUT.openHourLength;
  return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(byteLength), bytes.subarray(at)]);
}

function withPayload(key: string, bytes: Buffer): Buffer {
  const dataStart = bytes.length - bytes.readUIntLE(20, 3);
  const data = upgradedData(key, bytes.toString('utf8', dataStart));
  const upgraded = Buffer.concat([bytes.subarray(0, dataStart), data]);
  upgraded.writeUIntLE(data.length, 20, 3);
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
 * Converts the data of a record of format 1 or 2 to a payload in protobuf. `text`: the data, which is JSON without its
 * closing brace, or an empty string. `address`: canonical address of the server. Throws SyntaxError or RangeError for
 * other data.
 */
export function payloadOfText(text: string, address: string): Buffer {
  if (text === '') return Buffer.alloc(0);
  const { raw, ...fields } = JSON.parse(`${text}}`) as Record<string, unknown> & {
    raw?: { players?: unknown };
  };
  // Record formats 1 and 2 always store the field `connect`. The current format omits `connect` if it equals the
  // address of the server.
  if (fields.connect === address) delete fields.connect;
  return encodePayload({ ...fields, playerList: raw?.players });
}
